// Results of a program's GPU runs against the regions of its profile.
#include "analysis/join/join_gpu.hpp"

#include "analysis/join/gpu_collect.hpp"
#include "analysis/profile/profile_json.hpp"
#include "catch.hpp"
#include "roofmark/roofline.hpp"

using namespace roofmark;
using cupti::GpuProcess;

namespace {

const std::string uuid = "GPU-1";

const cupti::ChipTable& chips() {
  static const auto table = cupti::load_chip_table(ROOFMARK_CUPTI_TABLES);
  REQUIRE(table);
  return *table;
}

GpuProcess process(cupti::RunKind kind, const std::string& set, const std::string& chip) {
  GpuProcess made;
  made.pid = 7;
  made.exe = "/bin/app";
  made.kind = kind;
  made.set = set;
  cupti::GpuDevice device;
  device.uuid = uuid;
  device.name = "Some card";
  device.chip = chip;
  device.compute_major = 9;
  device.multiprocessors = 100;
  device.memory_bus_bits = 5120;
  device.sm_clock_hz = 1e9;
  device.memory_clock_hz = 2.5e9;
  made.devices = {device};
  return made;
}

cupti::GpuKernel kernel(const std::string& name, const cupti::LaunchPath& path,
                        std::uint64_t launches, double time_s) {
  cupti::GpuKernel made;
  made.name = name;
  made.device = uuid;
  made.path = path;
  made.launches = launches;
  made.time_s = time_s;
  made.min_s = made.max_s = time_s / static_cast<double>(launches);
  made.first_start_s = 10;
  made.last_end_s = 20;
  made.grid = {4, 1, 1};
  made.block = {128, 1, 1};
  return made;
}

/// Kernels one after the other on one stream: busy is the sum of their times.
void add_busy(GpuProcess& made, const cupti::LaunchPath& path, double busy_s, double span_s) {
  made.busy.push_back({uuid, path, busy_s, 10, 10 + span_s, true});
}

/// All metrics of a chip's set, each with a value of its own.
cupti::GpuRange range(const std::string& chip, const std::string& set, const std::string& name,
                      const cupti::LaunchPath& path, std::uint64_t launches,
                      const std::map<std::string, double>& values) {
  cupti::GpuRange made;
  made.name = name;
  made.device = uuid;
  made.path = path;
  made.launches = launches;
  const cupti::Chip* known = chips().chip(chip);
  REQUIRE(known != nullptr);
  for (const cupti::MetricFormula& formula : known->formulas)
    if (formula.set == set)
      for (const cupti::MetricTerm& term : formula.sum) made.metrics[term.metric] = 0;
  if (set == "hw")
    for (const std::string& probe : known->probe) made.metrics[probe] = 0;
  for (const auto& [metric, value] : values) {
    INFO(metric);
    REQUIRE(made.metrics.count(metric) == 1);
    made.metrics[metric] = value;
  }
  return made;
}

Profile host() {
  Profile profile;
  for (const std::vector<std::string>& path :
       {std::vector<std::string>{}, {"solve"}, {"solve", "step"}, {"write"}}) {
    Region region;
    region.path = path;
    region.visits = 1;
    region.threads = 1;
    region.work.wall_s = Measure{1, Source::measured, {}, {}};
    region.self = region.work;
    profile.regions.push_back(region);
  }
  return profile;
}

const Region& at(const Profile& profile, const std::vector<std::string>& path) {
  for (const Region& region : profile.regions)
    if (region.path == path) return region;
  FAIL("no such region");
  return profile.regions.front();
}

const std::string dfma = "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum";
const std::string dadd = "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum";

GpuInput gh100(std::uint64_t counted_launches = 4) {
  GpuInput input;
  input.chips = &chips();
  input.main_executable = "/bin/app";
  GpuProcess timed = process(cupti::RunKind::activity, "", "GH100");
  timed.kernels = {kernel("_Z5triadPdS_", {"solve", "step"}, 4, 0.4)};
  add_busy(timed, {}, 0.4, 0.5);
  add_busy(timed, {"solve"}, 0.4, 0.5);
  add_busy(timed, {"solve", "step"}, 0.4, 0.5);
  timed.copies.push_back({cupti::CopyKind::host_to_device, uuid, "", {"solve"}, 2, 1000, 0.01});
  timed.host_calls.push_back({{"solve", "step"}, 4, 0.001, 1, 0.3});
  input.activity = {timed};
  GpuCounterRun sass{"sass", {process(cupti::RunKind::counters, "sass", "GH100")}, {}};
  sass.processes[0].ranges = {
      range("GH100", "sass", "_Z5triadPdS_", {"solve", "step"}, counted_launches,
            {{dfma, 1e9 * static_cast<double>(counted_launches)}, {dadd, 5}})};
  GpuCounterRun hw{"hw", {process(cupti::RunKind::counters, "hw", "GH100")}, {}};
  hw.processes[0].ranges = {range("GH100", "hw", "_Z5triadPdS_", {"solve", "step"}, 4,
                                  {{"dram__bytes_read.sum", 2e9}, {"dram__bytes_write.sum", 1e9}})};
  input.counters = {sass, hw};
  return input;
}

}  // namespace

