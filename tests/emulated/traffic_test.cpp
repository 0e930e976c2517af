// Bytes at L2, L3 and DRAM against closed forms, through the whole collector.
#include "catch.hpp"
#include "counted_run.hpp"

using namespace counted;

namespace {

constexpr std::uint64_t KiB = 1024;
constexpr std::uint64_t MiB = 1024 * KiB;

Run kernel(const std::string& variant, const std::string& name, std::uint64_t n, int repetitions,
           const roofmark::emulated::PassOptions& options) {
  Run r = run({program("kernels_" + variant), name, std::to_string(n), std::to_string(repetitions)},
              options);
  REQUIRE(r.wait_status == 0);
  REQUIRE(r.counts.problems.empty());
  return r;
}

double as_real(std::uint64_t n) {
  return static_cast<double>(n);
}

}  // namespace

TEST_CASE("caches of any size that a measurement may find can be simulated") {
  roofmark::Topology topology;
  for (const auto& [name, bytes] : {std::pair{"L1", 49152}, {"L2", 2097152}, {"L3", 503316480}}) {
    roofmark::CacheLevel level;
    level.name = name;
    level.bytes = static_cast<std::uint64_t>(bytes);
    level.ways = 16;
    topology.caches.push_back(level);
  }
  for (const std::uint64_t confirmed : {47153856U, 1000000U, 20000U, 1U}) {
    topology.caches[2].confirmed_bytes = confirmed;
    roofmark::emulated::PassOptions options;
    const auto geometry = roofmark::emulated::geometry_of(topology);
    REQUIRE(geometry);
    options.geometry = *geometry;
    for (const auto caches :
         {roofmark::emulated::Caches::sampled, roofmark::emulated::Caches::full}) {
      options.caches = caches;
      const Run r = run({program("kernels_scalar"), "triad", "100000"}, options);
      INFO(confirmed << " bytes");
      REQUIRE(r.counts.problems.empty());
      REQUIRE(sum(r, {"triad"}).bytes.count("DRAM") == 1);
    }
  }
}

TEST_CASE("streaming kernels of 4 x L3 move what the closed form says") {
  const std::string variant = GENERATE("scalar", "fma");
  CAPTURE(variant);
  const auto options = full(32 * KiB, 256 * KiB, 1 * MiB);
  constexpr std::uint64_t n = 4 * MiB / 8;
  const Sum triad = sum(kernel(variant, "triad", n, 2, options), {"triad"});
  REQUIRE(as_real(triad.bytes.at("DRAM").read.value) == Approx(2 * 24.0 * n).epsilon(0.02));
  REQUIRE(as_real(triad.bytes.at("DRAM").write.value) == Approx(2 * 8.0 * n).epsilon(0.02));
  REQUIRE(as_real(triad.bytes.at("L2").read.value) == Approx(2 * 24.0 * n).epsilon(0.02));
  const Sum dot = sum(kernel(variant, "dot", n, 1, options), {"dot"});
  REQUIRE(as_real(dot.bytes.at("DRAM").read.value) == Approx(16.0 * n).epsilon(0.02));
  REQUIRE(dot.bytes.at("DRAM").write.value < 64 * KiB);
}

TEST_CASE("naive dgemm of n = 512 with 1 MiB of L3 reads B once per row of A") {
  const Sum s =
      sum(kernel("scalar", "dgemm", 512, 1, full(32 * KiB, 256 * KiB, 1 * MiB)), {"dgemm"});
  const double n = 512;
  REQUIRE(as_real(s.dram()) == Approx(8 * n * n * n + 24 * n * n).epsilon(0.02));
}

TEST_CASE("write-backs belong to the region that dirtied the lines") {
  const Run r = kernel("scalar", "ownership", 4 * MiB, 10, full(32 * KiB, 512 * KiB, 8 * MiB));
  const double written = 10 * 51200 * 8.0;
  REQUIRE(as_real(sum(r, {"writer"}).bytes.at("DRAM").write.value) ==
          Approx(written).epsilon(0.02));
  REQUIRE(as_real(sum(r, {"reader"}).bytes.at("DRAM").write.value) < 0.01 * written);
  REQUIRE(as_real(sum(r, {"reader"}).bytes.at("DRAM").read.value) ==
          Approx(10 * 8.0 * 4 * MiB).epsilon(0.02));
}

