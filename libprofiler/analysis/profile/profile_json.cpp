// The writing half. One line a region, so that two profiles can be compared line by line and a
// large one can be read with grep.
#include "analysis/profile/profile_json.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "analysis/json/json_writer.hpp"
#include "analysis/machine/machine_json.hpp"
#include "analysis/profile/profile_fields.hpp"
#include "analysis/profile/profile_json_shared.hpp"
#include "analysis/text/bytes_text.hpp"

namespace roofmark {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// In a compact file: no clock tells more digits, and conclusions have fewer that mean something.
constexpr int digits_of_times = 10;
constexpr int digits_of_conclusions = 6;

class ProfileWriter {
 public:
  explicit ProfileWriter(const Profile& profile)
      : profile_(profile), compact_(profile.regions.size() > compact_above) {}

  std::string write() {
    out_.open_object();
    put_text("schema", "roofmark-profile/1");
    out_.new_line();
    out_.key("program");
    put_program(profile_.program);
    out_.new_line();
    out_.key("machine");
    out_.raw(dump(machine_to_value(profile_.machine)));
    list("passes", profile_.passes, [&](const Pass& pass) { put_pass(pass); });
    if (profile_.sampling) put_sampling(*profile_.sampling);
    out_.new_line();
    out_.key("notes");
    put_texts(profile_.notes);
    put_unknown(profile_.unknown_fields, profile_fields, true);
    if (compact_) put_shared();
    std::vector<bool> whole = compact_ ? with_whole_rooflines(profile_) : std::vector<bool>();
    std::size_t index = 0;
    list("regions", profile_.regions, [&](const Region& region) {
      digits_ = compact_ ? digits_of_times : 0;
      put_region(region, !compact_ || whole[index]);
      ++index;
    });
    out_.close_object();
    return out_.take() + "\n";
  }

 private:
  // One name a kind: an overload would take a text for the other sort of text without a word.

  /// JSON has no NaN and no infinity: such a number is absent.
  void put_number(const char* key, double value) {
    if (!std::isfinite(value)) return;
    out_.key(key);
    out_.number(value, digits_);
  }
  void put_number(const char* key, const std::optional<double>& value) {
    if (value) put_number(key, *value);
  }
  void put_text(const char* key, std::string_view text) {
    out_.key(key);
    out_.text(text);
  }
  /// A text that a reader takes for empty where it is absent.
  void put_text_if_any(const char* key, std::string_view text) {
    if (!text.empty()) put_text(key, text);
  }
  void put_count(const char* key, std::uint64_t count) {
    out_.key(key);
    out_.count(count);
  }

  bool is_shared(std::string_view quantity, const Origin& origin) const {
    const auto found = origins_.find(quantity);
    return found != origins_.end() && found->second == origin;
  }

  void put_measure(const char* key, const std::optional<Measure>& measure,
                   std::string_view quantity) {
    if (!measure || !std::isfinite(measure->value)) return;
    out_.key(key);
    out_.open_object();
    put_number("value", measure->value);
    if (!is_shared(quantity, origin_of(*measure))) put_text("source", spelling(measure->source));
    // A range of no width is none.
    const bool exact =
        compact_ && measure->low == measure->value && measure->high == measure->value;
    if (!exact) {
      put_number("low", measure->low);
      put_number("high", measure->high);
    }
    out_.close_object();
  }

  void put_origin(const Origin& origin, bool of_count = true) {
    put_text("source", spelling(origin.source));
    put_text_if_any("collector", origin.collector);
    if (of_count) put_text("scope", spelling(origin.scope));
  }

  void put_counted(std::string_view key, const Count& count, std::string_view quantity) {
    const Origin origin = origin_of(count);
    const bool shared = is_shared(quantity, origin);
    out_.key(key);
    out_.open_object();
    put_count("value", count.value);
    if (!shared) put_origin(origin);
    if (count.low) put_count("low", *count.low);
    if (count.high) put_count("high", *count.high);
    if (!shared && !count.caveats.empty()) {
      out_.key("caveats");
      put_texts(count.caveats);
    }
    out_.close_object();
  }
  void put_counted(std::string_view key, const std::optional<Count>& count,
                   std::string_view quantity) {
    if (count) put_counted(key, *count, quantity);
  }

  template <class Texts>
  void put_texts(const Texts& texts) {
    out_.open_array();
    for (const std::string& text : texts) out_.text(text);
    out_.close_array();
  }