TEST_CASE("a kernel is a region below the one that launched it, and the host's rows stay") {
  Profile profile = host();
  join_gpu(gh100(), profile);
  REQUIRE(profile.regions.size() == 5);
  CHECK(profile.regions[3].path == std::vector<std::string>{"solve", "step", "triad"});
  const Region& triad = profile.regions[3];
  REQUIRE(triad.kernel);
  CHECK(triad.kernel->device == uuid);
  CHECK(triad.kernel->symbol == "_Z5triadPdS_");
  CHECK(triad.kernel->block[0] == 128);
  CHECK(triad.visits == 4);
  CHECK(triad.work.wall_s->value == Approx(0.4));
  CHECK_FALSE(triad.work.wall_s->low);
  CHECK(triad.work.flop.at(Precision::f64).value == 8000000005);
  CHECK(triad.work.flop.at(Precision::f64).scope == Scope::device);
  CHECK(triad.work.flop.at(Precision::f64).collector == "cupti");
  CHECK(triad.work.bytes.at("HBM").read->value == 2000000000);
  CHECK(triad.work.tensor.empty());
  CHECK(triad.flags.empty());
  // No FLOP of the GPU is in a row of the host.
  CHECK(at(profile, {"solve", "step"}).work.flop.empty());
}

TEST_CASE("each region's share: busy, idle, copies, calls and counts of the regions inside it") {
  Profile profile = host();
  join_gpu(gh100(), profile);
  for (const std::vector<std::string>& path :
       {std::vector<std::string>{}, {"solve"}, {"solve", "step"}}) {
    const Region& region = at(profile, path);
    REQUIRE(region.gpu.size() == 1);
    const GpuShare& share = region.gpu[0];
    CHECK(share.launches == 4);
    CHECK(share.busy_s->value == Approx(0.4));
    CHECK(share.idle_s->value == Approx(0.1));
    CHECK(share.work.flop.at(Precision::f64).value == 8000000005);
    CHECK(region.gpu_calls->wait_s == Approx(0.3));
    CHECK(share.copies.size() == (path.size() < 2 ? 1 : 0));
  }
  CHECK(at(profile, {"solve"}).gpu[0].copies.at("HtoD").bytes == 1000);
  CHECK(at(profile, {"write"}).gpu.empty());
  // The thread works for 0.7 of the second: of the 0.4 at least 0.1 fall together.
  const Measure overlap = *at(profile, {}).gpu[0].overlap_s;
  CHECK(*overlap.low == Approx(0.1));
  CHECK(*overlap.high == Approx(0.4));
  CHECK(*at(profile, {"solve"}).gpu[0].overlap_s->low == 0);
}

