// FLOPs against closed forms, on code compiled for three vector sets.
#include "catch.hpp"
#include "counted_run.hpp"

using namespace counted;
using roofmark::Precision;

namespace {

Sum count(const std::string& variant, const std::string& kernel, unsigned n) {
  const Run r = run({program("kernels_" + variant), kernel, std::to_string(n)}, flop_only());
  REQUIRE(r.wait_status == 0);
  REQUIRE(r.counts.problems.empty());
  const Sum s = sum(r, {kernel});
  REQUIRE(s.visits == 1);
  return s;
}

}  // namespace

TEST_CASE("FLOPs equal the closed form whatever the vector set") {
  const std::string variant = GENERATE("scalar", "sse2", "fma");
  CAPTURE(variant);
  const auto f64 = [&](const char* kernel, unsigned n) {
    return count(variant, kernel, n).by_precision[Precision::f64];
  };
  REQUIRE(f64("triad", 100003) == 2 * 100003);
  REQUIRE(f64("dot", 100003) == 2 * 100003);
  REQUIRE(f64("dgemm", 50) == 2 * 50 * 50 * 50);
  REQUIRE(f64("stencil", 20) == 7 * 18 * 18 * 18);
  Sum x87 = count(variant, "x87", 10000);
  REQUIRE(x87.by_precision[Precision::x87] == 30000);
  REQUIRE(x87.operations.at("divide") == 10000);
  Sum roots = count(variant, "sqrt_div", 10000);
  REQUIRE(roots.by_precision[Precision::f64] == 30000);
  REQUIRE(roots.operations.at("sqrt") == 10000);
  REQUIRE(roots.operations.at("divide") == 10000);
}

TEST_CASE("an n-body in float: 20 FLOPs per pair as the source has them") {
  Sum s = count("scalar", "nbody", 64);
  REQUIRE(s.by_precision[Precision::f32] == 20 * 64 * 64);
  REQUIRE(s.by_precision.size() == 1);
  REQUIRE(count("fma", "nbody", 64).flop == 20 * 64 * 64);
}

TEST_CASE("widths and the FMA share are those of the code") {
  Sum scalar = count("scalar", "triad", 100000);
  REQUIRE(scalar.by_width[0] == 200000);
  REQUIRE(scalar.fma == 0);
  Sum sse2 = count("sse2", "triad", 100000);
  REQUIRE(sse2.by_width[128] == 200000);
  Sum fma = count("fma", "triad", 100000);
  REQUIRE(fma.by_width[256] == 200000);
  REQUIRE(fma.fma == 200000);
}

TEST_CASE("a load counts though nothing uses its value") {
  constexpr std::uint64_t lines = 4096;
  constexpr std::uint64_t of_the_marker = 16;
  const Run r = run({program("loads")}, flop_only());
  REQUIRE(r.wait_status == 0);
  const auto loads = [&](const char* region) { return sum(r, {region}).operations.at("loads"); };
  REQUIRE(loads("pairs") >= lines);
  REQUIRE(loads("pairs") < lines + of_the_marker);
  REQUIRE(loads("vectors") >= 3 * lines);
  REQUIRE(loads("vectors") < 3 * lines + of_the_marker);
  REQUIRE(sum(r, {"vectors"}).flop == 2 * lines);
  REQUIRE(loads("touch") >= lines);
  REQUIRE(loads("touch") < lines + of_the_marker);
}

TEST_CASE("bytes asked for are exact but for a few words of the call") {
  Sum s = count("scalar", "triad", 100000);
  const auto& l1 = s.bytes.at("L1");
  REQUIRE(l1.read.value >= 1600000);
  REQUIRE(l1.read.value < 1600000 + 200);
  REQUIRE(l1.write.value >= 800000);
  REQUIRE(l1.write.value < 800000 + 200);
}

TEST_CASE("the results of FMA code are those of the native run") {
  const Run native = run_native({program("blas"), "127"}, {{"OPENBLAS_NUM_THREADS", "1"}});
  const Run counted = run({program("blas"), "127"}, flop_only(), {{"OPENBLAS_NUM_THREADS", "1"}});
  REQUIRE_FALSE(native.output.empty());
  REQUIRE(counted.output == native.output);
}

TEST_CASE("a system BLAS dgemm of n = 513 is within 1 % of 2 n^3") {
  const std::string threads = GENERATE("1", "2");
  const Run r = run({program("blas"), "513"}, flop_only(), {{"OPENBLAS_NUM_THREADS", threads}});
  const double expected = 2.0 * 513 * 513 * 513;
  REQUIRE(static_cast<double>(sum(r, {"dgemm"}).flop) == Approx(expected).epsilon(0.01));
}

TEST_CASE("an OpenMP loop is exact with and without regions of the workers") {
  const std::string threads = GENERATE("1", "2", "4");
  const Environment team{{"OMP_NUM_THREADS", threads}};
  const unsigned count = static_cast<unsigned>(std::stoul(threads));
  const Run outer = run({program("openmp"), "100000", "2"}, flop_only(), team);
  const Sum loop = sum(outer, {"loop"});
  REQUIRE(loop.flop == 2 * 2 * 100000);
  REQUIRE(loop.visits == 2);
  REQUIRE(loop.rows == count);
  // The team is older than the second visit, but its work is its creator's.
  REQUIRE_FALSE(loop.has("adopted"));
  REQUIRE(sum(outer, {}).flop == 0);

  const Run inner = run({program("openmp"), "100000", "2", "inner"}, flop_only(), team);
  const Sum worker = sum(inner, {"loop", "worker"});
  REQUIRE(worker.flop == 2 * 2 * 100000);
  REQUIRE(worker.visits == 2 * count);
  REQUIRE(worker.rows == count);
  REQUIRE(sum(inner, {"loop"}).flop == 0);
}

TEST_CASE("by bytes and by intermediate code the same FLOPs are seen where VEX keeps them") {
  const Run r =
      run({program("kernels_fma"), "stencil", "12"}, flop_only(), {}, {"--cross-check=yes"});
  REQUIRE(r.counts.problems.empty());
  REQUIRE(sum(r, {"stencil"}).flop == 7000);
}
