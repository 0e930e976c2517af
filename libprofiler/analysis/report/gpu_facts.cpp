// What a region of the host had done on GPUs, for region_facts.hpp: times, calls, copies, and the
// counts of its kernels together, with those of the regions inside it.
#include <fmt/format.h>

#include <algorithm>
#include <roofmark/roofline.hpp>

#include "analysis/roofline/gpu_machine.hpp"
#include "gpu_table.hpp"
#include "numbers.hpp"
#include "region_facts.hpp"
#include "roof_share.hpp"

namespace roofmark::report {
namespace {

using namespace text;

void add_gpu_time(FactList& list, const std::string& name, const std::optional<Measure>& time,
                  const GpuShare& share) {
  if (time) {
    const Interval interval{time->value, time->low, time->high};
    list.add(name,
             duration(interval) + range_text(interval, [](double end) { return duration(end); }),
             time->source);
    return;
  }
  const std::string quantity = "time." + name;
  const auto why =
      std::find_if(share.missing.begin(), share.missing.end(), [&](const Missing& missing) {
        return missing.quantity == (name == "with CPU" ? "time.overlap" : quantity);
      });
  if (why != share.missing.end()) list.absent(name, why->reason);
}

void add_gpu_counts(FactList& list, const GpuShare& share) {
  Work work = share.work;
  work.wall_s = share.busy_s;
  for (const Rate& rate : rates_of(work, share.missing)) {
    if (!rate.flop) {
      list.absent("FLOPs", rate.flop);
      continue;
    }
    std::string text = with_prefix(rate.flop.interval(), "FLOP");
    if (rate.flop_per_s && rate.flop.value() > 0)
      text += ", " + with_prefix(rate.flop_per_s.interval(), "FLOP/s") + " while busy";
    list.add(rate.unit.starts_with("tensor ") ? rate.unit : "FLOPs " + rate.unit, text,
             rate.flop.source);
  }
  for (const auto& [level, traffic] : work.bytes)
    if (const Figure bytes = bytes_at(work, level, share.missing))
      list.add(level, with_prefix(bytes.interval(), "B"), bytes.source);
}

}  // namespace

void add_gpu(std::vector<Fact>& facts, const FactsOf& of) {
  if (of.region.kernel) return;
  FactList list(facts, Fact::Group::gpu);
  for (const GpuShare& share : of.region.gpu) {
    list.add("device", gpu_name(of.profile, share.device), std::string());
    if (share.launches > 0)
      list.add("kernels", whole(static_cast<double>(share.launches)) + " launches",
               Source::measured);
    add_gpu_time(list, "busy", share.busy_s, share);
    add_gpu_time(list, "idle", share.idle_s, share);
    add_gpu_time(list, "with CPU", share.overlap_s, share);
    if (const auto& calls = share.calls ? share.calls : of.region.gpu_calls)
      list.add("calls",
               fmt::format("{} in {} that launch, {} in {} that wait", duration(calls->launch_s),
                           calls->launches, duration(calls->wait_s), calls->waits),
               Source::measured);
    for (const auto& [kind, copies] : share.copies)
      list.add("copied " + kind,
               fmt::format("{} in {}, {}", with_prefix(static_cast<double>(copies.bytes), "B"),
                           copies.count, duration(copies.time_s)),
               Source::measured);
    if (share.launches == 0) continue;
    add_gpu_counts(list, share);
    const Roofline* line = inclusive_roofline(of.region, locus_of_device(share.device));
    if (line == nullptr) continue;
    std::string verdict(spelling(line->verdict));
    std::replace(verdict.begin(), verdict.end(), '_', ' ');
    if (!line->verdict_detail.empty()) verdict += ", " + line->verdict_detail;
    if (line->fraction) verdict += fmt::format("; {} of the roof", percent_text(*line->fraction));
    list.add("verdict", verdict, std::string());
  }
}

}  // namespace roofmark::report