TEST_CASE("another number of launches in a counter run: per launch, with the range of both") {
  Profile profile = host();
  join_gpu(gh100(2), profile);
  const Region& triad = at(profile, {"solve", "step", "triad"});
  const Count flop = triad.work.flop.at(Precision::f64);
  CHECK(flop.value == 8000000010);  // 2 launches counted 4e9 and 5, 4 were timed
  CHECK(*flop.low == 4000000005);
  CHECK(*flop.high == 8000000010);
  CHECK(triad.flags.count("visits_differ") == 1);
  // The other set saw all launches.
  CHECK_FALSE(triad.work.bytes.at("HBM").read->low);
}

TEST_CASE("launches that overlap count once where each is known, else the time is a range") {
  GpuInput input = gh100();
  GpuProcess& timed = input.activity[0];
  timed.busy.clear();
  add_busy(timed, {}, 0.25, 0.25);
  add_busy(timed, {"solve", "step"}, 0.25, 0.25);
  Profile range_profile = host();
  join_gpu(input, range_profile);
  const Measure unknown = *at(range_profile, {"solve", "step", "triad"}).work.wall_s;
  CHECK(unknown.value == Approx(0.25));
  CHECK(*unknown.low == Approx(0.1));
  for (const double start : {10.0, 10.05, 10.1, 10.15})
    timed.launches.push_back({0, start, start + 0.1, {}, 1, 1, 1, 0});
  Profile exact = host();
  join_gpu(input, exact);
  CHECK(at(exact, {"solve", "step", "triad"}).work.wall_s->value == Approx(0.25));
  CHECK_FALSE(at(exact, {"solve", "step", "triad"}).work.wall_s->low);
  CHECK(at(exact, {"solve", "step", "triad"}).visit_s->max == Approx(0.1));
  CHECK(united_s({{0, 1}, {2, 3}, {2.5, 2.6}, {0.5, 1.5}}) == Approx(2.5));
  CHECK(united_s({}) == 0);
}

TEST_CASE("tensor operations are a quantity of their own, and a probe without counts is said") {
  GpuInput input = gh100();
  cupti::GpuRange& hw = input.counters[1].processes[0].ranges[0];
  for (const std::string& probe : chips().chip("GH100")->probe) hw.metrics[probe] = 100;
  Profile uncounted = host();
  join_gpu(input, uncounted);
  judge(uncounted);
  const Region& without = at(uncounted, {"solve", "step", "triad"});
  CHECK(without.flags.count("tensor_uncounted") == 1);
  CHECK(without.rooflines.at(0).verdict == Verdict::undetermined);
  CHECK(without.rooflines.at(0).verdict_detail == "tensor operations not counted");
  // The share of its region knows as little.
  CHECK(inclusive_roofline(at(uncounted, {"solve"}), "gpu:" + uuid)->verdict ==
        Verdict::undetermined);

  GpuCounterRun tensor{"tensor", {process(cupti::RunKind::counters, "tensor", "GH100")}, {}};
  const cupti::MetricFormula* bf16 = chips().chip("GH100")->formula("tensor.bf16", "");
  REQUIRE(bf16 != nullptr);
  tensor.processes[0].ranges = {range("GH100", "tensor", "_Z5triadPdS_", {"solve", "step"}, 4,
                                      {{bf16->sum[0].metric, 8e12}})};
  input.counters.push_back(tensor);
  Profile counted = host();
  join_gpu(input, counted);
  judge(counted);
  const Region& with = at(counted, {"solve", "step", "triad"});
  CHECK(with.flags.count("tensor_uncounted") == 0);
  CHECK(with.work.tensor.at("bf16").value == 8000000000000);
  CHECK(with.work.flop.at(Precision::f64).value == 8000000005);
  CHECK(with.work.flop.count(Precision::bf16) == 0);
  CHECK(with.rooflines.at(0).precision == "tensor bf16");
  CHECK(*with.rooflines.at(0).achieved_flop_per_s == Approx(8e12 / 0.4));
  CHECK(at(counted, {}).gpu[0].work.tensor.at("bf16").value == 8000000000000);
}