  /// Names that are not UTF-8 stand as U+FFFD in `key` and as hexadecimal bytes in `bytes_key`.
  void put_names(const char* key, const char* bytes_key, const std::vector<std::string>& names) {
    out_.key(key);
    put_texts(names);
    if (std::all_of(names.begin(), names.end(), [](const auto& name) { return is_utf8(name); }))
      return;
    out_.key(bytes_key);
    out_.open_array();
    for (const std::string& name : names)
      if (is_utf8(name))
        out_.null();
      else
        out_.text(to_hex(name));
    out_.close_array();
  }

  void put_work(const Work& work, bool thread_time) {
    put_measure("wall_s", work.wall_s, "wall_s");
    if (thread_time) put_measure("thread_s", work.thread_s, "thread_s");
    out_.key("flop");
    out_.open_object();
    for (const auto& [precision, count] : work.flop)
      put_counted(spelling(precision), count, quantity_.of("flop", spelling(precision)));
    out_.close_object();
    out_.key("bytes");
    out_.open_object();
    for (const auto& [level, traffic] : work.bytes) {
      out_.key(level);
      out_.open_object();
      put_counted("read", traffic.read, quantity_.of("bytes", level, "read"));
      put_counted("write", traffic.write, quantity_.of("bytes", level, "write"));
      put_counted("total", traffic.total, quantity_.of("bytes", level, "total"));
      out_.close_object();
    }
    out_.close_object();
    if (!work.operations.empty()) {
      out_.key("operations");
      out_.open_object();
      for (const auto& [name, count] : work.operations)
        put_counted(name, count, quantity_.of("operations", name));
      out_.close_object();
    }
    if (!work.tensor.empty()) {
      out_.key("tensor");
      out_.open_object();
      for (const auto& [type, count] : work.tensor)
        put_counted(type, count, quantity_.of("tensor", type));
      out_.close_object();
    }
    if (!work.events.empty()) {
      out_.key("events");
      out_.open_object();
      for (const auto& [name, count] : work.events)
        put_counted(name, count, quantity_.of("events", name));
      out_.close_object();
    }
    if (!work.mix.empty()) put_mix(work.mix);
    if (work.declared_flop || work.declared_bytes) {
      out_.key("declared");
      out_.open_object();
      put_counted("flop", work.declared_flop, "declared.flop");
      put_counted("bytes", work.declared_bytes, "declared.bytes");
      out_.close_object();
    }
  }

  void put_mix(const std::vector<ComputeClass>& mix) {
    out_.key("mix");
    out_.open_array();
    for (const ComputeClass& part : mix) {
      out_.open_object();
      put_text("precision", spelling(part.precision));
      if (!compact_ || part.width_bits > 0) put_count("width_bits", part.width_bits);
      put_text("op", spelling(part.operation));
      put_count("flop", part.flop);
      out_.close_object();
    }
    out_.close_array();
  }

  void put_level(const LevelPlacement& level) {
    out_.open_object();
    if (level.intensity > 0) {  // else no FLOPs: there is no point on the chart
      put_number("intensity", level.intensity);
      put_number("roof_flop_per_s", level.roof_flop_per_s);
      put_number("ridge", level.ridge);
    }
    put_number("bandwidth_bytes_per_s", level.bandwidth_bytes_per_s);
    put_number("achieved_bytes_per_s", level.achieved_bytes_per_s);
    out_.close_object();
  }

  void put_conclusion(const Roofline& roofline) {
    put_text("locus", roofline.locus);
    put_text_if_any("precision", roofline.precision);
    put_text_if_any("binding", roofline.binding);
    put_text("side", spelling(roofline.side));
    put_text("side_as_written", spelling(roofline.side_as_written));
    put_text("verdict", spelling(roofline.verdict));
    put_text_if_any("verdict_detail", roofline.verdict_detail);
    put_number("fraction", roofline.fraction);
    put_number("fraction_as_written", roofline.fraction_as_written);
    put_number("fraction_without_waiting", roofline.fraction_without_waiting);
  }

