// The verdict `launch`, on both sides of each of its thresholds.
#include <set>

#include "analysis/roofline/thresholds.hpp"
#include "catch.hpp"
#include "roofmark/roofline.hpp"

using namespace roofmark;

namespace {

const std::string uuid = "GPU-1";

/// 1 TB/s and 10 TFLOP/s of f32.
Machine machine() {
  Machine made;
  Gpu gpu;
  gpu.uuid = uuid;
  gpu.ceilings = {{"flop.f32", "", 1e13, 0, 0, 0, Source::theoretical, {}},
                  {"bytes.HBM", "", 1e12, 0, 0, 0, Source::theoretical, {}}};
  made.gpus = {gpu};
  return made;
}

Count count(std::uint64_t value) {
  Count made;
  made.value = value;
  made.scope = Scope::device;
  made.source = Source::measured;
  return made;
}

/// 1000 launches that together ran for `busy_s`, at a known share of HBM's bandwidth.
Work work(double busy_s, double share) {
  Work made;
  made.wall_s = Measure{busy_s, Source::measured, {}, {}};
  made.flop[Precision::f32] = count(1000);
  made.bytes["HBM"].total = count(static_cast<std::uint64_t>(1e12 * busy_s * share));
  return made;
}

struct Gaps {
  double busy_s = 0.4, idle_s = 0.6, launch_s = 0.6;
};

Region region_of(const Gaps& gaps, bool kernel, double share) {
  Region region;
  region.path = {"solve"};
  region.visits = 1000;
  GpuShare gpu;
  gpu.device = uuid;
  gpu.launches = 1000;
  gpu.busy_s = Measure{gaps.busy_s, Source::measured, {}, {}};
  gpu.idle_s = Measure{gaps.idle_s, Source::measured, {}, {}};
  gpu.span_s = Measure{gaps.busy_s + gaps.idle_s, Source::measured, {}, {}};
  region.gpu_calls = GpuCalls{1000, gaps.launch_s, 0, 0};
  if (kernel) {
    region.kernel = KernelFacts{uuid, "k", {}, {}, false, 0};
    region.work = work(gaps.busy_s, share);
  } else {
    gpu.work = work(gaps.busy_s, share);
    gpu.work.wall_s.reset();
  }
  region.gpu = {gpu};
  region.self = region.work;
  return region;
}

Roofline judged(const Gaps& gaps, bool kernel, double share = 0.1) {
  Profile profile;
  profile.machine = machine();
  profile.regions = {region_of(gaps, kernel, share)};
  judge(profile);
  const Roofline* roofline = inclusive_roofline(profile.regions[0], "gpu:" + uuid);
  REQUIRE(roofline != nullptr);
  return *roofline;
}

}  // namespace

TEST_CASE("launch: half of the time from the first kernel to the last is gaps") {
  const double limit = model::thresholds().launch_idle;
  CHECK(judged({1 - limit - 0.01, limit + 0.01, 1}, false).verdict == Verdict::launch);
  CHECK(judged({1 - limit + 0.01, limit - 0.01, 1}, false).verdict != Verdict::launch);
}

TEST_CASE("launch: and the host was in calls that launch for half of the gaps") {
  const double limit = model::thresholds().launch_calls;
  CHECK(judged({0.4, 0.6, 0.6 * limit + 0.001}, false).verdict == Verdict::launch);
  CHECK(judged({0.4, 0.6, 0.6 * limit - 0.001}, false).verdict == Verdict::latency);
}

TEST_CASE("launch of a kernel: it is short against a call, and no ceiling explains it") {
  // A call takes 0.6 ms.
  const double limit_s = model::thresholds().launch_kernel * 0.6e-3;
  const auto verdict_of = [&](double mean_s, double share) {
    Profile profile;
    profile.machine = machine();
    profile.regions = {region_of({0.4, 0.6, 0.6}, true, 0)};
    profile.regions[0].visits = 100;
    profile.regions[0].work = work(100 * mean_s, share);
    judge(profile);
    return profile.regions[0].rooflines.at(0).verdict;
  };
  CHECK(verdict_of(0.99 * limit_s, 0.1) == Verdict::launch);
  CHECK(verdict_of(1.01 * limit_s, 0.1) == Verdict::latency);
  // What its bytes explain is not the launches' fault.
  CHECK(verdict_of(0.99 * limit_s, 0.9) == Verdict::memory);
}

