// perf stat's rows in every form, and what the event tables make of them.
#include "analysis/import/event_name.hpp"
#include "analysis/import/perf_profile.hpp"
#include "catch.hpp"

using namespace roofmark;
using namespace roofmark::import;

namespace {

std::vector<PerfRow> rows_of(const std::string& text) {
  const auto rows = read_perf_stat(text, "file");
  REQUIRE(rows);
  return *rows;
}

/// The tables of this source tree for an Intel Skylake-SP.
KnownEvents skylake_of_perf() {
  CpuIdentity cpu;
  cpu.vendor = "GenuineIntel";
  cpu.family = 6;
  cpu.model = 85;
  cpu.stepping = 4;
  KnownEvents known(load_event_tables({ROOFMARK_EVENT_TABLES}), {cpu});
  REQUIRE(known.title() == "skylake_x");
  return known;
}

KnownEvents alder_lake() {
  CpuIdentity cpu;
  cpu.vendor = "GenuineIntel";
  cpu.family = 6;
  cpu.model = 151;
  cpu.stepping = 2;
  KnownEvents known(load_event_tables({ROOFMARK_EVENT_TABLES}), {cpu});
  REQUIRE(known.title() == "alder_lake_e and alder_lake_p");
  return known;
}

Profile perf_imported(const std::string& text, bool alone = false) {
  return profile_of(rows_of(text), "file", skylake_of_perf(), Machine{}, alone);
}

const Missing* missing(const Region& region, const std::string& quantity) {
  for (const Missing& one : region.missing)
    if (one.quantity == quantity) return &one;
  return nullptr;
}

const std::string doubles =
    "1000000000,ns,duration_time,1000000000,100.00,,\n"
    "1500.00,msec,task-clock,1500000000,100.00,1.500,CPUs utilized\n"
    "7,,r01c7:u,1500000000,100.00,,\n"
    "10,,cpu/event=0xc7,umask=0x4/u,1500000000,100.00,,\n"
    "100,,fp_arith_inst_retired.256b_packed_double:u,1500000000,100.00,,\n"
    "1000,,cpu/config=0x40c7/u,1500000000,100.00,,\n";

}  // namespace

TEST_CASE("an event's name: what is before and behind it") {
  struct Row {
    const char* printed;
    const char* pmu;
    const char* core;
    bool kernel;
  };
  for (const Row& row :
       {Row{"cycles", "", "cycles", false}, Row{"r01c7:u", "", "r01c7", false},
        Row{"cycles:k", "", "cycles", true}, Row{"cycles:ku", "", "cycles", false},
        Row{"cpu/event=0xc7,umask=0x1/u", "cpu", "event=0xc7,umask=0x1", false},
        Row{"cpu_core/cycles/", "cpu_core", "cycles", false},
        Row{"L2_LINES_IN:ALL", "", "L2_LINES_IN:ALL", false},
        Row{"uncore_imc_0/cas_count_read/", "uncore_imc_0", "cas_count_read", false},
        Row{"broken/name", "broken", "name", false}, Row{"", "", "", false}}) {
    INFO(row.printed);
    const EventName name = event_name(row.printed);
    CHECK(name.pmu == row.pmu);
    CHECK(name.core == row.core);
    CHECK(name.kernel_alone == row.kernel);
  }
  CHECK(terms_of("event=0xc7,umask=0x01,cmask=0") == terms_of("umask=1,event=199"));
  CHECK(terms_of("event=x").empty());
  CHECK(is_pmu("uncore_imc_[0-9]*", "uncore_imc_3"));
  CHECK(is_pmu("uncore_imc_[0-9]*", "uncore_imc"));
  CHECK_FALSE(is_pmu("uncore_imc_[0-9]*", "uncore_cha_3"));
}

TEST_CASE("FLOPs by names, raw codes and terms; time by perf's own clocks") {
  const Profile profile =
      perf_imported("program says 3, 4\n# started on Mon\n\n" + doubles + "bye\n");
  REQUIRE(profile.regions.size() == 1);
  const Region& whole = profile.regions[0];
  CHECK(whole.path.empty());
  CHECK(whole.work.flop.at(Precision::f64).value == 7 + 20 + 400 + 8000);
  CHECK(whole.work.flop.at(Precision::f64).source == Source::measured);
  CHECK(whole.work.flop.at(Precision::f64).scope == Scope::process);
  CHECK(whole.work.wall_s->value == Approx(1));
  CHECK(whole.work.thread_s->value == Approx(1.5));
  CHECK(whole.cores_used->value == Approx(1.5));
  REQUIRE(missing(whole, "flop.f32") != nullptr);
  CHECK(missing(whole, "flop.f32")->fix.find("cpu/event=0xc7,umask=0x02/") != std::string::npos);
  CHECK(missing(whole, "flop.f64") == nullptr);
}