  void put_evidence(const Roofline& roofline) {
    put_number("roof_flop_per_s", roofline.roof_flop_per_s);
    put_number("roof_as_written_flop_per_s", roofline.roof_as_written_flop_per_s);
    put_number("achieved_flop_per_s", roofline.achieved_flop_per_s);
    put_number("uncertainty", roofline.uncertainty);
    put_measure("explained_s", roofline.explained_s, {});
    out_.key("levels");
    out_.open_object();
    for (const auto& [level, placement] : roofline.levels) {
      out_.key(level);
      put_level(placement);
    }
    out_.close_object();
    out_.key("ladder");
    out_.open_array();
    for (const Rung& rung : roofline.ladder) {
      if (!std::isfinite(rung.gain)) continue;
      out_.open_object();
      put_text("name", rung.name);
      put_number("gain", rung.gain);
      out_.close_object();
    }
    out_.close_array();
    if (!roofline.notes.empty()) {
      out_.key("notes");
      put_texts(roofline.notes);
    }
    put_text_if_any("why", roofline.why);
    out_.key("advice");
    out_.open_array();
    for (const Advice& advice : roofline.advice) {
      out_.open_object();
      put_text("text", advice.text);
      put_text_if_any("falsifier", advice.falsifier);
      put_number("gain", advice.gain);
      out_.close_object();
    }
    out_.close_array();
  }

  void put_rooflines(const std::vector<Roofline>& rooflines, bool whole) {
    digits_ = compact_ ? digits_of_conclusions : 0;
    out_.key("rooflines");
    out_.open_array();
    for (const Roofline& roofline : rooflines) {
      out_.open_object();
      put_conclusion(roofline);
      if (whole) put_evidence(roofline);
      out_.close_object();
    }
    out_.close_array();
    digits_ = compact_ ? digits_of_times : 0;
  }

  void put_visit_times(const VisitTimes& times) {
    out_.key("visit_s");
    out_.open_object();
    put_number("min", times.min);
    put_number("median", times.median);
    put_number("max", times.max);
    put_number("stddev", times.stddev);
    put_number("first", times.first);
    out_.close_object();
  }

  void put_spread(const char* key, const RankSpread& spread) {
    out_.key(key);
    out_.open_object();
    put_count("count", spread.ranks);
    put_number("min_s", spread.min_s);
    put_number("median_s", spread.median_s);
    put_number("mean_s", spread.mean_s);
    put_number("max_s", spread.max_s);
    put_count("min_rank", spread.min_rank);
    put_count("max_rank", spread.max_rank);
    if (spread.median_estimated) {
      out_.key("median_estimated");
      out_.raw("true");
    }
    out_.close_object();
  }

  void put_share_part(const WorkShare::Part& part) {
    put_number("wall_s", part.wall_s);
    out_.key("flop");
    out_.open_object();
    for (const auto& [precision, count] : part.flop) {
      out_.key(spelling(precision));
      out_.count(count);
    }
    out_.close_object();
    out_.key("bytes");
    out_.open_object();
    for (const auto& [level, count] : part.bytes) {
      out_.key(level);
      out_.count(count);
    }
    out_.close_object();
  }

  void put_shares(const WorkShares& shares) {
    out_.key("shares");
    out_.open_object();
    put_text("of", shares.of == WorkShares::Of::ranks ? "ranks" : "threads");
    put_count("total", shares.total);
    if (shares.two_runs) {
      out_.key("two_runs");
      out_.raw("true");
    }
    out_.key("each");
    out_.open_array();
    for (const WorkShare& share : shares.each) {
      out_.open_object();
      put_count("number", share.number);
      put_share_part(share.work);
      if (share.self != share.work) {
        out_.key("self");
        out_.open_object();
        put_share_part(share.self);
        out_.close_object();
      }
      out_.close_object();
    }
    out_.close_array();
    out_.key("left_out");
    out_.open_array();
    for (const WorkShares::LeftOut& left : shares.left_out) {
      out_.open_object();
      put_count("count", left.count);
      put_text("reason", left.reason);
      put_text_if_any("fix", left.fix);
      out_.close_object();
    }
    out_.close_array();
    out_.close_object();
  }

  void put_three(const char* key, const std::array<std::uint32_t, 3>& numbers) {
    out_.key(key);
    out_.open_array();
    for (const std::uint32_t number : numbers) out_.count(number);
    out_.close_array();
  }

  void put_kernel(const KernelFacts& kernel) {
    out_.key("kernel");
    out_.open_object();
    put_text("device", kernel.device);
    put_text("symbol", kernel.symbol);
    put_three("grid", kernel.grid);
    put_three("block", kernel.block);
    if (kernel.shapes_differ) {
      out_.key("shapes_differ");
      out_.raw("true");
    }
    if (kernel.graph_launches > 0) put_count("graph_launches", kernel.graph_launches);
    out_.close_object();
  }

