// Which table is for which processor.
#include "analysis/counters/table_match.hpp"

#include <fstream>
#include <sstream>

#include "all_tables.hpp"

using namespace roofmark;

namespace {

CpuIdentity x86(const char* vendor, unsigned family, unsigned model, unsigned stepping = 1) {
  CpuIdentity cpu;
  cpu.vendor = vendor;
  cpu.family = family;
  cpu.model = model;
  cpu.stepping = stepping;
  return cpu;
}

CpuIdentity arm(unsigned implementer, unsigned part) {
  CpuIdentity cpu;
  cpu.implementer = implementer;
  cpu.part = part;
  return cpu;
}

using Names = std::vector<std::string>;

Names names_for(const std::vector<CpuIdentity>& cpus, const PmuNames& pmus) {
  Names names;
  for (const TableMatch& match : match_tables(all_tables(), cpus, pmus))
    names.push_back(match.table->name);
  return names;
}

Names intel_tables(unsigned model, unsigned stepping = 1,
                   const PmuNames& pmus = {"cpu", "software"}) {
  return names_for({x86("GenuineIntel", 6, model, stepping)}, pmus);
}

Names amd_tables(unsigned family, unsigned model) {
  return names_for({x86("AuthenticAMD", family, model)}, {"cpu"});
}

Names from_file(const char* name, const PmuNames& pmus) {
  std::ifstream file(std::string(ROOFMARK_CPUINFO) + "/" + name + ".txt");
  std::ostringstream text;
  text << file.rdbuf();
  return names_for(read_cpuinfo(text.str()), pmus);
}

/// A processor that the rule is for.
CpuIdentity example_of(const MatchRule& rule, std::uint64_t model) {
  CpuIdentity cpu;
  cpu.vendor = rule.vendor;
  cpu.family = rule.family;
  if (!rule.models.empty()) cpu.model = model;
  if (rule.steppings) cpu.stepping = rule.steppings->first;
  cpu.implementer = rule.implementer;
  if (!rule.parts.empty()) cpu.part = rule.parts[0];
  if (!rule.pvrs.empty()) cpu.pvr = rule.pvrs[0];
  cpu.mvendorid = rule.mvendorid;
  if (!rule.marchids.empty()) cpu.marchid = rule.marchids[0];
  if (!rule.uarchs.empty()) cpu.uarch = rule.uarchs[0];
  return cpu;
}

std::string example_pmu(std::string pattern) {
  const std::size_t star = pattern.find('*');
  return star == std::string::npos ? pattern : pattern.replace(star, 1, "_pmuv3_0");
}

}  // namespace

TEST_CASE("Intel by model and stepping") {
  CHECK(intel_tables(42) == Names{"sandy_bridge"});
  CHECK(intel_tables(45) == Names{"sandy_bridge_ep"});
  CHECK(intel_tables(63) == Names{"haswell_ep"});
  CHECK(intel_tables(79) == Names{"broadwell_ep"});
  CHECK(intel_tables(158) == Names{"skylake"});
  CHECK(intel_tables(85, 4) == Names{"skylake_x"});
  CHECK(intel_tables(85, 5) == Names{"cascade_lake"});
  CHECK(intel_tables(85, 11) == Names{"cascade_lake"});
  CHECK(intel_tables(106) == Names{"ice_lake_x"});
  CHECK(intel_tables(167) == Names{"ice_lake"});
  CHECK(intel_tables(143) == Names{"sapphire_rapids"});
  CHECK(intel_tables(207) == Names{"emerald_rapids"});
  CHECK(intel_tables(173) == Names{"granite_rapids"});
  CHECK(intel_tables(175) == Names{"sierra_forest"});
  CHECK(intel_tables(87) == Names{"knights_landing"});
  CHECK(intel_tables(133) == Names{"knights_landing"});
  CHECK(intel_tables(15).empty());
  CHECK(names_for({x86("GenuineIntel", 15, 85)}, {"cpu"}).empty());
  CHECK(names_for({x86("", 6, 85, 4)}, {"cpu"}).empty());
}

TEST_CASE("AMD by family and model, on both sides of each range") {
  CHECK(amd_tables(23, 1) == Names{"zen1"});
  CHECK(amd_tables(23, 47) == Names{"zen1"});
  CHECK(amd_tables(23, 48) == Names{"zen2"});
  CHECK(amd_tables(23, 113) == Names{"zen2"});
  CHECK(amd_tables(25, 1) == Names{"zen3"});
  CHECK(amd_tables(25, 15) == Names{"zen3"});
  CHECK(amd_tables(25, 16) == Names{"zen4"});
  CHECK(amd_tables(25, 31) == Names{"zen4"});
  CHECK(amd_tables(25, 32) == Names{"zen3"});
  CHECK(amd_tables(25, 95) == Names{"zen3"});
  CHECK(amd_tables(25, 97) == Names{"zen4"});
  CHECK(amd_tables(25, 160) == Names{"zen4"});
  CHECK(amd_tables(26, 2) == Names{"zen5"});
  CHECK(amd_tables(21, 2).empty());
  CHECK(names_for({x86("HygonGenuine", 24, 1)}, {"cpu"}) == Names{"zen1"});
}

