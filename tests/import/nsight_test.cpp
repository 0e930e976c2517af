// Nsight Compute's tables against closed forms: a kernel whose FLOPs, bytes and roof are known.
#include "analysis/import/nsight_profile.hpp"
#include "analysis/import/nsight_value.hpp"
#include "catch.hpp"

using namespace roofmark;
using namespace roofmark::import;

namespace {

constexpr const char* identity =
    "\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\","
    "\"Block Size\",\"Grid Size\",\"Device\",\"CC\"";

std::string launch(int id, const std::string& kernel, const std::string& device = "0") {
  return "\"" + std::to_string(id) + "\",\"7\",\"app\",\"host\",\"" + kernel +
         "\",\"1\",\"7\",\"(256, 1, 1)\",\"(65,536, 1, 1)\",\"" + device + "\",\"9.0\"";
}

/// A long table of one launch.
std::string long_table(const std::vector<std::pair<std::string, std::string>>& metrics) {
  std::string text = "==PROF== Connected\nprogram says hello, \"world\"\n" + std::string(identity) +
                     ",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";
  for (const auto& [name, value] : metrics) {
    const std::size_t blank = value.find(' ');
    const std::string unit = blank == std::string::npos ? "" : value.substr(blank + 1);
    text += launch(0, "k") + ",\"raw\",\"" + name + "\",\"" + unit + "\",\"" +
            value.substr(0, blank) + "\"\n";
  }
  return text + "==PROF== Disconnected\n";
}

Profile kernels_imported(const std::string& text) {
  const auto launches = read_nsight(text, "file");
  REQUIRE(launches);
  const auto profile = profile_of(*launches, "file");
  REQUIRE(profile);
  return *profile;
}

bool kernel_misses(const Region& region, const std::string& quantity) {
  for (const Missing& missing : region.missing)
    if (missing.quantity == quantity) return !missing.fix.empty();
  return false;
}

const std::vector<std::pair<std::string, std::string>> f64_kernel{
    {"gpu__time_duration.sum", "1,000.00 us"},
    {"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", "1,000,000 inst"},
    {"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", "2,000,000 inst"},
    {"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", "500,000,000 inst"},
    {"dram__bytes_read.sum", "1.50 Gbyte"},
    {"dram__bytes_write.sum", "500.00 Mbyte"},
    {"dram__bytes.sum.peak_sustained", "1.00 Kbyte/cycle"},
    {"dram__cycles_elapsed.avg.per_second", "3.00 Ghz"},
    {"sm__sass_thread_inst_executed_op_dfma_pred_on.sum.peak_sustained", "1,000 inst/cycle"},
    {"sm__cycles_elapsed.avg.per_second", "1.50 Ghz"}};

}  // namespace

TEST_CASE("values in every unit that versions have written") {
  struct Row {
    const char* text;
    const char* unit;
    double value;
  };
  for (const Row& row : {Row{"134,221,568", "byte", 134221568}, Row{"292.93", "us", 292.93e-6},
                         Row{"1.28", "Kbyte/cycle", 1280}, Row{"2.62", "Ghz", 2.62e9},
                         Row{"2,780.50", "Gbyte/s", 2780.5e9}, Row{"1.2", "cycle/nsecond", 1.2e9},
                         Row{"3", "nsecond", 3e-9}, Row{"5", "msecond", 5e-3}, Row{"7", "hz", 7},
                         Row{"3.10", "Tbyte", 3.1e12}, Row{"22.30", "%", 0.223},
                         Row{"4", "sector", 128}, Row{"1e3", "", 1000}}) {
    INFO(row.text << " " << row.unit);
    REQUIRE(metric_value(row.text, row.unit));
    CHECK(*metric_value(row.text, row.unit) == Approx(row.value));
  }
  for (const char* text : {"", "n/a", "no data", "nan", "inf", "-1", "1,23", "1,2345", ",123",
                           "1.2.3", "12,345,6", "(!) 5", "0x10"})
    CHECK_FALSE(metric_value(text, "byte"));
  CHECK_FALSE(metric_value("1", "furlong"));
  CHECK_FALSE(metric_value("1", "byte/furlong"));
}

TEST_CASE("FLOPs, bytes, time and roof of a long table") {
  const Profile profile = kernels_imported(long_table(f64_kernel));
  REQUIRE(profile.regions.size() == 1);
  const Region& k = profile.regions[0];
  CHECK(k.path == std::vector<std::string>{"k"});
  CHECK(k.work.wall_s->value == Approx(1e-3));
  CHECK(k.work.flop.at(Precision::f64).value == 1003000000);
  CHECK(k.work.flop.at(Precision::f64).source == Source::counted);
  CHECK(k.work.flop.at(Precision::f64).scope == Scope::device);
  CHECK(k.work.bytes.at("HBM").read->value == 1500000000);
  CHECK(k.work.bytes.at("HBM").write->value == 500000000);
  // 3 TB/s and 3 TFLOP/s: 2 GB take 2/3 ms, 1.003 GFLOP a third.
  const Roofline& roof = k.rooflines.at(0);
  CHECK(roof.locus == "gpu:0");
  CHECK(roof.binding == "HBM");
  CHECK(*roof.fraction == Approx(2.0 / 3).epsilon(0.001));
  CHECK(roof.side == Side::memory);
  CHECK(kernel_misses(k, "flop.f32"));
  CHECK(kernel_misses(k, "bytes.L2"));
}