TEST_CASE("the same rows as JSON, and with a locale's decimal commas") {
  const std::string json =
      "{\"counter-value\" : \"1000000000.000000\", \"unit\" : \"ns\", \"event\" : "
      "\"duration_time\", "
      "\"event-runtime\" : 1, \"pcnt-running\" : 100.00, \"metric-value\" : 0, \"metric-unit\" : "
      "\"\"}\n"
      "noise {\n"
      "{\"counter-value\" : \"<not supported>\", \"unit\" : \"\", \"event\" : \"r02c7\", "
      "\"event-runtime\" : 0, \"pcnt-running\" : 100.00}\n"
      "{\"counter-value\" : \"7.000000\", \"unit\" : \"\", \"event\" : \"r01c7\", "
      "\"event-runtime\" : 5, "
      "\"pcnt-running\" : 25.00}\n"
      "{\"metric-value\" : \"0.5\", \"metric-unit\" : \"insn per cycle\"}\n";
  const auto rows = rows_of(json);
  REQUIRE(rows.size() == 3);
  CHECK(rows[1].absent == "not supported");
  CHECK(rows[2].running == Approx(0.25));
  CHECK(perf_imported(json).regions[0].work.wall_s->value == Approx(1));

  const auto german = rows_of(
      "0,77;msec;task-clock;767791;100,00;0,192;CPUs utilized\n"
      "5;;r01c7;767791;33,33;;\n");
  REQUIRE(german.size() == 2);
  CHECK(*german[0].value == Approx(0.77));
  CHECK(*german[0].metric == Approx(0.192));
  CHECK(german[1].running == Approx(0.3333));
  const auto ambiguous =
      read_perf_stat("0,77,msec,task-clock,767791,100,00,0,192,CPUs utilized\n", "file");
  REQUIRE_FALSE(ambiguous);
  CHECK(ambiguous.error().remedy.find("LC_ALL=C") != std::string::npos);
}

TEST_CASE(
    "without duration_time the wall time follows from the cores utilised, within its digits") {
  const auto rows = rows_of("767.79,msec,task-clock,767791,100.00,0.192,CPUs utilized\n");
  const Profile profile = profile_of(rows, "file", skylake_of_perf(), Machine{}, false);
  const Measure wall = *profile.regions[0].work.wall_s;
  CHECK(wall.value == Approx(0.76779 / 0.192));
  CHECK(*wall.low == Approx(0.76779 / 0.1925));
  CHECK(*wall.high == Approx(0.76779 / 0.1915));
  const Profile none = profile_of(rows_of("5,,r01c7,767791,100.00,,\n"), "file", skylake_of_perf(),
                                  Machine{}, false);
  CHECK_FALSE(none.regions[0].work.wall_s);
  REQUIRE(missing(none.regions[0], "time.wall") != nullptr);
  CHECK(missing(none.regions[0], "time.wall")->fix.find("duration_time") != std::string::npos);
}

TEST_CASE("an event that was not counted makes its quantities absent, not smaller") {
  std::string text = doubles;
  text.replace(text.find("100,,fp"), 3, "<not counted>");
  const Region whole = perf_imported(text).regions[0];
  CHECK(whole.work.flop.empty());
  REQUIRE(missing(whole, "flop.f64") != nullptr);
  CHECK(missing(whole, "flop.f64")->reason.find("not counted") != std::string::npos);
  // One processor of two.
  const Region part =
      perf_imported("CPU0,5,,r01c7,9,100.00,,\nCPU1,<not counted>,,r01c7,0,100.00,,\n").regions[0];
  CHECK(missing(part, "flop.f64")->reason.find("1 of 2") != std::string::npos);
}

TEST_CASE("what ran in part is scaled by perf, and says so") {
  std::string text = doubles;
  text.replace(text.find("1500000000,100.00,,\n1000"), 17, "750000000,50.00");
  const Count flop = perf_imported(text).regions[0].work.flop.at(Precision::f64);
  CHECK(flop.value == 8427);
  CHECK(flop.source == Source::estimated);
  CHECK(flop.caveats.front().find("50 %") != std::string::npos);
}

