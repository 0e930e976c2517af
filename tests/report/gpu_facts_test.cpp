// What a region had done on GPUs, among all its numbers.
#include "catch.hpp"
#include "libprofiler/analysis/report/region_facts.hpp"
#include "sample_profile.hpp"

using namespace roofmark;
using namespace roofmark::report;

namespace {

Profile with_share() {
  Profile profile = sample::profile();
  Gpu gpu;
  gpu.uuid = "GPU-1";
  gpu.name = "Some card";
  profile.machine.gpus = {gpu};
  GpuShare share;
  share.device = gpu.uuid;
  share.launches = 12;
  share.busy_s = Measure{0.5, Source::measured, {}, {}};
  share.overlap_s = Measure{0.2, Source::estimated, 0.1, 0.3};
  share.missing = {{"time.idle", "several ranks used this GPU", ""}};
  share.copies["HtoD"] = {3, 1'600'000'000, 0.1};
  Count count;
  count.value = 4'000'000'000'000;
  share.work.flop[Precision::f64] = count;
  count.source = Source::measured;
  share.work.tensor["bf16"] = count;
  share.work.bytes["HBM"] = {count, count};
  profile.regions[0].gpu = {share};
  profile.regions[0].gpu_calls = GpuCalls{14, 0.001, 2, 0.3};
  return profile;
}

/// "text [source]", or "absent: reason"; empty: there is none.
std::string fact(const std::vector<Fact>& facts, const std::string& name) {
  for (const Fact& one : facts)
    if (one.group == Fact::Group::gpu && one.name == name)
      return one.absent ? "absent: " + one.text
                        : one.text + (one.source.empty() ? "" : " [" + one.source + "]");
  return "";
}

}  // namespace

TEST_CASE("a region's numbers hold what its kernels did together, each with its source") {
  const Profile profile = with_share();
  const std::vector<Fact> facts = facts_of(profile, profile.regions[0], false);
  CHECK(fact(facts, "device") == "Some card");
  CHECK(fact(facts, "kernels") == "12 launches [measured]");
  CHECK(fact(facts, "busy") == "500 ms [measured]");
  CHECK(fact(facts, "idle") == "absent: several ranks used this GPU");
  CHECK(fact(facts, "with CPU").find("[estimated]") != std::string::npos);
  CHECK(fact(facts, "calls") == "1 ms in 14 that launch, 300 ms in 2 that wait [measured]");
  CHECK(fact(facts, "copied HtoD") == "1.6 GB in 3, 100 ms [measured]");
  CHECK(fact(facts, "FLOPs f64") == "4 TFLOP, 8 TFLOP/s while busy [counted]");
  CHECK(fact(facts, "tensor bf16") == "4 TFLOP, 8 TFLOP/s while busy [measured]");
  CHECK(fact(facts, "HBM") == "8 TB [measured]");
  const std::string text = render_text(profile, {80, true, false, false, "", 40, 3, {"*"}});
  CHECK(text.find("  GPU\n    device: Some card") != std::string::npos);
  // Where nothing was done on a GPU there is nothing about one.
  CHECK(fact(facts_of(profile, profile.regions[1], false), "device").empty());
}
