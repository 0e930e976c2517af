// likwid-perfctr's tables against counts that are known.
#include "analysis/import/likwid_profile.hpp"
#include "catch.hpp"

using namespace roofmark;
using namespace roofmark::import;

namespace {

KnownEvents skylake() {
  CpuIdentity cpu;
  cpu.vendor = "GenuineIntel";
  cpu.family = 6;
  cpu.model = 85;
  cpu.stepping = 4;
  return {load_event_tables({ROOFMARK_EVENT_TABLES}), {cpu}};
}

const std::string info =
    "STRUCT,Info,3,,\nCPU name:,Some CPU,,,\nCPU type:,Intel Skylake SP processor,,,\nCPU "
    "clock:,2.4 GHz,,,\n";

/// One group of a region on two hardware threads.
std::string group(const std::string& region, unsigned number, const std::string& name, double t0,
                  double t1, const std::string& events, const std::string& metrics) {
  const std::string where =
      (region.empty() ? "" : "Region " + region + ",") + "Group " + std::to_string(number);
  std::string text = info + "TABLE," + where + " Raw," + name + ",9,,\n";
  const std::string times = std::to_string(t0) + "," + std::to_string(t1);
  if (!region.empty())
    text += "Region Info,HWThread 0,HWThread 1,,\nRDTSC Runtime [s]," + times +
            ",,\ncall count,10,10,,\n";
  text += "Event,Counter,HWThread 0,HWThread 1,\n" + events;
  text += "TABLE," + where + " Raw STAT," + name +
          ",9,,\nEvent,Counter,Sum,Min,Max,Avg\nX STAT,PMC0,1,1,1,1\n";
  text += "TABLE," + where + " Metric," + name +
          ",9,,\nMetric,HWThread 0,HWThread 1,,\nRuntime (RDTSC) [s]," + times + ",,\n" + metrics;
  return text + "TABLE," + where + " Metric STAT," + name +
         ",9,,\nMetric,Sum,Min,Max,Avg\nDP [MFLOP/s] STAT,9,9,9,9\n";
}

const std::string flop_events =
    "FP_ARITH_INST_RETIRED_128B_PACKED_DOUBLE,PMC0,1,2,\nFP_ARITH_INST_RETIRED_SCALAR_DOUBLE,PMC1,"
    "0,10,\n"
    "FP_ARITH_INST_RETIRED_256B_PACKED_DOUBLE,PMC2,250000000,250000000,\nFP_ARITH_INST_RETIRED_"
    "512B_PACKED_DOUBLE,PMC3,0,0,\n";
const std::string memory_metrics =
    "Memory read data volume [GBytes],8.0000,0,,\nMemory write data volume "
    "[GBytes],4.0000,0,,\nMemory data volume [GBytes],12.0000,0,,\n";

Profile imported(const std::string& text, bool alone = false,
                 const KnownEvents& known = skylake()) {
  const auto tables = read_likwid(text, "file");
  REQUIRE(tables);
  const auto profile = profile_of(*tables, "file", known, Machine{}, alone);
  REQUIRE(profile);
  return *profile;
}

bool misses(const Region& region, const std::string& quantity) {
  for (const Missing& missing : region.missing)
    if (missing.quantity == quantity) return !missing.fix.empty();
  return false;
}

}  // namespace

TEST_CASE("a marked region: events by the tables, bytes by the metrics") {
  const Profile profile = imported(
      "-----\nhello, program\n" + group("triad", 1, "MEM_DP", 1, 0.5, flop_events, memory_metrics));
  REQUIRE(profile.regions.size() == 1);
  const Region& triad = profile.regions[0];
  CHECK(triad.path == std::vector<std::string>{"triad"});
  CHECK(triad.visits == 10);
  CHECK(triad.threads == 2);
  CHECK(triad.work.wall_s->value == Approx(1));
  CHECK(triad.work.thread_s->value == Approx(1.5));
  CHECK(*triad.imbalance == Approx(4.0 / 3));
  CHECK(triad.work.flop.at(Precision::f64).value == 2000000016);
  CHECK(triad.work.flop.at(Precision::f64).caveats.size() == 2);  // of the table
  CHECK(triad.work.bytes.at("DRAM").read->value == 8000000000);
  CHECK(triad.work.bytes.at("DRAM").write->value == 4000000000);
  CHECK(triad.work.bytes.at("DRAM").total->scope == Scope::socket);
  CHECK(misses(triad, "flop.f32"));
  CHECK(misses(triad, "bytes.L2"));
  CHECK_FALSE(misses(triad, "bytes.DRAM"));
}

