// Programs that can't be emulated as they are: recovered, or one line that says why.
#include <sys/wait.h>

#include <csignal>
#include <filesystem>

#include "catch.hpp"
#include "counted_run.hpp"

using namespace counted;

namespace {
bool exists(const std::string& name) {
  return std::filesystem::exists(program(name));
}
}  // namespace

TEST_CASE("debug information that can't be read costs the lines and nothing else") {
  if (!exists("dwarf64")) return;
  auto options = flop_only();
  options.per_line = true;
  const Run r = run({program("dwarf64")}, options);
  REQUIRE(r.wait_status == 0);
  REQUIRE(sum(r, {"sum"}).flop == 100);
  REQUIRE_FALSE(r.diagnosis.has_value());
  REQUIRE_FALSE(r.counts.processes.at(0).notes.empty());
}

TEST_CASE("AVX-512 ends the counted run with its reason, and keeps what came before") {
  if (!exists("avx512")) return;
  const Run r = run({program("avx512")}, flop_only());
  REQUIRE(WTERMSIG(r.wait_status) == SIGILL);
  REQUIRE(r.diagnosis.has_value());
  REQUIRE(r.diagnosis->reason.find("AVX-512") != std::string::npos);
  REQUIRE(r.diagnosis->remedy.find("x86-64-v3") != std::string::npos);
  REQUIRE(sum(r, {"sum"}).flop == 100);
  REQUIRE(sum(r, {"wide"}).has("unclosed"));
}

TEST_CASE("a program that ends well is not diagnosed") {
  REQUIRE_FALSE(run({program("kernels_scalar"), "dot", "10"}, flop_only()).diagnosis.has_value());
}

TEST_CASE("a static program is counted as a whole") {
  const Run r = run({program("static")}, flop_only());
  REQUIRE(r.wait_status == 0);
  REQUIRE(sum(r, {}).flop >= 100);
  REQUIRE(sum(r, {"sum"}).rows == 0);
}

TEST_CASE("a static program with the runtime's archive has its regions") {
  const Run r = run({program("static_regions"), "triad", "100003"}, full(32768, 262144, 1 << 20));
  REQUIRE(r.wait_status == 0);
  const Sum triad = sum(r, {"triad"});
  REQUIRE(triad.visits == 1);
  REQUIRE(triad.flop == 2 * 100003);
  REQUIRE(triad.dram() > 16 * 100003);
  REQUIRE(sum(r, {}).rows >= 1);
  // And natively, without anybody who records, it does what it did before.
  REQUIRE(run_native({program("static_regions"), "triad", "100003"}).wait_status == 0);
}

TEST_CASE("a program built with -pg is counted, or its end is explained") {
  const Run r = run({program("profiled")}, flop_only());
  if (WIFEXITED(r.wait_status)) {
    REQUIRE(sum(r, {"sum"}).flop == 100);
  } else {
    REQUIRE(WTERMSIG(r.wait_status) == SIGPROF);
    REQUIRE(r.diagnosis.has_value());
    REQUIRE(r.diagnosis->remedy.find("-pg") != std::string::npos);
  }
}

TEST_CASE("an unannotated program and a script have their row for the whole") {
  const Run r = run({"/bin/sh", "-c", "/bin/true; exit 6"}, flop_only());
  REQUIRE(WEXITSTATUS(r.wait_status) == 6);
  REQUIRE(sum(r, {}).rows >= 1);
  REQUIRE(sum(r, {}).operations.at("instructions") > 1000);
  REQUIRE(sum(r, {}).flop == 0);
}