TEST_CASE("a kernel stands under its GPU's roof, the host's regions do not") {
  Profile profile = host();
  join_gpu(gh100(), profile);
  REQUIRE(profile.machine.gpus.size() == 1);
  const Gpu& gpu = profile.machine.gpus[0];
  CHECK(gpu.chip == "GH100");
  CHECK(gpu.compute_capability == "9.0");
  judge(profile);
  const Roofline& roof = at(profile, {"solve", "step", "triad"}).rooflines.at(0);
  CHECK(roof.locus == "gpu:" + uuid);
  // 5120 bit at 2.5 GHz, twice a cycle: 3.2 TB/s. 3 GB in 0.4 s.
  CHECK(roof.levels.at("HBM").bandwidth_bytes_per_s == Approx(3.2e12));
  CHECK(roof.levels.at("HBM").achieved_bytes_per_s == Approx(7.5e9));
  CHECK(roof.side == Side::memory);
  CHECK(roof.levels.at("HBM").intensity == Approx(8000000005 / 3e9));
  const Region& solve = at(profile, {"solve"});
  REQUIRE(solve.rooflines.size() == 2);
  CHECK(solve.rooflines[0].locus == "cpu");
  CHECK(solve.rooflines[1].locus == "gpu:" + uuid);
  CHECK(inclusive_roofline(solve)->locus == "cpu");
  CHECK(inclusive_roofline(at(profile, {"solve", "step", "triad"}))->locus == "gpu:" + uuid);
}

TEST_CASE("kernels of one short name are told apart, and devices are") {
  GpuInput input = gh100();
  GpuProcess& timed = input.activity[0];
  timed.kernels.push_back(kernel("_Z5triadPfS_", {"solve", "step"}, 1, 0.01));
  timed.kernels.push_back(kernel("plain", {}, 1, 0.01));
  timed.kernels.push_back(kernel("solve", {}, 1, 0.01));
  cupti::GpuDevice second = timed.devices[0];
  second.uuid = "GPU-2";
  timed.devices.push_back(second);
  cupti::GpuKernel there = kernel("plain", {}, 1, 0.01);
  there.device = "GPU-2";
  timed.kernels.push_back(there);
  Profile profile = host();
  join_gpu(input, profile);
  at(profile, {"solve", "step", "triad(double*, double*)"});
  at(profile, {"solve", "step", "triad(float*, float*)"});
  at(profile, {"plain [GPU 0]"});
  CHECK(at(profile, {"plain [GPU 1]"}).kernel->device == "GPU-2");
  CHECK(at(profile, {"solve [kernel]"}).kernel);
  CHECK_FALSE(at(profile, {"solve"}).kernel);
}

TEST_CASE("a place that only a GPU run entered has a row, and a kernel of none is the program's") {
  GpuInput input = gh100();
  input.activity[0].kernels.push_back(kernel("lost", {"elsewhere"}, 1, 0.01));
  Profile profile = host();
  join_gpu(input, profile);
  CHECK(at(profile, {"elsewhere"}).flags.count("visits_differ") == 1);
  CHECK(at(profile, {"elsewhere", "lost"}).kernel);
}

TEST_CASE("each reason of the plug-in is said once, and a kernel without counts has it") {
  GpuInput input = gh100();
  cupti::GpuProblem problem;
  problem.call = "cuptiProfilerGetCounterAvailability";
  problem.code = 35;
  problem.name = "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES";
  problem.reason = "counters are for administrators here";
  problem.fix = "as root";
  for (GpuCounterRun& run : input.counters) {
    run.processes[0].ranges.clear();
    run.processes[0].problems = {problem, problem};
  }
  Profile profile = host();
  join_gpu(input, profile);
  std::size_t said = 0;
  for (const std::string& note : profile.notes)
    said += note.find("administrators") != std::string::npos ? 1 : 0;
  CHECK(said == 1);
  const Region& triad = at(profile, {"solve", "step", "triad"});
  REQUIRE_FALSE(triad.missing.empty());
  CHECK(triad.missing[0].quantity == "flop");
  CHECK(triad.missing[0].reason == problem.reason);
  CHECK(triad.missing[0].fix == "as root");
  judge(profile);
  CHECK(at(profile, {"solve", "step", "triad"}).rooflines[0].verdict == Verdict::undetermined);
  REQUIRE_FALSE(at(profile, {"solve"}).gpu[0].missing.empty());
}