TEST_CASE(
    "the wide form: counts in a cycle and weighted columns as Nsight's own roofline has them") {
  const std::string table =
      std::string(identity) +
      ",\"derived__smsp__sass_thread_inst_executed_op_dfma_pred_on_x2\",\"dram__bytes.sum.per_"
      "second\","
      "\"gpu__time_duration.sum\",\"smsp__cycles_elapsed.avg.per_second\","
      "\"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum.per_cycle_elapsed\","
      "\"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum.per_cycle_elapsed\"\n"
      "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"Tbyte/s\",\"ms\",\"Ghz\","
      "\"inst/cycle\",\"inst/cycle\"\n" +
      launch(0, "k") + ",\"1,000\",\"2\",\"2\",\"1\",\"10\",\"5\"\n" + launch(1, "k") +
      ",\"1,000\",\"2\",\"4\",\"1\",\"10\",\"5\"\n" + launch(2, "other") +
      ",\"n/a\",\"2\",\"1\",\"1\",\"10\",\"5\"\n";
  const Profile profile = kernels_imported(table);
  REQUIRE(profile.regions.size() == 2);
  const Region& k = profile.regions[0];
  CHECK(k.visits == 2);
  CHECK(k.work.wall_s->value == Approx(6e-3));
  CHECK(k.visit_s->min == Approx(2e-3));
  CHECK(k.visit_s->max == Approx(4e-3));
  // 1015 FLOPs in each of 6 million cycles; 2 TB/s for 6 ms.
  CHECK(k.work.flop.at(Precision::f64).value == 6090000000);
  CHECK(k.work.bytes.at("HBM").total->value == 12000000000);
  CHECK(profile.regions[1].work.flop.empty());
  CHECK(kernel_misses(profile.regions[1], "flop"));
}

TEST_CASE(
    "a table is placed against the GPU of a machine that is given, where it has one like it") {
  Machine machine;
  Gpu other;
  other.uuid = "GPU-0";
  other.compute_capability = "8.0";
  Gpu gpu;
  gpu.uuid = "GPU-1";
  gpu.name = "Some card";
  gpu.compute_capability = "9.0";
  gpu.sm_clock_hz = 3e9;
  gpu.ceilings = {{"flop.f64", "fma", 8e12, 0, 0, 0, Source::measured, {}},
                  {"bytes.HBM", "copy", 4e12, 0, 0, 0, Source::measured, {}}};
  machine.gpus = {other, gpu};
  const auto launches = read_nsight(long_table(f64_kernel), "file");
  REQUIRE(launches);
  NsightOptions options;
  options.machine = machine;
  const auto profile = profile_of(*launches, "file", options);
  REQUIRE(profile);
  CHECK(profile->machine.identity.at("cpu_model") == "Some card");
  REQUIRE(profile->machine.gpus.size() == 1);
  CHECK(profile->machine.gpus[0].uuid == "0");
  CHECK(profile->machine.gpus[0].ceilings == gpu.ceilings);
  const Region& kernel = profile->regions.at(0);
  CHECK(kernel.clock_hz->value == Approx(1.5e9));
  // 2 GB in 1 ms against 4 TB/s; the ridge is that of the machine.
  const Roofline& roof = kernel.rooflines.at(0);
  CHECK(roof.levels.at("HBM").bandwidth_bytes_per_s == Approx(4e12));
  CHECK(*roof.fraction == Approx(0.5));
  machine.gpus = {other};
  options.machine = machine;
  const auto refused = profile_of(*launches, "file", options);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().reason.find("no GPU like the table's") != std::string::npos);
  CHECK(refused.error().remedy.find("8.0") != std::string::npos);
}

TEST_CASE("a metric that one launch lacks is missing for the kernel, not zero") {
  const std::string table = std::string(identity) +
                            ",\"dram__bytes.sum\",\"gpu__time_duration.sum\"\n" + launch(0, "k") +
                            ",\"100\",\"1\"\n" + launch(1, "k") + ",\"n/a\",\"1\"\n";
  const Profile profile = kernels_imported(table);
  CHECK(profile.regions[0].work.bytes.count("HBM") == 0);
  CHECK(kernel_misses(profile.regions[0], "bytes.HBM"));
}

