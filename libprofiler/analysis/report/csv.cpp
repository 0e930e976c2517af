// The regions as RFC 4180 records.
#include <fmt/format.h>

#include <algorithm>
#include <roofmark/report.hpp>
#include <roofmark/roofline.hpp>
#include <set>

#include "analysis/text/plain_text.hpp"
#include "event_table.hpp"
#include "numbers.hpp"
#include "region_row.hpp"

namespace roofmark {
namespace {

using namespace report;
using namespace text;

class Record {
 public:
  void add(const std::string& text) { put(csv_field(text)); }
  void add(std::uint64_t number) { put(std::to_string(number)); }
  void add_known(bool known, std::uint64_t number) {
    put(known ? std::to_string(number) : std::string());
  }
  void add(const std::optional<double>& number) { put(number ? exact(*number) : std::string()); }
  void add(const std::optional<Measure>& measure) {
    put(measure ? exact(measure->value) : std::string());
    add(measure ? std::string(spelling(measure->source)) : std::string());
  }
  void add(const std::optional<Count>& count) {
    put(count ? std::to_string(count->value) : std::string());
    add(count ? std::string(spelling(count->source)) : std::string());
  }
  void add(const std::optional<RankSpread>& spread) {
    if (!spread) {
      for (int column = 0; column < 7; ++column) put("");
      return;
    }
    add(spread->ranks);
    put(exact(spread->min_s));
    add(spread->min_rank);
    for (const double time_s : {spread->median_s, spread->mean_s, spread->max_s})
      put(exact(time_s));
    add(spread->max_rank);
  }
  std::string take() { return text_ + "\r\n"; }

 private:
  void put(const std::string& field) {
    if (!first_) text_ += ',';
    first_ = false;
    text_ += field;
  }