TEST_CASE("hybrids: the PMUs tell P cores from E cores") {
  CHECK(intel_tables(151, 2, {"cpu_atom", "cpu_core", "msr"}) ==
        Names{"alder_lake_e", "alder_lake_p"});
  CHECK(intel_tables(170, 2, {"cpu_atom", "cpu_core"}) == Names{"meteor_lake_e", "meteor_lake_p"});
  CHECK(intel_tables(189, 2, {"cpu_atom", "cpu_core"}) == Names{"lunar_lake_e", "lunar_lake_p"});
  CHECK(intel_tables(198, 2, {"cpu_atom", "cpu_core"}) == Names{"arrow_lake_e", "arrow_lake_p"});
  // The E cores switched off; a processor of E cores alone.
  CHECK(intel_tables(151, 2, {"cpu"}) == Names{"alder_lake_p"});
  CHECK(intel_tables(190, 0, {"cpu"}) == Names{"alder_lake_e"});
  // Without any PMU nobody can tell: both are meant.
  CHECK(intel_tables(151, 2, {"software"}) == Names{"alder_lake_e", "alder_lake_p"});
  CHECK(from_file("alder_lake", {"cpu_atom", "cpu_core"}) == Names{"alder_lake_e", "alder_lake_p"});
}

TEST_CASE("Arm, POWER and RISC-V") {
  const PmuNames pmu = {"armv8_pmuv3_0"};
  CHECK(names_for({arm(0x41, 0xd0c)}, pmu) == Names{"neoverse_n1"});
  CHECK(names_for({arm(0x41, 0xd49)}, pmu) == Names{"neoverse_n2"});
  CHECK(names_for({arm(0x41, 0xd40)}, pmu) == Names{"neoverse_v1"});
  CHECK(names_for({arm(0x41, 0xd4f)}, pmu) == Names{"neoverse_v2"});
  CHECK(names_for({arm(0x46, 0x001)}, pmu) == Names{"a64fx"});
  CHECK(names_for({arm(0x43, 0x0af)}, pmu) == Names{"thunderx2"});
  CHECK(names_for({arm(0x42, 0x516)}, pmu) == Names{"thunderx2"});
  CHECK(names_for({arm(0x48, 0xd01)}, pmu) == Names{"kunpeng_920"});
  CHECK(names_for({arm(0x42, 0xd0c)}, pmu).empty());
  CHECK(from_file("big_little", pmu) == Names{"neoverse_v1"});
  CHECK(from_file("power9", {"cpu"}) == Names{"power9"});
  CHECK(from_file("sifive_u74", {"cpu"}) == Names{"sifive_u74"});
}

TEST_CASE("a match says whether its PMU is there") {
  const auto with = match_tables(all_tables(), {arm(0x41, 0xd0c)}, {"armv8_pmuv3_0", "arm_cmn_0"});
  REQUIRE(with.size() == 1);
  CHECK(with[0].pmus == std::vector<std::string>{"armv8_pmuv3_0"});
  const auto without = match_tables(all_tables(), {arm(0x41, 0xd0c)}, {"software"});
  REQUIRE(without.size() == 1);
  CHECK(without[0].pmus.empty());
  CHECK(without[0].core_pmu == "armv8*");
}

TEST_CASE("two steppings of one processor are counted by one table") {
  // Two packages, the second of a later stepping; and a rule that does ask for the stepping.
  const std::vector<CpuIdentity> both = {x86("GenuineIntel", 6, 143, 6),
                                         x86("GenuineIntel", 6, 143, 8)};
  CHECK(names_for(both, {"cpu"}) == Names{"sapphire_rapids"});
  CHECK(names_for(both, {"software"}) == Names{"sapphire_rapids"});
  const std::vector<CpuIdentity> apart = {x86("GenuineIntel", 6, 85, 4),
                                          x86("GenuineIntel", 6, 85, 7)};
  CHECK(names_for(apart, {"cpu"}) == Names{"skylake_x", "cascade_lake"});
}

TEST_CASE("the user's table comes first") {
  std::vector<EventTable> tables = all_tables();
  EventTable own;
  own.name = "own";
  own.match.emplace_back();
  own.match[0].vendor = "GenuineIntel";
  tables.insert(tables.begin(), own);
  const auto matches = match_tables(tables, {x86("GenuineIntel", 6, 85, 4)}, {"cpu"});
  REQUIRE(matches.size() == 1);
  CHECK(matches[0].table->name == "own");
}

TEST_CASE("no two tables are for the same core") {
  for (const EventTable& table : all_tables())
    for (const MatchRule& rule : table.match) {
      std::vector<std::uint64_t> models = {0};
      for (const NumberRange& range : rule.models)
        models.insert(models.end(), {range.first, range.second});
      if (models.size() > 1) models.erase(models.begin());
      for (const std::uint64_t model : models) {
        INFO(table.name << " model " << model);
        std::vector<EventTable> backwards(all_tables().rbegin(), all_tables().rend());
        const CpuIdentity cpu = example_of(rule, model);
        const PmuNames pmus = {example_pmu(rule.core_pmu)};
        for (const auto& tables : {all_tables(), backwards}) {
          const auto found = match_tables(tables, {cpu}, pmus);
          REQUIRE(found.size() == 1);
          CHECK(found[0].table->name == table.name);
        }
      }
    }
}