TEST_CASE("a kernel on tensor units has no FLOPs rather than the few beside them") {
  auto metrics = f64_kernel;
  metrics.emplace_back("sm__inst_executed_pipe_tensor.sum", "0 inst");
  CHECK_FALSE(kernels_imported(long_table(metrics)).regions[0].work.flop.empty());
  CHECK_FALSE(kernel_misses(kernels_imported(long_table(metrics)).regions[0], "tensor"));
  CHECK(kernel_misses(kernels_imported(long_table(f64_kernel)).regions[0], "tensor"));
  metrics.back().second = "1,000 inst";
  const Profile profile = kernels_imported(long_table(metrics));
  CHECK(profile.regions[0].work.flop.empty());
  CHECK(kernel_misses(profile.regions[0], "flop"));
  CHECK(profile.regions[0].work.bytes.count("HBM") == 1);
}

TEST_CASE("what a tensor unit could do at most is no work of it") {
  auto metrics = f64_kernel;
  metrics.emplace_back("sm__ops_path_tensor_src_fp16.sum.peak_sustained", "540,672 /cycle");
  metrics.emplace_back("sm__inst_executed_pipe_tensor.sum", "0 inst");
  CHECK_FALSE(kernels_imported(long_table(metrics)).regions[0].work.flop.empty());
}

TEST_CASE("each chip's own names and formulas, and a note where a chip is not known") {
  const auto table_of = [](const std::string& capability, const std::string& columns,
                           const std::string& values) {
    std::string row = launch(0, "k");
    row.replace(row.rfind("\"9.0\""), 5, "\"" + capability + "\"");
    return std::string(identity) + columns + "\n" + row + values + "\n";
  };
  const Profile rtx = kernels_imported(table_of(
      "12.0",
      ",\"dram__bytes_op_read.sum\",\"dram__bytes_op_write.sum\",\"gpu__time_duration.sum\"",
      ",\"100\",\"50\",\"1\""));
  CHECK(rtx.regions[0].work.bytes.at("HBM").read->value == 100);
  CHECK(rtx.regions[0].work.bytes.at("HBM").write->value == 50);

  std::string columns = ",\"gpu__time_duration.sum\"", values = ",\"1\"";
  for (const char* op : {"fadd", "fmul", "ffma", "fadd2", "fmul2", "ffma2"}) {
    columns += ",\"smsp__sass_thread_inst_executed_op_" + std::string(op) + "_pred_on.sum\"";
    values += ",\"1,000\"";
  }
  const auto f32 = [&](const std::string& capability) {
    return kernels_imported(table_of(capability, columns, values))
        .regions[0]
        .work.flop.at(Precision::f32)
        .value;
  };
  CHECK(f32("9.0") == 4000);
  CHECK(f32("10.0") == 12000);

  const auto notes_of = [&](const std::string& capability) {
    std::string all;
    for (const std::string& note : kernels_imported(table_of(capability, columns, values)).notes)
      all += note;
    return all;
  };
  CHECK(notes_of("9.0").find("read as those of") == std::string::npos);
  CHECK(notes_of("99.0").find("99.0 is not known") != std::string::npos);
  CHECK(notes_of("").find("no compute capability") != std::string::npos);
}

TEST_CASE("processes share numbers of launches, devices do not share a roof") {
  auto table = long_table(f64_kernel);
  std::string second = table.substr(table.find("\"0\",\"7\""));
  for (std::size_t at = 0; (at = second.find("\"0\",\"7\"", at)) != std::string::npos; ++at)
    second.replace(at, 7, "\"0\",\"8\"");
  CHECK(kernels_imported(table + second).regions[0].visits == 2);

  const std::string two = std::string(identity) + ",\"gpu__time_duration.sum\"\n" + launch(0, "k") +
                          ",\"1\"\n" + launch(1, "k", "1") + ",\"1\"\n";
  const auto launches = read_nsight(two, "file");
  REQUIRE(launches);
  const auto refused = profile_of(*launches, "file");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().reason.find("0, 1") != std::string::npos);
  CHECK(profile_of(*launches, "file", {"1"})->regions[0].visits == 1);
  CHECK_FALSE(profile_of(*launches, "file", {"2"}));
}

TEST_CASE("what is no table, or is cut short, has one reason and a remedy") {
  for (const std::string& text : {std::string(), std::string("hello"), std::string("ID,x\n1,2\n"),
                                  std::string(identity) + ",\"x__y\"\n",
                                  std::string(identity) + ",\"x__y\"\n\"0\",\"7\",\"app\"\n",
                                  std::string(100000, '"'), std::string(100000, ',')}) {
    const auto refused = read_nsight(text, "file");
    REQUIRE_FALSE(refused);
    CHECK_FALSE(refused.error().reason.empty());
    CHECK_FALSE(refused.error().remedy.empty());
    CHECK(refused.error().where.find("file") == 0);
  }
}