TEST_CASE("lines that are still dirty at the end are written back to their owner") {
  // 400 KB fit into L2: nothing but the flush at the end writes them.
  const Run r = kernel("scalar", "last", 2 * MiB, 1, full(32 * KiB, 2 * MiB, 8 * MiB));
  REQUIRE(as_real(sum(r, {"last"}).bytes.at("DRAM").write.value) ==
          Approx(51200 * 8.0).epsilon(0.02));
}

TEST_CASE("what a region finds in the caches is what ran before it") {
  // The arrays were filled outside any region and lie in L3.
  const Sum warm =
      sum(kernel("scalar", "dot", 64 * KiB, 1, full(32 * KiB, 256 * KiB, 8 * MiB)), {"dot"});
  REQUIRE(warm.bytes.at("DRAM").read.value < 16 * KiB);
  REQUIRE(as_real(warm.bytes.at("L3").read.value) == Approx(2 * 8.0 * 64 * KiB).epsilon(0.25));
}

TEST_CASE("sampled caches are within 3 % of all accesses simulated, and labelled") {
  struct Case {
    const char* kernel;
    std::uint64_t n;
    int repetitions;
    const char* region;
  };
  // Fits in no cache, fits in L3, small between big ones.
  const Case c =
      GENERATE(Case{"triad", 1 * MiB, 1, "triad"}, Case{"triad", 64 * KiB, 5, "triad"},
               Case{"ownership", 512 * KiB, 8, "writer"}, Case{"ownership", 512 * KiB, 8, "reader"},
               Case{"dgemm", 300, 1, "dgemm"});
  CAPTURE(c.kernel, c.n);
  auto options = full(32 * KiB, 512 * KiB, 2 * MiB);
  const Run exact = kernel("scalar", c.kernel, c.n, c.repetitions, options);
  options.caches = roofmark::emulated::Caches::sampled;
  const Run sampled = kernel("scalar", c.kernel, c.n, c.repetitions, options);
  REQUIRE(exact.counts.processes.at(0).caches == "full");
  REQUIRE(sampled.counts.processes.at(0).caches == "sampled");
  REQUIRE_FALSE(sampled.counts.processes.at(0).sampling.empty());
  Sum a = sum(exact, {c.region});
  Sum b = sum(sampled, {c.region});
  REQUIRE(a.flop == b.flop);
  for (const char* level : {"L1", "L2", "L3", "DRAM"}) {
    CAPTURE(level);
    REQUIRE(as_real(b.bytes[level].read.value) ==
            Approx(as_real(a.bytes[level].read.value)).epsilon(0.03).margin(64 * 1024));
    REQUIRE(as_real(b.bytes[level].write.value) ==
            Approx(as_real(a.bytes[level].write.value)).epsilon(0.03).margin(64 * 1024));
  }
}

TEST_CASE("where the replacement policy decides there is a range") {
  // Twice through a little less than L3: true LRU and its approximations differ.
  const Sum near = sum(
      kernel("scalar", "triad", 2 * MiB * 98 / 100 / 24, 20, full(32 * KiB, 256 * KiB, 2 * MiB)),
      {"triad"});
  const auto& read = near.bytes.at("DRAM").read;
  REQUIRE(read.low <= read.value);
  REQUIRE(read.value <= read.high);
  const Sum far =
      sum(kernel("scalar", "triad", 1 * MiB, 2, full(32 * KiB, 256 * KiB, 1 * MiB)), {"triad"});
  REQUIRE(far.bytes.at("DRAM").read.low == far.bytes.at("DRAM").read.high);
}

TEST_CASE("without caches no modelled byte appears") {
  const Run r = run({program("kernels_scalar"), "dot", "1000"}, flop_only());
  const Sum s = sum(r, {"dot"});
  REQUIRE(s.bytes.count("L1") == 1);
  REQUIRE(s.bytes.count("L2") == 0);
  REQUIRE(s.bytes.count("DRAM") == 0);
  REQUIRE(r.counts.processes.at(0).geometry.empty());
}

TEST_CASE("threads have caches of their own below one L3") {
  const Run r = run({program("openmp"), "1000000", "2"}, full(32 * KiB, 256 * KiB, 1 * MiB),
                    {{"OMP_NUM_THREADS", "4"}});
  const Sum s = sum(r, {"loop"});
  REQUIRE(s.rows == 4);
  REQUIRE(as_real(s.bytes.at("DRAM").read.value) == Approx(2 * 8e6).epsilon(0.02));
  REQUIRE(as_real(s.bytes.at("DRAM").write.value) == Approx(2 * 8e6).epsilon(0.02));
}