  void put_calls(const char* key, const GpuCalls& calls) {
    out_.key(key);
    out_.open_object();
    put_count("launches", calls.launches);
    put_number("launch_s", calls.launch_s);
    put_count("waits", calls.waits);
    put_number("wait_s", calls.wait_s);
    out_.close_object();
  }

  void put_share(const GpuShare& share, bool of_kernel) {
    out_.open_object();
    put_text("device", share.device);
    put_count("launches", share.launches);
    put_measure("busy_s", share.busy_s, {});
    put_measure("span_s", share.span_s, {});
    put_measure("idle_s", share.idle_s, {});
    put_measure("overlap_s", share.overlap_s, {});
    if (share.calls) put_calls("calls", *share.calls);
    if (!share.copies.empty()) {
      out_.key("copies");
      out_.open_object();
      for (const auto& [kind, copies] : share.copies) {
        out_.key(kind);
        out_.open_object();
        put_count("count", copies.count);
        put_count("bytes", copies.bytes);
        put_number("time_s", copies.time_s);
        out_.close_object();
      }
      out_.close_object();
    }
    if (!of_kernel) {
      put_work(share.work, false);
      if (!share.missing.empty()) put_missing(share.missing);
    }
    out_.close_object();
  }

  void put_gpu(const Region& region) {
    if (region.kernel) put_kernel(*region.kernel);
    if (!region.gpu.empty()) {
      out_.key("gpu");
      out_.open_array();
      for (const GpuShare& share : region.gpu) put_share(share, region.kernel.has_value());
      out_.close_array();
    }
    if (region.gpu_calls) put_calls("gpu_calls", *region.gpu_calls);
  }

  void put_missing(const std::vector<Missing>& missing) {
    out_.key("missing");
    out_.open_array();
    for (const Missing& entry : missing)
      if (compact_)
        out_.count(missing_.at({entry.quantity, entry.reason, entry.fix}));
      else
        put_entry(entry);
    out_.close_array();
  }
  void put_entry(const Missing& entry) {
    out_.open_object();
    put_text("quantity", entry.quantity);
    put_text("reason", entry.reason);
    put_text("fix", entry.fix);
    out_.close_object();
  }

  /// What readers fill in where a compact file leaves it out; `null` where it would be wrong.
  bool leaves_out(const char* key, bool as_filled_in, bool known) {
    if (!compact_) return false;
    if (!as_filled_in && !known) {
      out_.key(key);
      out_.null();
    }
    return as_filled_in;
  }

  void put_code(const CodePlace& code) {
    out_.key("code");
    out_.open_object();
    put_text("object", code.object);
    put_text_if_any("file", code.file);
    if (code.first_line != 0) put_count("first_line", code.first_line);
    if (code.last_line != 0) put_count("last_line", code.last_line);
    out_.close_object();
  }

  void put_function(const CalledFunction& function) {
    out_.key("function");
    out_.open_object();
    put_text("object", function.object);
    put_text_if_any("timed_by", function.timed_by);
    put_text_if_any("counted_by", function.counted_by);
    if (function.cost_s) put_number("cost_s", *function.cost_s);
    out_.close_object();
  }

  void put_region(const Region& region, bool whole) {
    out_.open_object();
    put_names("path", "name_bytes", region.path);
    if (has_visits(region)) put_count("visits", region.visits);
    if (region.visits_source != Source::measured)
      put_text("visits_source", spelling(region.visits_source));
    put_text_if_any("found_by", region.found_by);
    if (region.code) put_code(*region.code);
    if (region.function) put_function(*region.function);
    put_count("threads", region.threads);
    out_.key("flags");
    put_texts(region.flags);
    const bool thread_left_out =
        region.threads == 1 && leaves_out("thread_s", region.work.thread_s == region.work.wall_s,
                                          region.work.thread_s.has_value());
    put_work(region.work, !thread_left_out);
    put_number("marker_s", region.marker_s);
    const bool visit_left_out =
        region.visits == 1 &&
        leaves_out("visit_s", region.visit_s == single_visit(region), region.visit_s.has_value());
    if (region.visit_s && !visit_left_out) put_visit_times(*region.visit_s);
    if (!region.runs_wall_s.empty()) {
      out_.key("runs_wall_s");
      out_.open_array();
      for (const double seconds : region.runs_wall_s) out_.number(seconds);
      out_.close_array();
    }
    put_number("imbalance", region.imbalance);
    if (region.ranks) put_spread("ranks", *region.ranks);
    if (region.shares) put_shares(*region.shares);
    put_measure("mpi_s", region.mpi_s, {});
    if (region.mpi_ranks) put_spread("mpi_ranks", *region.mpi_ranks);
    put_measure("off_cpu_s", region.off_cpu_s, {});
    put_gpu(region);
    put_measure("cores_used", region.cores_used, "cores_used");
    put_measure("clock_hz", region.clock_hz, "clock_hz");
    const bool same = region.self_rooflines == region.rooflines;
    if (!compact_ || !same || region.self != region.work) {
      out_.key("self");
      out_.open_object();
      put_work(region.self, true);
      if (!same) put_rooflines(region.self_rooflines, whole);
      out_.close_object();
    }
    put_rooflines(region.rooflines, whole);
    put_missing(region.missing);
    put_unknown(region.unknown_fields, region_fields, false);
    out_.close_object();
  }

