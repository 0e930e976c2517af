// The writing half. One line a region, so that two profiles can be compared line by line and a
// large one can be read with grep.
#include "analysis/profile/profile_json.hpp"

#include "analysis/machine/machine_json.hpp"
#include "analysis/profile/field_writer.hpp"
#include "analysis/profile/profile_fields.hpp"
#include "analysis/profile/profile_json_parts.hpp"

namespace roofmark {
namespace {

void put_visit_times(FieldWriter& to, const VisitTimes& times) {
  to.key("visit_s");
  to.open_object();
  to.put_number("min", times.min);
  to.put_number("median", times.median);
  to.put_number("max", times.max);
  to.put_number("stddev", times.stddev);
  to.put_number("first", times.first);
  to.close_object();
}

void put_code(FieldWriter& to, const CodePlace& code) {
  to.key("code");
  to.open_object();
  to.put_text("object", code.object);
  to.put_text_if_any("file", code.file);
  if (code.first_line != 0) to.put_count("first_line", code.first_line);
  if (code.last_line != 0) to.put_count("last_line", code.last_line);
  to.close_object();
}

void put_function(FieldWriter& to, const CalledFunction& function) {
  to.key("function");
  to.open_object();
  to.put_text("object", function.object);
  to.put_text_if_any("timed_by", function.timed_by);
  to.put_text_if_any("counted_by", function.counted_by);
  if (function.cost_s) to.put_number("cost_s", *function.cost_s);
  to.close_object();
}

void put_region(FieldWriter& to, const Region& region, bool whole) {
  to.open_object();
  to.put_names("path", "name_bytes", region.path);
  if (has_visits(region)) to.put_count("visits", region.visits);
  if (region.visits_source != Source::measured)
    to.put_text("visits_source", spelling(region.visits_source));
  to.put_text_if_any("found_by", region.found_by);
  if (region.code) put_code(to, *region.code);
  if (region.function) put_function(to, *region.function);
  to.put_count("threads", region.threads);
  to.key("flags");
  to.put_texts(region.flags);
  const bool thread_left_out =
      region.threads == 1 && to.leaves_out("thread_s", region.work.thread_s == region.work.wall_s,
                                           region.work.thread_s.has_value());
  put_work(to, region.work, !thread_left_out);
  to.put_number("marker_s", region.marker_s);
  const bool visit_left_out =
      region.visits == 1 &&
      to.leaves_out("visit_s", region.visit_s == single_visit(region), region.visit_s.has_value());
  if (region.visit_s && !visit_left_out) put_visit_times(to, *region.visit_s);
  if (!region.runs_wall_s.empty()) {
    to.key("runs_wall_s");
    to.open_array();
    for (const double seconds : region.runs_wall_s) to.number(seconds);
    to.close_array();
  }
  to.put_number("imbalance", region.imbalance);
  if (region.ranks) put_spread(to, "ranks", *region.ranks);
  if (region.shares) put_shares(to, *region.shares);
  to.put_measure("mpi_s", region.mpi_s, {});
  if (region.mpi_ranks) put_spread(to, "mpi_ranks", *region.mpi_ranks);
  to.put_measure("off_cpu_s", region.off_cpu_s, {});
  put_gpu(to, region);
  to.put_measure("cores_used", region.cores_used, "cores_used");
  to.put_measure("clock_hz", region.clock_hz, "clock_hz");
  const bool same = region.self_rooflines == region.rooflines;
  if (!to.is_compact() || !same || region.self != region.work) {
    to.key("self");
    to.open_object();
    put_work(to, region.self, true);
    if (!same) put_rooflines(to, region.self_rooflines, whole);
    to.close_object();
  }
  put_rooflines(to, region.rooflines, whole);
  to.put_missing(region.missing);
  to.put_unknown(region.unknown_fields, region_fields, false);
  to.close_object();
}

void put_program(FieldWriter& to, const Program& program) {
  to.open_object();
  to.put_names("command", "command_bytes", program.command);
  if (program.exit_status != unknown_exit_status) {
    to.key("exit_status");
    to.integer(program.exit_status);
  }
  to.put_text("started", program.started);
  to.put_text("host", program.host);
  to.put_number("large_page_share", program.large_page_share);
  to.put_number("waited_share", program.waited_share);
  if (!program.memory_kind.empty()) to.put_text("memory_kind", program.memory_kind);
  to.put_number("remote_memory_share", program.remote_memory_share);
  if (program.ranks) put_job(to, *program.ranks);
  to.close_object();
}

void put_sampling(FieldWriter& to, const Sampling& sampling) {
  to.new_line();
  to.key("sampling");
  to.open_object();
  to.put_text("means", sampling.means);
  to.put_count("samples", sampling.samples);
  to.put_number("frequency_hz", sampling.frequency_hz);
  to.close_object();
}

void put_pass(FieldWriter& to, const Pass& pass) {
  to.open_object();
  to.put_text("purpose", pass.purpose);
  to.put_text("collector", pass.collector);
  if (pass.exit_status) {
    to.key("exit_status");
    to.integer(*pass.exit_status);
  }
  to.put_number("wall_s", pass.wall_s);
  to.put_number("coverage", pass.coverage);
  to.put_text_if_any("note", pass.note);
  to.close_object();
}

}  // namespace

std::string to_json(const Profile& profile) {
  FieldWriter to(profile.regions.size() > compact_above);
  to.open_object();
  to.put_text("schema", "roofmark-profile/1");
  to.new_line();
  to.key("program");
  put_program(to, profile.program);
  to.new_line();
  to.key("machine");
  to.raw(FieldWriter::dumped(machine_to_value(profile.machine)));
  to.list("passes", profile.passes, [&](const Pass& pass) { put_pass(to, pass); });
  if (profile.sampling) put_sampling(to, *profile.sampling);
  to.new_line();
  to.key("notes");
  to.put_texts(profile.notes);
  to.put_unknown(profile.unknown_fields, profile_fields, true);
  if (to.is_compact()) to.put_shared(profile);
  std::vector<bool> whole = to.is_compact() ? with_whole_rooflines(profile) : std::vector<bool>();
  std::size_t index = 0;
  to.list("regions", profile.regions, [&](const Region& region) {
    to.write_times();
    put_region(to, region, !to.is_compact() || whole[index]);
    ++index;
  });
  to.close_object();
  return to.take() + "\n";
}

}  // namespace roofmark