  std::string text_;
  bool first_ = true;
};

struct Quantities {
  std::set<Precision> precisions;
  std::vector<std::string> levels;
  std::set<std::string> together;  ///< levels of which some source can't tell reads from writes
  std::vector<std::string> events;
  std::set<std::string> tensor;  ///< types of matrix units
  bool kernels = false;          ///< regions on GPUs
};

Quantities quantities_of(const Profile& profile) {
  Quantities found;
  std::set<std::string> levels;
  for (const Region& region : profile.regions)
    for (const Work* work : {&region.work, &region.self}) {
      for (const auto& [precision, count] : work->flop) found.precisions.insert(precision);
      for (const auto& [type, count] : work->tensor) found.tensor.insert(type);
      found.kernels = found.kernels || region.kernel || !region.gpu.empty();
      for (const auto& [level, traffic] : work->bytes) {
        levels.insert(level);
        if (traffic.total) found.together.insert(level);
      }
    }
  found.events = event_names(profile);
  found.levels.assign(levels.begin(), levels.end());
  return found;
}

void add_titles(Record& record, const Quantities& quantities, const std::string& prefix) {
  const auto with_source = [&](const std::string& name) {
    record.add(prefix + name);
    record.add(prefix + name + ".source");
  };
  with_source("wall_s");
  with_source("thread_s");
  for (const Precision precision : quantities.precisions)
    with_source(fmt::format("flop.{}", spelling(precision)));
  for (const std::string& type : quantities.tensor) with_source("tensor." + type);
  for (const std::string& level : quantities.levels) {
    with_source("bytes." + level + ".read");
    with_source("bytes." + level + ".write");
    if (quantities.together.contains(level)) with_source("bytes." + level + ".total");
  }
  for (const std::string& name : quantities.events) with_source("events." + printable(name));
  with_source("declared_flop");
  with_source("declared_bytes");
}

void add_work(Record& record, const Quantities& quantities, const Work& work) {
  record.add(work.wall_s);
  record.add(work.thread_s);
  for (const Precision precision : quantities.precisions) {
    const auto found = work.flop.find(precision);
    record.add(found == work.flop.end() ? std::optional<Count>() : found->second);
  }
  for (const std::string& type : quantities.tensor) {
    const auto found = work.tensor.find(type);
    record.add(found == work.tensor.end() ? std::optional<Count>() : found->second);
  }
  for (const std::string& level : quantities.levels) {
    const auto found = work.bytes.find(level);
    record.add(found == work.bytes.end() ? std::optional<Count>() : found->second.read);
    record.add(found == work.bytes.end() ? std::optional<Count>() : found->second.write);
    if (quantities.together.contains(level))
      record.add(found == work.bytes.end() ? std::optional<Count>() : found->second.total);
  }
  for (const std::string& name : quantities.events) {
    const auto found = work.events.find(name);
    record.add(found == work.events.end() ? std::optional<Count>() : found->second);
  }
  record.add(work.declared_flop);
  record.add(work.declared_bytes);
}

/// Of several GPUs their sum, where each has one.
void add_gpu(Record& record, const Region& region) {
  record.add(locus_of(region));
  std::optional<double> bytes;
  std::uint64_t launches = 0;
  for (const GpuShare& share : region.gpu) {
    launches += share.launches;
    for (const auto& [kind, copies] : share.copies)
      bytes = bytes.value_or(0) + static_cast<double>(copies.bytes);
  }
  const auto sum_of = [&](std::optional<Measure> GpuShare::*time) {
    std::optional<double> sum;
    for (const GpuShare& share : region.gpu) {
      if (share.launches == 0) continue;  // copies alone
      if (!(share.*time)) return std::optional<double>();
      sum = sum.value_or(0) + (share.*time)->value;
    }
    return sum;
  };
  record.add(region.gpu.empty() ? std::nullopt : std::optional(static_cast<double>(launches)));
  for (const auto time : {&GpuShare::busy_s, &GpuShare::idle_s, &GpuShare::overlap_s})
    record.add(sum_of(time));
  record.add(bytes);
  const auto& calls = region.gpu_calls;
  record.add(calls ? std::optional(calls->launch_s) : std::nullopt);
  record.add(calls ? std::optional(calls->wait_s) : std::nullopt);
}

}  // namespace

std::string render_csv(const Profile& profile, const std::string& wanted_level) {
  const std::string level = wanted_level.empty() ? default_level(profile) : wanted_level;
  const Quantities quantities = quantities_of(profile);
  Record titles;
  for (const char* title : {"path", "visits", "threads", "flags"}) titles.add(std::string(title));
  add_titles(titles, quantities, "");
  add_titles(titles, quantities, "self.");
  const bool clock = std::any_of(profile.regions.begin(), profile.regions.end(),
                                 [](const Region& region) { return region.clock_hz.has_value(); });
  if (clock)
    for (const char* title : {"clock_hz", "clock_hz.source"}) titles.add(std::string(title));
  const bool ranks = std::any_of(profile.regions.begin(), profile.regions.end(),
                                 [](const Region& region) { return region.ranks.has_value(); });
  if (ranks)
    for (const char* title : {"ranks", "ranks.min_s", "ranks.min_rank", "ranks.median_s",
                              "ranks.mean_s", "ranks.max_s", "ranks.max_rank"})
      titles.add(std::string(title));
  const bool mpi = std::any_of(profile.regions.begin(), profile.regions.end(),
                               [](const Region& region) { return region.mpi_s.has_value(); });
  if (mpi)
    for (const char* title :
         {"mpi_s", "mpi_s.source", "off_cpu_s", "off_cpu_s.source", "fraction_without_waiting"})
      titles.add(std::string(title));
  if (quantities.kernels)
    for (const char* title : {"locus", "gpu.launches", "gpu.busy_s", "gpu.idle_s", "gpu.overlap_s",
                              "gpu.copied_bytes", "gpu.launch_s", "gpu.wait_s"})
      titles.add(std::string(title));
  for (const char* title :
       {"precision", "achieved_flop_per_s", "roof_flop_per_s", "fraction", "binding", "verdict",
        "verdict_detail", "level", "intensity", "side", "missing"})
    titles.add(std::string(title));
  std::string text = titles.take();
  for (const RegionRow& row : rows_of(profile, {false, level})) {
    const Region& region = profile.regions[row.region];
    Record record;
    record.add(unambiguous_path(region.path));
    record.add_known(has_visits(region), region.visits);
    record.add_known(region.threads > 0, region.threads);  // a GPU's kernel has none
    record.add(fmt::format("{}", fmt::join(region.flags, " ")));
    add_work(record, quantities, region.work);
    add_work(record, quantities, region.self);
    if (clock) record.add(region.clock_hz);
    if (ranks) record.add(region.ranks);
    const Roofline none;
    const Roofline& roofline = row.roofline ? *row.roofline : none;
    if (mpi) {
      record.add(region.mpi_s);
      record.add(region.off_cpu_s);
      record.add(roofline.fraction_without_waiting);
    }
    if (quantities.kernels) add_gpu(record, region);
    record.add(roofline.precision);
    record.add(roofline.achieved_flop_per_s);
    record.add(roofline.roof_flop_per_s);
    record.add(roofline.fraction);
    record.add(roofline.binding);
    record.add(row.roofline ? std::string(spelling(roofline.verdict)) : std::string());
    record.add(roofline.verdict_detail);
    record.add(level_for(region, level));
    record.add(row.intensity ? std::optional(row.intensity.value()) : std::nullopt);
    record.add(row.roofline ? std::string(spelling(side_at(roofline, level_for(region, level))))
                            : std::string());
    std::string missing;
    for (const Missing& entry : region.missing)
      missing += (missing.empty() ? "" : "; ") + entry.quantity + ": " + entry.reason;
    record.add(missing);
    text += record.take();
  }
  return text;
}

}  // namespace roofmark
