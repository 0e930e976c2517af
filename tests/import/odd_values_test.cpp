// Values of which a reader could make a wrong number: refused, told, or read for what they are.
#include "analysis/import/known_events.hpp"
#include "analysis/import/likwid_profile.hpp"
#include "analysis/import/nsight_profile.hpp"
#include "analysis/import/perf_profile.hpp"
#include "catch.hpp"

using namespace roofmark;
using namespace roofmark::import;

namespace {

const std::string ncu_head =
    "\"ID\",\"Process ID\",\"Kernel Name\",\"Device\",\"CC\",\"gpu__time_duration.sum\","
    "\"dram__bytes.sum\"";

std::string ncu_row(int id, const std::string& time, const std::string& bytes) {
  return "\"" + std::to_string(id) + "\",\"7\",\"k\",\"0\",\"9.0\",\"" + time + "\",\"" + bytes +
         "\"\n";
}

std::string ncu_units(const std::string& time, const std::string& bytes) {
  return "\"\",\"\",\"\",\"\",\"\",\"" + time + "\",\"" + bytes + "\"\n";
}

Region kernel_read(const std::string& text) {
  const auto launches = read_nsight(text, "table.csv");
  REQUIRE(launches);
  return profile_of(*launches, "table.csv")->regions.at(0);
}

std::string refused(const std::string& text) {
  const auto launches = read_nsight(text, "table.csv");
  return launches ? "" : to_line(launches.error());
}

std::string why(const Region& region, const std::string& quantity) {
  for (const Missing& missing : region.missing)
    if (missing.quantity == quantity) return missing.reason;
  return "";
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Region program_read(const std::string& text) {
  const auto rows = read_perf_stat(text, "table.csv");
  REQUIRE(rows);
  return profile_of(*rows, "table.csv", KnownEvents({}, {}), Machine{}, false).regions.at(0);
}

Region region_read(const std::string& metrics, const std::string& time = "2.0") {
  const auto tables = read_likwid(
      "TABLE,Region r,Group 1 Metric,MEM_DP,3,,\nMetric,HWThread 0,HWThread 1,\n"
      "Runtime (RDTSC) [s]," +
          time + "," + time + ",\n" + metrics,
      "table.csv");
  REQUIRE(tables);
  return profile_of(*tables, "table.csv", KnownEvents({}, {}), Machine{}, false)->regions.at(0);
}

}  // namespace

TEST_CASE("ncu: units of old and new versions, and no time without one") {
  struct Row {
    const char *time, *unit;
  };
  for (const Row& row : {Row{"1", "ms"}, Row{"1", "msecond"}, Row{"1,000", "us"},
                         Row{"1000", "usecond"}, Row{"1000000", "ns"}, Row{"1000000", "nsecond"},
                         Row{"0.001", "s"}, Row{"0.001", "second"}}) {
    INFO(row.time << row.unit);
    CHECK(kernel_read(ncu_head + "\n" + ncu_units(row.unit, "byte") + ncu_row(0, row.time, "8"))
              .work.wall_s->value == Approx(1e-3));
  }
  for (const Row& row :
       {Row{"1000", ""}, Row{"1000", "byte"}, Row{"0", "ns"}, Row{"1", "min"}, Row{"1", "inst"}}) {
    INFO(row.time << row.unit);
    const Region k =
        kernel_read(ncu_head + "\n" + ncu_units(row.unit, "byte") + ncu_row(0, row.time, "8"));
    CHECK_FALSE(k.work.wall_s);
    CHECK(holds(why(k, "time.wall"), "table.csv, line 3: "));
    CHECK(holds(why(k, "time.wall"), "`" + std::string(row.time) + "`"));
  }
  for (const Row& row : {Row{"1.5", "Gbyte"}, Row{"1,500", "Mbyte"}, Row{"1500000", "Kbyte"},
                         Row{"1,500,000,000", "byte"}, Row{"1.5e9", "byte"}}) {
    INFO(row.time << row.unit);
    CHECK(kernel_read(ncu_head + "\n" + ncu_units("ns", row.unit) + ncu_row(0, "5", row.time))
              .work.bytes.at("HBM")
              .total->value == 1500000000);
  }
}

TEST_CASE("ncu: a number beyond all counts is none, and no largest one") {
  for (const char* huge : {"99999999999999999999999", "1e300", "1e18"}) {
    const Region k = kernel_read(ncu_head + "\n" + ncu_units("ns", "byte") + ncu_row(0, "5", huge));
    CHECK(k.work.bytes.empty());
    CHECK(holds(why(k, "bytes.HBM"), huge));
  }
}

TEST_CASE("ncu: what stands twice and differs is none; what is rounded twice is one") {
  const std::string head = ncu_head + ",\"dram__bytes.sum\"\n",
                    units = "\"\",\"\",\"\",\"\",\"\",\"ns\",\"byte\",\"Gbyte\"\n";
  const auto row = [](const char* one, const char* two) {
    return std::string("\"0\",\"7\",\"k\",\"0\",\"9.0\",\"5\",\"") + one + "\",\"" + two + "\"\n";
  };
  CHECK(
      kernel_read(head + units + row("1,503,000,000", "1.50")).work.bytes.at("HBM").total->value ==
      1503000000);
  CHECK(kernel_read(head + units + row("n/a", "1.50")).work.bytes.at("HBM").total->value ==
        1500000000);
  const Region k = kernel_read(head + units + row("1,503,000,000", "9.50"));
  CHECK(k.work.bytes.empty());
  CHECK(holds(why(k, "bytes.HBM"), "`1,503,000,000` and `9.50 Gbyte`"));
}

TEST_CASE("ncu: tables behind one another have the same columns, and no launch twice") {
  const std::string first = ncu_head + "\n" + ncu_units("ns", "byte") + ncu_row(0, "5", "8");
  // With units of their own.
  const Region both =
      kernel_read(first + ncu_head + "\n" + ncu_units("us", "Kbyte") + ncu_row(1, "5", "8"));
  CHECK(both.visits == 2);
  CHECK(both.work.bytes.at("HBM").total->value == 8008);
  CHECK(both.work.wall_s->value == Approx(5.005e-6));
  std::string swapped = ncu_head;
  swapped.replace(swapped.find("gpu__time"), 9, "lts__time");
  CHECK(holds(refused(first + swapped + "\n" + ncu_row(1, "5", "8")), "line 4: a second table"));
  CHECK(holds(refused(first + first), "line 6: a launch stands there for the second time"));
}

TEST_CASE("perf: what is no count is told, and an event that was asked for twice is one") {
  const std::string time = "1000000000,ns,duration_time,1,100.00,,\n";
  for (const char* value : {"n/a", "four", "1.2.3", "-4", "1e300", "99999999999999999999"}) {
    INFO(value);
    const auto rows = read_perf_stat(time + value + ",,r01c7:u,1,100.00,,\n", "table.csv");
    REQUIRE(rows);
    REQUIRE(rows->size() == 2);
    CHECK_FALSE(rows->back().value);
    CHECK(holds(rows->back().absent, "`" + std::string(value) + "`"));
    CHECK(rows->back().event == "r01c7:u");
  }
  CHECK(read_perf_stat(time + "a program, says, hello\n", "table.csv")->size() == 1);
  const auto count = [&](const std::string& rows) {
    return program_read(time + rows).work.events.begin()->second.value;
  };
  CHECK(count("4,,heard_of,1,100.00,,\n4,,heard_of,1,100.00,,\n") == 4);
  // Parts: of processors, of intervals, and of PMUs that perf calls alike.
  CHECK(count("CPU0,4,,heard_of,1,100.00,,\nCPU1,4,,heard_of,1,100.00,,\n") == 8);
  CHECK(count("1.000,4,,heard_of,1,100.00,,\n2.000,4,,heard_of,1,100.00,,\n") == 8);
  CHECK(count("4,,unc_m_cas_count.rd,1,100.00,,\n4,,unc_m_cas_count.rd,1,100.00,,\n") == 8);
  const auto wide = read_perf_stat(std::string("\xff\xfe", 2) + "1\0,\0", "table.csv");
  REQUIRE_FALSE(wide);
  CHECK(holds(wide.error().reason, "UTF-16"));
}

TEST_CASE("LIKWID: a metric that can't be used is told as that") {
  CHECK(region_read("DP [MFLOP/s],1000,1000,\n").work.flop.at(Precision::f64).value == 4000000000);
  for (const char* value : {"n/a", "nan", "-1000", "1e30"}) {
    INFO(value);
    const Region r = region_read("DP [MFLOP/s]," + std::string(value) + ",1000,\n");
    CHECK(r.work.flop.empty());
    CHECK(holds(why(r, "flop.f64"), "DP [MFLOP/s] of group MEM_DP"));
    const Region bytes = region_read("Memory data volume [GBytes]," + std::string(value) + ",0,\n");
    CHECK(bytes.work.bytes.empty());
    CHECK(holds(why(bytes, "bytes.DRAM"), "Memory data volume [GBytes] of group MEM_DP"));
  }
  // A rate over no time is no work.
  const Region r = region_read("DP [MFLOP/s],1000,1000,\n", "0");
  CHECK(r.work.flop.empty());
  const auto commas = read_likwid(
      "TABLE,Region r,Group 1 Metric,MEM_DP,3,,\nMetric,HWThread 0,,\n"
      "Memory data volume [GBytes],8,5,\n",
      "table.csv");
  REQUIRE_FALSE(commas);
  CHECK(holds(commas.error().reason, "decimal commas"));
}

TEST_CASE("LIKWID: an event is on several counters, and on each of them once") {
  const std::string head =
      "TABLE,Region r,Group 1 Raw,MEM,2,\nEvent,Counter,HWThread 0,\nUNHEARD_OF,MBOX0C0,5,\n";
  const auto both = read_likwid(head + "UNHEARD_OF,MBOX1C0,6,\n", "table.csv");
  REQUIRE(both);
  const auto profile = profile_of(*both, "table.csv", KnownEvents({}, {}), Machine{}, false);
  CHECK(profile->regions.at(0).work.events.at("UNHEARD_OF").value == 11);
  CHECK(profile->regions[0].work.events.at("UNHEARD_OF").scope == Scope::socket);
  const auto twice = read_likwid(head + head, "table.csv");
  REQUIRE_FALSE(twice);
  CHECK(holds(to_line(twice.error()), "line 6: an event stands there for the second time"));
}