TEST_CASE("processors and sockets are added up, as counts of all that ran on them") {
  const Profile cpus = perf_imported(
      "CPU0,500.00,msec,task-clock,5,100.00,0.5,CPUs "
      "utilized\nCPU1,500.00,msec,task-clock,5,100.00,0.5,CPUs utilized\n"
      "CPU0,1000000000,ns,duration_time,5,100.00,,\nCPU1,1000000000,ns,duration_time,5,100.00,,\n"
      "CPU0,1,,r01c7,5,100.00,,\nCPU1,2,,r01c7,5,100.00,,\n"
      "CPU0,0,,r04c7,5,100.00,,\nCPU1,0,,r04c7,5,100.00,,\n"
      "CPU0,0,,r10c7,5,100.00,,\nCPU1,0,,r10c7,5,100.00,,\n"
      "CPU0,0,,r40c7,5,100.00,,\nCPU1,0,,r40c7,5,100.00,,\n");
  const Region& whole = cpus.regions[0];
  CHECK(whole.work.flop.at(Precision::f64).value == 3);
  CHECK(whole.work.flop.at(Precision::f64).scope == Scope::socket);
  CHECK(whole.work.wall_s->value == Approx(1));
  CHECK_FALSE(whole.work.thread_s);

  const std::string memory =
      "S0,2,1024.00,MiB,uncore_imc_0/cas_count_read/,5,100.00,,\nS0,2,1024.00,MiB,uncore_imc_1/"
      "cas_count_read/,5,100.00,,\n"
      "S0,2,512.00,MiB,uncore_imc_0/cas_count_write/,5,100.00,,\n";
  const Profile sockets = perf_imported(memory, true);
  const Traffic traffic = sockets.regions[0].work.bytes.at("DRAM");
  CHECK(static_cast<double>(traffic.read->value) == Approx(2048.0 * 1048576));
  CHECK(static_cast<double>(traffic.write->value) == Approx(512.0 * 1048576));
  CHECK(traffic.read->scope == Scope::socket);
  CHECK(sockets.regions[0].flags.count("owns_socket") == 1);
  CHECK(perf_imported(memory).regions[0].flags.count("owns_socket") == 0);
}

TEST_CASE("intervals add up; the mean of several runs says so") {
  const Profile intervals = perf_imported(
      "     0.100150041,10,,r01c7,5,100.00,,\n     0.200410697,5,,r01c7,5,100.00,,\n"
      "     0.200410697,1,,context-switches,5,100.00,,\n");
  CHECK(intervals.regions[0].work.wall_s->value == Approx(0.200410697));
  CHECK(intervals.regions[0].work.events.at("context-switches").value == 1);
  const auto runs = rows_of("49,,page-faults,0.68%,630019,100.00,67.068,K/sec\n");
  REQUIRE(runs[0].variance);
  CHECK(*runs[0].variance == Approx(0.0068));
  CHECK(runs[0].event == "page-faults");
}

TEST_CASE("on hybrids every kind of core has to have counted") {
  const std::string p =
      "3,,cpu_core/event=0xc7,umask=0x01/,5,100.00,,\n0,,cpu_core/event=0xc7,umask=0x04/"
      ",5,100.00,,\n"
      "0,,cpu_core/event=0xc7,umask=0x10/,5,100.00,,\n0,,cpu_core/event=0xc7,umask=0x40/"
      ",5,100.00,,\n";
  const Profile profile = profile_of(rows_of(p), "file", alder_lake(), Machine{}, false);
  CHECK(profile.regions[0].work.flop.empty());
  // Whose cycles these are nobody says.
  const Profile cycles =
      profile_of(rows_of("3,,cycles,5,100.00,,\n"), "file", alder_lake(), Machine{}, false);
  CHECK(cycles.regions[0].work.operations.empty());
  CHECK(cycles.regions[0].work.events.count("cycles") == 1);
  const Profile both =
      profile_of(rows_of("3,,cpu_core/cycles/,5,100.00,,\n4,,cpu_atom/cycles/,5,100.00,,\n"),
                 "file", alder_lake(), Machine{}, false);
  CHECK(both.regions[0].work.operations.at("cycles").value == 7);
}

TEST_CASE("two names of one event are one count, and the kernel's alone is none of the program's") {
  const Profile profile =
      perf_imported("5,,cycles:u,5,100.00,,\n5,,cpu-cycles,5,100.00,,\n9,,cycles:k,5,100.00,,\n");
  CHECK(profile.regions[0].work.operations.at("cycles").value == 5);
  CHECK(profile.regions[0].work.events.at("cycles:k").value == 9);
}

TEST_CASE("what is no output of perf stat for machines is one line") {
  for (const std::string& text :
       {std::string(), std::string("1,2,3\n"),
        std::string("\n Performance counter stats for 'true':\n\n 0.77 msec task-clock\n"),
        std::string("PERFILE2\0\1", 10),
        std::string("{\"counter-value\" : \"1,0\", \"pcnt-running\" : 100,00}\n"),
        std::string(1000, ','), std::string("{\"counter-value\" : \"1\", \"event\"")}) {
    INFO(text.substr(0, 60));
    const auto rows = read_perf_stat(text, "file");
    REQUIRE_FALSE(rows);
    CHECK_FALSE(rows.error().remedy.empty());
  }
}

TEST_CASE("clocks without a unit are milliseconds, as old versions print them") {
  const Profile profile =
      perf_imported("77.123456,,task-clock,77123456,100.00,0.990,CPUs utilized\n");
  CHECK(profile.regions.at(0).work.wall_s->value == Approx(0.0779).epsilon(0.01));
}