TEST_CASE("one set that failed leaves the others' counts, with its reason for the rest") {
  GpuInput input = gh100();
  input.counters.pop_back();
  input.left_out["hw"] = Problem{"these counts take 2 passes", "", "--replay kernel"};
  Profile profile = host();
  join_gpu(input, profile);
  const Region& triad = at(profile, {"solve", "step", "triad"});
  CHECK(triad.work.flop.count(Precision::f64) == 1);
  CHECK(triad.work.bytes.count("HBM") == 0);
  bool found = false;
  for (const Missing& missing : triad.missing)
    if (missing.quantity.rfind("bytes.HBM", 0) == 0) {
      CHECK(missing.reason == "these counts take 2 passes");
      CHECK(missing.fix == "--replay kernel");
      found = true;
    }
  CHECK(found);
}

TEST_CASE("values of launches add up by what a metric is") {
  GpuMetrics sum;
  cupti::GpuRange one;
  one.launches = 1;
  one.metrics = {
      {"a.sum", 1}, {"b.max", 5}, {"c.avg", 10}, {"d.sum.peak_sustained", 7}, {"e.min", 3}};
  cupti::GpuRange three = one;
  three.launches = 3;
  three.metrics = {
      {"a.sum", 2}, {"b.max", 4}, {"c.avg", 30}, {"d.sum.peak_sustained", 7}, {"e.min", 2}};
  sum.add(one);
  sum.add(three);
  CHECK(sum.values.at("a.sum") == 3);
  CHECK(sum.values.at("b.max") == 5);
  CHECK(sum.values.at("c.avg") == 25);
  CHECK(sum.values.at("d.sum.peak_sustained") == 7);
  CHECK(sum.values.at("e.min") == 2);
  CHECK(sum.launches == 4);
  three.metrics.erase("a.sum");
  sum.add(three);
  CHECK(sum.lacking.count("a.sum") == 1);
}

TEST_CASE("a profile with GPUs survives the way to JSON and back") {
  Profile profile = host();
  join_gpu(gh100(2), profile);
  judge(profile);
  const auto back = profile_from_json(to_json(profile), "file");
  REQUIRE(back);
  REQUIRE(back->regions.size() == profile.regions.size());
  for (std::size_t i = 0; i < profile.regions.size(); ++i) {
    INFO(i);
    CHECK(back->regions[i].kernel == profile.regions[i].kernel);
    CHECK(back->regions[i].gpu == profile.regions[i].gpu);
    CHECK(back->regions[i].gpu_calls == profile.regions[i].gpu_calls);
    CHECK(back->regions[i].work == profile.regions[i].work);
    CHECK(back->regions[i].rooflines == profile.regions[i].rooflines);
  }
}

TEST_CASE("a precision that a kernel's count lacks is no zero of the region that launched it") {
  GpuInput input = gh100();
  // Nothing but f32 work, of which one metric failed.
  for (auto& [metric, value] : input.counters[0].processes[0].ranges[0].metrics) value = 0;
  input.counters[0].processes[0].ranges[0].metrics.erase(
      "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum");
  Profile profile = host();
  join_gpu(input, profile);
  judge(profile);
  for (const std::vector<std::string>& path :
       {std::vector<std::string>{"solve", "step", "triad"}, {"solve", "step"}, {"solve"}, {}}) {
    const Region& region = at(profile, path);
    const Roofline* line = inclusive_roofline(region, "gpu:" + uuid);
    REQUIRE(line);
    CHECK(line->verdict == Verdict::undetermined);
    CHECK(line->verdict_detail == "FLOPs of f32 not counted");
    CHECK_FALSE(line->fraction);
  }
  const GpuShare& share = at(profile, {"solve"}).gpu.at(0);
  CHECK(share.work.flop.at(Precision::f64).value == 0);
  CHECK(std::any_of(share.missing.begin(), share.missing.end(), [](const Missing& one) {
    return one.quantity == "flop.f32" && one.reason.find("triad") != std::string::npos;
  }));
}
