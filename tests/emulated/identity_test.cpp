// The emulated processor says who the host is, and announces no more than it can execute.
#include <algorithm>

#include "catch.hpp"
#include "counted_run.hpp"

using namespace counted;

namespace {

std::string line_with(const std::string& text, const std::string& word) {
  const auto at = text.find(word);
  if (at == std::string::npos) return "";
  const auto start = text.rfind('\n', at);
  return text.substr(start == std::string::npos ? 0 : start + 1, text.find('\n', at) - start);
}

}  // namespace

TEST_CASE("identity and caches are the host's, vector sets are the emulator's") {
  const Run native = run_native({program("cpuid")});
  const Run counted = run({program("cpuid")}, flop_only());
  REQUIRE_FALSE(native.output.empty());
  REQUIRE(line_with(counted.output, "identity") == line_with(native.output, "identity"));
  REQUIRE(line_with(counted.output, "cache ") == line_with(native.output, "cache "));
  REQUIRE(line_with(counted.output, "avx512f").find("avx512f 0") != std::string::npos);
  const auto& process = counted.counts.processes.at(0);
  REQUIRE(process.cpu_identity_of_host);
  REQUIRE(process.isa_queried_by == std::vector<std::string>{"cpuid"});
  const bool wider = line_with(native.output, "avx512f").find("avx512f 1") != std::string::npos;
  REQUIRE(process.isa_differs() == wider);
}

TEST_CASE("glibc takes non-temporal stores from the same size on") {
  const std::string loader = "/lib64/ld-linux-x86-64.so.2";
  const Run native = run_native({loader, "--list-tunables"});
  const std::string threshold = line_with(native.output, "x86_non_temporal_threshold");
  if (threshold.empty()) {
    WARN("this loader lists no tunables");
    return;
  }
  const Run counted = run({loader, "--list-tunables"}, flop_only());
  // The value alone: the range that a tunable may take hangs on the widest vectors.
  const auto value = [](const std::string& line) { return line.substr(0, line.find('(')); };
  REQUIRE(value(line_with(counted.output, "rep_movsb_threshold")) ==
          value(line_with(native.output, "rep_movsb_threshold")));
  REQUIRE(line_with(counted.output, "x86_non_temporal_threshold") == threshold);
}

TEST_CASE("only a region that computes in dispatching code is flagged") {
  const Run own = run({program("kernels_fma"), "triad", "1000"}, flop_only());
  REQUIRE_FALSE(sum(own, {"triad"}).has("isa_differs"));
  const Run blas = run({program("blas"), "64"}, flop_only());
  const auto& process = blas.counts.processes.at(0);
  const auto asks = [](const std::string& name) { return name.find("blas") != std::string::npos; };
  const auto& objects = process.isa_queried_by;
  const bool dispatches = std::any_of(objects.begin(), objects.end(), asks);
  REQUIRE(sum(blas, {"dgemm"}).has("isa_differs") ==
          (dispatches && process.isa_host != process.isa_emulated));
}