TEST_CASE("a program without markers has one region; rates are held against the time") {
  // No table knows the events: the metric has to do.
  const Profile profile = imported(
      group("", 1, "FLOPS_DP", 2, 2, "UNHEARD_OF,PMC0,1,1,\n", "DP [MFLOP/s],1000.5,500,,\n"));
  const Region& whole = profile.regions[0];
  CHECK(whole.path.empty());
  CHECK(whole.visits == 1);
  CHECK(whole.work.wall_s->value == Approx(2));
  CHECK(whole.work.flop.at(Precision::f64).value == 3001000000);
  CHECK(whole.work.flop.at(Precision::f64).caveats.front().find("metric") != std::string::npos);
  CHECK(whole.work.events.at("UNHEARD_OF").value == 2);
}

TEST_CASE("what LIKWID calls double precision on processors that can't tell is any precision") {
  std::string text = group("", 1, "FLOPS_DP", 1, 1, "", "DP [MFLOP/s],1000,0,,\n");
  for (std::size_t at; (at = text.find("Intel Skylake SP")) != std::string::npos;)
    text.replace(at, 16, "AMD K19 (Zen3)");
  const Region whole = imported(text).regions[0];
  CHECK(whole.work.flop.count(Precision::f64) == 0);
  CHECK(whole.work.flop.at(Precision::any).value == 1000000000);
}

TEST_CASE("groups that counted one after the other are scaled to all of the time") {
  const Profile profile = imported(
      group("", 1, "FLOPS_DP", 1, 1, "", "DP [MFLOP/s],1000,0,,\n") +
      group("", 2, "L2", 3, 3, "",
            "L2D load data volume [GBytes],3,0,,\nL2D evict data volume [GBytes],3,0,,\n"));
  REQUIRE(profile.regions.size() == 1);
  const Region& whole = profile.regions[0];
  CHECK(whole.work.wall_s->value == Approx(4));
  CHECK(whole.work.flop.at(Precision::f64).value == 4000000000);
  CHECK(whole.work.flop.at(Precision::f64).source == Source::estimated);
  CHECK(whole.work.bytes.at("L2").read->value == 4000000000);
}

TEST_CASE("a value that is none makes no count") {
  const Profile profile = imported(group("", 1, "FLOPS_DP", 1, 1, "", "DP [MFLOP/s],nan,5,,\n"));
  CHECK(profile.regions[0].work.flop.empty());
  CHECK(misses(profile.regions[0], "flop.f64"));
  // A thread that never was in the region has no rate.
  const Profile away = imported(group("r", 1, "FLOPS_DP", 1, 0, "", "DP [MFLOP/s],5,nan,,\n"));
  CHECK(away.regions[0].work.flop.at(Precision::f64).value == 5000000);
  CHECK(away.regions[0].threads == 1);
}

TEST_CASE("the socket's bytes are the program's where the user says that it was alone") {
  const std::string text = group("triad", 1, "MEM_DP", 1, 1, flop_events, memory_metrics);
  CHECK(imported(text, true).regions[0].flags.count("owns_socket") == 1);
  CHECK(imported(text, false).regions[0].flags.count("owns_socket") == 0);
}

TEST_CASE("several regions, a comma in a name, columns of old versions") {
  std::string text = group("a,b", 1, "FLOPS_DP", 1, 1, flop_events, "") +
                     group("c", 1, "FLOPS_DP", 2, 2, flop_events, "");
  for (std::size_t at; (at = text.find("HWThread")) != std::string::npos;)
    text.replace(at, 8, "Core");
  const Profile profile = imported(text);
  REQUIRE(profile.regions.size() == 2);
  CHECK(profile.regions[0].path.front() == "a,b");
  CHECK(profile.regions[1].work.wall_s->value == Approx(2));
}

TEST_CASE("a table that is cut short, of a GPU, or none at all is one line") {
  const std::string whole = group("", 1, "FLOPS_DP", 1, 1, flop_events, "");
  const auto cut = read_likwid(whole.substr(0, whole.find("PMC2,2500") + 8) + "\n", "file");
  REQUIRE_FALSE(cut);
  CHECK(cut.error().reason.find("cut short") != std::string::npos);
  for (const char* text : {"", "a,b\n", "TABLE,x,y\n"}) CHECK_FALSE(read_likwid(text, "file"));
  const auto gpu =
      read_likwid("TABLE,Group 1 Raw,FLOPS_DP,9,,\nEvent,Counter,GPU 0,,\nX,GPU0,5,,\n", "file");
  REQUIRE(gpu);
  CHECK_FALSE(profile_of(*gpu, "file", skylake(), Machine{}, false));
}
