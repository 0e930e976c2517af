// What ranks of a job did on GPUs: summed for each device, devices apart.
#include <algorithm>

#include "catch.hpp"
#include "libprofiler/analysis/merge/merge_ranks.hpp"
#include "libprofiler/analysis/profile/profile_json.hpp"
#include "roofmark/roofline.hpp"

using namespace roofmark;

namespace {

Count counted(std::uint64_t value) {
  Count made;
  made.value = value;
  made.collector = "cupti";
  made.scope = Scope::device;
  return made;
}

Gpu gpu(const std::string& uuid) {
  Gpu made;
  made.uuid = uuid;
  made.name = "Some card";
  made.ceilings = {{"flop.f64", "fma", 1e12, 0, 0, 0, Source::measured, {}},
                   {"bytes.HBM", "copy", 1e12, 0, 0, 0, Source::measured, {}}};
  return made;
}

/// "solve" launched the kernel `symbol` 4 times, in 0.4 s of 0.5 s, with 1e9 FLOPs and 2e9 bytes.
Profile rank_on(std::uint64_t rank, std::uint64_t size, const std::string& uuid,
                const std::string& symbol = "_Z5triadPdS_") {
  Profile made;
  made.program.host = "node0";
  made.program.ranks = JobRanks{size, 1, 1, rank, size, "Open MPI"};
  made.machine.identity["cpu_model"] = "a test";
  made.machine.gpus = {gpu(uuid)};
  Region solve;
  solve.path = {"solve"};
  solve.visits = solve.threads = 1;
  solve.work.wall_s = Measure{1, Source::measured, {}, {}};
  solve.self = solve.work;
  Region kernel;
  kernel.path = {"solve", "triad"};
  kernel.visits = 4;
  kernel.kernel = KernelFacts{uuid, symbol, {4, 1, 1}, {128, 1, 1}, false, 1};
  kernel.work.wall_s = Measure{0.4, Source::measured, {}, {}};
  kernel.work.flop[Precision::f64] = counted(1'000'000'000);
  kernel.work.bytes["HBM"] = {counted(1'500'000'000), counted(500'000'000)};
  kernel.self = kernel.work;
  kernel.clock_hz = Measure{1e9 * double(1 + rank), Source::measured, {}, {}};
  GpuShare share;
  share.device = uuid;
  share.launches = 4;
  share.busy_s = Measure{0.4, Source::measured, {}, {}};
  share.span_s = Measure{0.5, Source::measured, {}, {}};
  share.idle_s = Measure{0.1, Source::measured, {}, {}};
  share.overlap_s = Measure{0.2, Source::estimated, 0.1, 0.3};
  share.copies["HtoD"] = {2, 1000, 0.01};
  share.work = kernel.work;
  share.work.wall_s.reset();
  solve.gpu = {share};
  solve.gpu_calls = GpuCalls{4, 0.001, 1, 0.3};
  kernel.gpu = {share};
  kernel.gpu_calls = solve.gpu_calls;
  Region whole = solve;
  whole.path.clear();
  made.regions = {whole, solve, kernel};
  return made;
}

Profile merged(const std::vector<Profile>& ranks) {
  RankMerge merge;
  for (const Profile& rank : ranks) REQUIRE_FALSE(merge.add(rank, "f"));
  return *merge.finish();
}

const Region& at(const Profile& profile, const std::vector<std::string>& path) {
  for (const Region& one : profile.regions)
    if (one.path == path) return one;
  FAIL("no such region");
  return profile.regions[0];
}

bool is_noted(const Profile& profile, const std::string& words) {
  return std::any_of(profile.notes.begin(), profile.notes.end(), [&](const std::string& note) {
    return note.find(words) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("kernels of ranks on one device are summed, and their times are a range") {
  const Profile job = merged({rank_on(0, 2, "GPU-1"), rank_on(1, 2, "GPU-1")});
  REQUIRE(job.regions.size() == 3);
  const Region& triad = at(job, {"solve", "triad"});
  CHECK(triad.visits == 8);
  CHECK(triad.kernel->graph_launches == 2);
  CHECK_FALSE(triad.kernel->shapes_differ);
  CHECK(triad.work.flop.at(Precision::f64).value == 2'000'000'000);
  CHECK(triad.work.bytes.at("HBM").read->value == 3'000'000'000);
  CHECK(triad.work.wall_s->value == Approx(0.8));
  CHECK(*triad.work.wall_s->low == Approx(0.4));
  CHECK(*triad.work.wall_s->high == Approx(0.8));
  CHECK(triad.work.wall_s->source == Source::estimated);
  CHECK(triad.clock_hz->value == Approx(1.5e9));
  const Region& solve = at(job, {"solve"});
  REQUIRE(solve.gpu.size() == 1);
  const GpuShare& share = solve.gpu[0];
  CHECK(share.launches == 8);
  CHECK(share.work.flop.at(Precision::f64).value == 2'000'000'000);
  CHECK(share.busy_s->value == Approx(0.8));
  CHECK(*share.busy_s->low == Approx(0.4));
  CHECK(share.copies.at("HtoD") == GpuCopies{4, 2000, 0.02});
  CHECK_FALSE(share.idle_s);
  CHECK_FALSE(share.span_s);
  CHECK_FALSE(share.overlap_s);
  const auto reason = std::find_if(share.missing.begin(), share.missing.end(),
                                   [](const Missing& one) { return one.quantity == "time.idle"; });
  REQUIRE(reason != share.missing.end());
  CHECK(reason->fix.find("roofmark record -- mpirun") != std::string::npos);
  CHECK(*solve.gpu_calls == GpuCalls{8, 0.002, 2, 0.6});
  CHECK(is_noted(job, "2 ranks used Some card"));
  // No FLOP of a GPU is in a row of the host.
  CHECK(solve.work.flop.empty());
}

TEST_CASE("devices of ranks stay apart, each with its own rank's times and calls") {
  Profile job = merged({rank_on(0, 2, "GPU-1"), rank_on(1, 2, "GPU-2")});
  REQUIRE(job.machine.gpus.size() == 2);
  REQUIRE(job.regions.size() == 4);
  const Region& first = at(job, {"solve", "triad [GPU 0]"});
  const Region& second = at(job, {"solve", "triad [GPU 1]"});
  CHECK(first.kernel->device == "GPU-1");
  CHECK(second.kernel->device == "GPU-2");
  for (const Region* one : {&first, &second}) {
    CHECK(one->visits == 4);
    CHECK(one->work.flop.at(Precision::f64).value == 1'000'000'000);
    CHECK(one->work.wall_s->value == Approx(0.4));
    CHECK_FALSE(one->work.wall_s->low);
    CHECK(one->gpu.at(0).idle_s->value == Approx(0.1));
    CHECK(one->gpu[0].calls->launches == 4);
  }
  const Region& solve = at(job, {"solve"});
  REQUIRE(solve.gpu.size() == 2);
  CHECK(*solve.gpu[0].overlap_s->low == Approx(0.1));
  CHECK(solve.gpu[1].span_s->value == Approx(0.5));
  CHECK(solve.gpu_calls->launches == 8);
  CHECK_FALSE(is_noted(job, "GPU: "));
  judge(job);
  const Region& judged = at(job, {"solve"});
  CHECK(inclusive_roofline(judged, "gpu:GPU-1") != nullptr);
  CHECK(*inclusive_roofline(judged, "gpu:GPU-2")->achieved_flop_per_s == Approx(2.5e9));
  const auto back = profile_from_json(to_json(job), "job");
  REQUIRE(back);
  CHECK(at(*back, {"solve"}).gpu == at(job, {"solve"}).gpu);
  CHECK(at(*back, {"solve", "triad [GPU 1]"}).gpu == at(job, {"solve", "triad [GPU 1]"}).gpu);
}

TEST_CASE("calls of other ranks make no device wait for launches") {
  // A device that idles for 60 % of its span, while its own rank launches for none of it.
  std::vector<Profile> ranks;
  for (std::uint64_t rank = 0; rank < 2; ++rank) {
    Profile one = rank_on(rank, 2, "GPU-" + std::to_string(rank));
    for (Region& region : one.regions) {
      region.gpu[0].busy_s->value = 0.4;
      region.gpu[0].span_s = Measure{1, Source::measured, {}, {}};
      region.gpu[0].idle_s = Measure{0.6, Source::measured, {}, {}};
      region.gpu_calls->launch_s = rank == 0 ? 0.55 : 0.001;
    }
    ranks.push_back(one);
  }
  Profile job = merged(ranks);
  judge(job);
  const Region& solve = at(job, {"solve"});
  CHECK(inclusive_roofline(solve, "gpu:GPU-0")->verdict == Verdict::launch);
  CHECK(inclusive_roofline(solve, "gpu:GPU-1")->verdict != Verdict::launch);
}

TEST_CASE("what one rank did not count of a kernel is lacked by the sum on that device alone") {
  Profile lacking = rank_on(1, 3, "GPU-1");
  lacking.regions[2].work.flop.clear();
  lacking.regions[2].missing = {{"flop", "counters are for administrators", "as root"}};
  lacking.regions[1].gpu[0].work.flop.clear();
  lacking.regions[1].gpu[0].missing = {{"flop", "its kernel was not counted", "see the kernel"}};
  const Profile job = merged({rank_on(0, 3, "GPU-1"), lacking, rank_on(2, 3, "GPU-2")});
  const Region& shared = at(job, {"solve", "triad [GPU 0]"});
  CHECK(shared.work.flop.empty());
  CHECK(shared.work.bytes.at("HBM").write->value == 1'000'000'000);
  CHECK(shared.missing.at(0).reason == "counters are for administrators");
  CHECK(at(job, {"solve"}).gpu[0].work.flop.empty());
  CHECK(at(job, {"solve"}).gpu[0].missing.at(0).quantity == "flop");
  CHECK(at(job, {"solve", "triad [GPU 1]"}).work.flop.size() == 1);
}

TEST_CASE("tensor operations that a counted rank had none of are none, those of another unknown") {
  Profile with = rank_on(0, 2, "GPU-1"), without = rank_on(1, 2, "GPU-1");
  with.regions[2].work.tensor["bf16"] = counted(70);
  with.regions[1].gpu[0].work.tensor["bf16"] = counted(70);
  const Profile known = merged({with, without});
  CHECK(at(known, {"solve", "triad"}).work.tensor.at("bf16").value == 70);
  CHECK(at(known, {"solve"}).gpu[0].work.tensor.at("bf16").value == 70);
  without.regions[2].flags.insert("tensor_uncounted");
  without.regions[1].gpu[0].missing = {{"tensor", "not counted", "count them"}};
  const Profile unknown = merged({with, without});
  CHECK(at(unknown, {"solve", "triad"}).work.tensor.empty());
  CHECK(at(unknown, {"solve", "triad"}).flags.count("tensor_uncounted") == 1);
  CHECK(at(unknown, {"solve"}).gpu[0].work.tensor.empty());
}

TEST_CASE("kernels of ranks that one name stands for are told apart by their types") {
  const Profile job = merged({rank_on(0, 2, "GPU-1"), rank_on(1, 2, "GPU-1", "_Z5triadPfS_")});
  CHECK(at(job, {"solve", "triad(double*, double*)"}).visits == 4);
  CHECK(at(job, {"solve", "triad(float*, float*)"}).visits == 4);
}

TEST_CASE("GPUs keep their roofs where the nodes are not alike") {
  Profile other = rank_on(1, 2, "GPU-2");
  other.program.host = "node1";
  other.machine.topology.cores = 64;
  Profile job = merged({rank_on(0, 2, "GPU-1"), other});
  REQUIRE(job.machine.gpus.size() == 2);
  judge(job);
  CHECK(at(job, {"solve", "triad [GPU 1]"}).rooflines.at(0).roof_flop_per_s);
}

TEST_CASE("what is kept of devices does not grow with the job, and what is left out is said") {
  RankMerge merge;
  for (std::uint64_t rank = 0; rank < 200; ++rank)
    REQUIRE_FALSE(merge.add(rank_on(rank, 200, "GPU-" + std::to_string(rank)), "f"));
  const Profile job = *merge.finish();
  CHECK(job.machine.gpus.size() == GpuRanks::most_devices);
  CHECK(at(job, {"solve"}).gpu.size() == GpuRanks::most_devices);
  CHECK(job.regions.size() == 2 + GpuRanks::most_devices);
  CHECK(is_noted(job, "136 more than the first 64 GPUs were used"));
}

TEST_CASE(
    "what the one rank with kernels did on a device keeps its times where others only copied") {
  const auto copying = [](std::uint64_t rank) {
    Profile made = rank_on(rank, 3, "GPU-1");
    made.regions.pop_back();  // its kernel
    for (Region& region : made.regions) {
      GpuShare& share = region.gpu.at(0);
      share = GpuShare{};
      share.device = "GPU-1";
      share.copies["DtoH"] = {1, 500, 0.02};
      region.gpu_calls.reset();
    }
    return made;
  };
  // Whichever of them comes first.
  for (std::uint64_t computing = 0; computing < 3; ++computing) {
    INFO(computing);
    std::vector<Profile> ranks;
    for (std::uint64_t rank = 0; rank < 3; ++rank)
      ranks.push_back(rank == computing ? rank_on(rank, 3, "GPU-1") : copying(rank));
    const Profile job = merged(ranks);
    for (const std::vector<std::string>& path :
         {std::vector<std::string>{}, std::vector<std::string>{"solve"}}) {
      const Region& region = at(job, path);
      REQUIRE(region.gpu.size() == 1);
      const GpuShare& share = region.gpu[0];
      CHECK(share.launches == 4);
      CHECK(*share.busy_s == Measure{0.4, Source::measured, {}, {}});
      CHECK(*share.span_s == Measure{0.5, Source::measured, {}, {}});
      CHECK(*share.idle_s == Measure{0.1, Source::measured, {}, {}});
      CHECK(*share.overlap_s == Measure{0.2, Source::estimated, 0.1, 0.3});
      CHECK(share.copies.at("HtoD") == GpuCopies{2, 1000, 0.01});
      CHECK(share.copies.at("DtoH") == GpuCopies{2, 1000, 0.04});
      CHECK(share.missing.empty());
    }
    const GpuShare& of_kernel = at(job, {"solve", "triad"}).gpu.at(0);
    CHECK(*of_kernel.span_s == Measure{0.5, Source::measured, {}, {}});
    CHECK(*of_kernel.idle_s == Measure{0.1, Source::measured, {}, {}});
  }
  // Nobody's, where nobody launched a kernel.
  const Profile none = merged({copying(0), copying(1), copying(2)});
  const GpuShare& share = at(none, {"solve"}).gpu.at(0);
  CHECK_FALSE(share.span_s);
  CHECK_FALSE(share.idle_s);
  CHECK(share.missing.empty());
}