  void put_shared() {
    origins_ = common_origins(profile_);
    out_.new_line();
    out_.key("compact");
    out_.raw("true");
    out_.new_line();
    out_.key("origins");
    out_.open_object();
    for (const auto& [quantity, origin] : origins_) {
      out_.key(quantity);
      out_.open_object();
      put_origin(origin);
      if (!origin.caveats.empty()) {
        out_.key("caveats");
        put_texts(origin.caveats);
      }
      out_.close_object();
    }
    out_.close_object();
    const std::vector<Missing> distinct = distinct_missing(profile_);
    for (const Missing& entry : distinct)
      missing_.try_emplace({entry.quantity, entry.reason, entry.fix}, missing_.size());
    list("missing", distinct, [&](const Missing& entry) { put_entry(entry); });
  }

  void put_program(const Program& program) {
    out_.open_object();
    put_names("command", "command_bytes", program.command);
    if (program.exit_status != unknown_exit_status) {
      out_.key("exit_status");
      out_.integer(program.exit_status);
    }
    put_text("started", program.started);
    put_text("host", program.host);
    put_number("large_page_share", program.large_page_share);
    put_number("waited_share", program.waited_share);
    if (!program.memory_kind.empty()) put_text("memory_kind", program.memory_kind);
    put_number("remote_memory_share", program.remote_memory_share);
    if (program.ranks) put_job(*program.ranks);
    out_.close_object();
  }

  void put_job(const JobRanks& job) {
    out_.key("ranks");
    out_.open_object();
    put_count("size", job.size);
    put_count("recorded", job.recorded);
    put_count("nodes", job.nodes);
    if (job.rank) put_count("rank", *job.rank);
    if (job.on_node) put_count("on_node", *job.on_node);
    put_text_if_any("launcher", job.launcher);
    out_.close_object();
  }

  void put_sampling(const Sampling& sampling) {
    out_.new_line();
    out_.key("sampling");
    out_.open_object();
    put_text("means", sampling.means);
    put_count("samples", sampling.samples);
    put_number("frequency_hz", sampling.frequency_hz);
    out_.close_object();
  }

  void put_pass(const Pass& pass) {
    out_.open_object();
    put_text("purpose", pass.purpose);
    put_text("collector", pass.collector);
    if (pass.exit_status) {
      out_.key("exit_status");
      out_.integer(*pass.exit_status);
    }
    put_number("wall_s", pass.wall_s);
    put_number("coverage", pass.coverage);
    put_text_if_any("note", pass.note);
    out_.close_object();
  }

  /// `"key": [` and one item a line.
  template <class Items, class Put>
  void list(const char* key, const Items& items, Put put_item) {
    out_.new_line();
    out_.key(key);
    out_.open_array();
    for (const auto& item : items) {
      out_.new_line();
      put_item(item);
    }
    if (!items.empty()) out_.last_line();
    out_.close_array();
  }

  /// What a later version wrote goes back as it was, after our own fields.
  template <class Known>
  void put_unknown(const std::string& unknown, const Known& known, bool lines) {
    if (unknown.empty()) return;
    const Json fields = Json::parse(unknown, nullptr, false);
    if (!fields.is_object()) return;
    for (const auto& [key, value] : fields.items()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      if (lines) out_.new_line();
      out_.key(key);
      out_.raw(dump(value));
    }
  }

  const Profile& profile_;
  const bool compact_;
  int digits_ = 0;
  Origins origins_;
  std::map<std::tuple<std::string, std::string, std::string>, std::uint64_t> missing_;
  QuantityName quantity_;
  JsonWriter out_;
};

}  // namespace

std::string to_json(const Profile& profile) {
  return ProfileWriter(profile).write();
}

}  // namespace roofmark