TEST_CASE("launch names its numbers, and where calls are not known there is none") {
  const Roofline roofline = judged({0.4, 0.6, 0.6}, false);
  CHECK(roofline.why.find("600 ms of 1 s (60 %)") != std::string::npos);
  CHECK(roofline.why.find("1000 calls") != std::string::npos);
  REQUIRE_FALSE(roofline.advice.empty());
  CHECK(roofline.advice[0].text.find("CUDA graph") != std::string::npos);
  Profile profile;
  profile.machine = machine();
  profile.regions = {region_of({0.4, 0.6, 0.6}, false, 0.1)};
  profile.regions[0].gpu_calls.reset();
  judge(profile);
  CHECK(inclusive_roofline(profile.regions[0], "gpu:" + uuid)->verdict == Verdict::latency);
}

TEST_CASE("no advice for processors is given for a GPU") {
  for (const double share : {0.05, 0.5, 0.95}) {
    const Roofline roofline = judged({0.9, 0.1, 0.01}, true, share);
    REQUIRE_FALSE(roofline.advice.empty());
    for (const Advice& advice : roofline.advice) {
      CHECK(advice.text.find("core") == std::string::npos);
      CHECK(advice.text.find("march") == std::string::npos);
      CHECK(advice.text.find("huge") == std::string::npos);
    }
  }
}

TEST_CASE("whatever bounds a GPU's work there is something to try") {
  std::set<Verdict> seen;
  for (const bool kernel : {false, true})
    for (const double bytes : {-1.0, 0.0, 0.05, 0.3, 0.5, 0.65, 0.75, 0.85, 0.95, 1.0, 1.5})
      for (const double flop : {-1.0, 0.0, 1e-9, 0.3, 0.5, 0.65, 0.75, 0.85, 0.95, 1.0, 1.5})
        for (const char* flag : {"", "tensor_uncounted", "too_small"}) {
          Profile profile;
          profile.machine = machine();
          profile.regions = {region_of({0.9, 0.1, 0.01}, kernel, std::max(bytes, 0.0))};
          Region& region = profile.regions[0];
          if (*flag != '\0') region.flags.insert(flag);
          Work& there = kernel ? region.work : region.gpu[0].work;
          if (bytes < 0) there.bytes.clear();
          if (flop < 0)
            there.flop.clear();
          else
            there.flop[Precision::f32] = count(static_cast<std::uint64_t>(1e13 * 0.9 * flop));
          judge(profile);
          const Roofline* made = inclusive_roofline(region, "gpu:" + uuid);
          REQUIRE(made != nullptr);
          INFO(kernel << " bytes " << bytes << " flop " << flop << " " << flag << ": "
                      << spelling(made->verdict) << " " << made->verdict_detail);
          CHECK_FALSE(made->advice.empty());
          seen.insert(made->verdict);
        }
  for (const Verdict verdict :
       {Verdict::memory, Verdict::compute, Verdict::balanced, Verdict::no_flop, Verdict::latency,
        Verdict::at_roof, Verdict::above_roof, Verdict::undetermined, Verdict::too_small})
    CHECK(seen.count(verdict) == 1);
}

TEST_CASE("a kernel's time is no part of the host's, and its work is not either") {
  Profile profile;
  profile.machine = machine();
  Region host;
  host.path = {"solve"};
  host.visits = host.threads = 1;
  host.work.wall_s = Measure{1, Source::measured, {}, {}};
  host.self = host.work;
  Region kernel = region_of({0.4, 0.6, 0.6}, true, 0.9);
  kernel.path = {"solve", "k"};
  profile.regions = {host, kernel};
  judge(profile);
  Profile alone;
  alone.machine = machine();
  alone.regions = {host};
  judge(alone);
  CHECK(profile.regions[0].rooflines == alone.regions[0].rooflines);
}
