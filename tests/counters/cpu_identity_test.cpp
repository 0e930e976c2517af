// /proc/cpuinfo of each architecture, from texts in its form.
#include "analysis/counters/cpu_identity.hpp"

#include <fstream>
#include <sstream>

#include "catch.hpp"

using namespace roofmark;

namespace {

std::vector<CpuIdentity> cpu_kinds_in(const std::string& name) {
  std::ifstream file(std::string(ROOFMARK_CPUINFO) + "/" + name + ".txt");
  REQUIRE(file);
  std::ostringstream text;
  text << file.rdbuf();
  return read_cpuinfo(text.str());
}

CpuIdentity the_only(const std::string& name) {
  const auto kinds = cpu_kinds_in(name);
  REQUIRE(kinds.size() == 1);
  return kinds[0];
}

}  // namespace

TEST_CASE("x86: vendor, family, model, stepping") {
  const CpuIdentity cpu = the_only("skylake_x");
  CHECK(to_text(cpu) == "GenuineIntel family 6 model 85 stepping 4");
  CHECK(cpu.title == "Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz");
  CHECK(cpu.processors == 4);
  CHECK_FALSE(cpu.hypervisor);
  CHECK(the_only("zen1_guest").hypervisor);
  CHECK(to_text(the_only("zen4")) == "AuthenticAMD family 25 model 97 stepping 2");
}

TEST_CASE("x86 hybrids look like one kind: the PMUs tell them apart") {
  CHECK(the_only("alder_lake").processors == 6);
}

TEST_CASE("Arm: implementer and part, several kinds of cores") {
  CHECK(to_text(the_only("neoverse_n1")) == "implementer 0x41 part 0xd0c");
  const auto kinds = cpu_kinds_in("big_little");
  REQUIRE(kinds.size() == 2);
  CHECK(kinds[0].part == 0xd03U);
  CHECK(kinds[0].processors == 4);
  CHECK(kinds[1].part == 0xd40U);
  CHECK(kinds[1].processors == 2);
}

TEST_CASE("POWER: the version register") {
  const CpuIdentity cpu = the_only("power9");
  CHECK(cpu.pvr == 0x4eU);
  CHECK(cpu.title == "POWER9 (raw), altivec supported");
  CHECK(cpu.processors == 2);
}

TEST_CASE("RISC-V: vendor and architecture registers, microarchitecture") {
  const CpuIdentity cpu = the_only("sifive_u74");
  CHECK(cpu.mvendorid == 0x489U);
  CHECK(cpu.marchid == 0x8000000000000007U);
  CHECK(cpu.uarch == "sifive,u74-mc");
  CHECK(cpu.processors == 4);
}

TEST_CASE("what names no processor gives none") {
  CHECK(read_cpuinfo("").empty());
  CHECK(read_cpuinfo("\n\n:\n: :\nprocessor\t: 0\n\n").empty());
  CHECK(read_cpuinfo(std::string("\0\xff: \0", 5)).empty());
  const auto odd =
      read_cpuinfo("processor: 0\nvendor_id: X\nmodel: eight\ncpu family: 0x\nstepping:");
  REQUIRE(odd.size() == 1);
  CHECK_FALSE(odd[0].model);
  CHECK_FALSE(odd[0].family);
  CHECK_FALSE(odd[0].stepping);
}
