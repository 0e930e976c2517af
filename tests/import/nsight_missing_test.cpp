// What a table of Nsight Compute lacks, or has no usable value of, is absent: never zero, and never
// the sum of the launches that have it.
#include "analysis/import/nsight_profile.hpp"
#include "analysis/report/region_row.hpp"
#include "catch.hpp"

using namespace roofmark;
using namespace roofmark::import;

namespace {

using Columns = std::vector<std::pair<std::string, std::string>>;

/// A kernel without FLOPs of which every precision and every interface is known.
const Columns all_zero{{"gpu__time_duration.sum", "1000000"},
                       {"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", "0"},
                       {"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", "0"},
                       {"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", "0"},
                       {"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "0"},
                       {"smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", "0"},
                       {"smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "0"},
                       {"smsp__sass_thread_inst_executed_op_hadd_pred_on.sum", "0"},
                       {"smsp__sass_thread_inst_executed_op_hmul_pred_on.sum", "0"},
                       {"smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", "0"},
                       {"sm__inst_executed_pipe_tensor.sum", "0"},
                       {"dram__bytes_read.sum", "500000000"},
                       {"dram__bytes_write.sum", "500000000"},
                       {"lts__lts2xbar_cycles_active.sum", "1000000"},
                       {"l1tex__lsu_writeback_active_mem_lgds.sum", "1000000"},
                       {"dram__bytes.sum.peak_sustained", "1000"},
                       {"dram__cycles_elapsed.avg.per_second", "2000000000"},
                       {"sm__cycles_elapsed.avg.per_second", "1500000000"}};

std::string unit_of(const std::string& metric) {
  if (metric == "gpu__time_duration.sum") return "nsecond";
  if (metric.ends_with(".per_second")) return "hz";
  if (metric.ends_with(".peak_sustained")) return "byte/cycle";
  return metric.starts_with("dram__") ? "byte" : "";
}

constexpr const char* names =
    "\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\"";

/// `change` of the cells of the second of two launches of "k"; without it both are alike.
template <class Change>
std::string wide(const Columns& columns, Change change, const std::string& capability = "9.0") {
  std::string head = names, units = "\"\",\"\",\"\",\"\",\"\",\"\",\"\"", rows;
  for (const auto& [metric, value] : columns) {
    head += ",\"" + metric + "\"";
    units += ",\"" + unit_of(metric) + "\"";
  }
  for (int launch = 0; launch < 2; ++launch) {
    rows += "\"" + std::to_string(launch) +
            "\",\"7\",\"k\",\"(256, 1, 1)\",\"(65,536, 2, 1)\",\"0\",\"" + capability + "\"";
    for (const auto& [metric, value] : columns)
      rows += ",\"" + (launch == 1 ? change(metric, value) : value) + "\"";
    rows += "\n";
  }
  return head + "\n" + units + "\n" + rows;
}

template <class Change>
std::string tall(const Columns& columns, Change change) {
  std::string text = std::string(names) + ",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n";
  for (int launch = 0; launch < 2; ++launch)
    for (const auto& [metric, value] : columns)
      text += "\"" + std::to_string(launch) +
              "\",\"7\",\"k\",\"(256, 1, 1)\",\"(1, 1, 1)\",\"0\",\"9.0\",\"" + metric + "\",\"" +
              unit_of(metric) + "\",\"" + (launch == 1 ? change(metric, value) : value) + "\"\n";
  return text;
}

constexpr auto same = [](const std::string&, const std::string& value) { return value; };

Columns without(const std::string& part) {
  Columns left;
  for (const auto& column : all_zero)
    if (column.first.find(part) == std::string::npos) left.push_back(column);
  return left;
}

Region kernel_in(const std::string& text) {
  const auto launches = read_nsight(text, "table.csv");
  REQUIRE(launches);
  const auto profile = profile_of(*launches, "table.csv");
  REQUIRE(profile);
  REQUIRE(profile->regions.size() == 1);
  return profile->regions.front();
}

const Missing* lack_of(const Region& region, const std::string& quantity) {
  for (const Missing& missing : region.missing)
    if (missing.quantity == quantity) return &missing;
  return nullptr;
}

void check_unknown_flop(const Region& k, const std::string& quantity) {
  INFO(quantity);
  const Missing* lack = lack_of(k, quantity);
  REQUIRE(lack);
  CHECK(lack->fix.find("ncu ") == 0);
  CHECK(k.rooflines.at(0).verdict == Verdict::undetermined);
  CHECK_FALSE(k.rooflines[0].fraction);
  CHECK_FALSE(k.rooflines[0].achieved_flop_per_s);
  const auto rates = report::rates_of(k.work, k.missing);
  CHECK_FALSE(rates.front().flop);
  CHECK_FALSE(rates.front().flop_per_s);
  CHECK(rates.front().flop.reason == lack->reason);
  CHECK(rates.front().flop.fix == lack->fix);
}

/// Of each: what of a metric's name to take away, and what then is missing.
const std::vector<std::pair<std::string, std::string>> flop_parts{
    {"op_dadd", "flop.f64"},  {"op_dmul", "flop.f64"}, {"op_dfma", "flop.f64"},
    {"op_fadd", "flop.f32"},  {"op_fmul", "flop.f32"}, {"op_ffma", "flop.f32"},
    {"op_hadd", "flop.f16"},  {"op_hmul", "flop.f16"}, {"op_hfma", "flop.f16"},
    {"pipe_tensor", "tensor"}};
const std::vector<std::pair<std::string, std::string>> byte_parts{{"dram__bytes_read", "HBM"},
                                                                  {"dram__bytes_write", "HBM"},
                                                                  {"lts__lts2xbar", "L2"},
                                                                  {"l1tex__lsu", "L1"}};

}  // namespace

TEST_CASE("a kernel whose every precision was counted, and is zero, has no FLOPs") {
  for (const std::string& table : {wide(all_zero, same), tall(all_zero, same)}) {
    const Region k = kernel_in(table);
    CHECK(k.rooflines.at(0).verdict == Verdict::no_flop);
    CHECK(k.missing.empty());
    CHECK(report::rates_of(k.work, k.missing).front().flop);
  }
  const Region k = kernel_in(wide(all_zero, same));
  CHECK(k.kernel->grid == std::array<std::uint32_t, 3>{65536, 2, 1});
  CHECK(k.kernel->block == std::array<std::uint32_t, 3>{256, 1, 1});
}

TEST_CASE("FLOPs that no launch, or not every launch, has a metric of are not known") {
  for (const auto& [part, quantity] : flop_parts) {
    INFO(part);
    for (const std::string& table : {wide(without(part), same), tall(without(part), same)})
      check_unknown_flop(kernel_in(table), quantity);
    // Others' zero is theirs, and theirs alone.
    const Region k = kernel_in(wide(without(part), same));
    CHECK(k.work.flop.size() == (quantity == "tensor" ? 3U : 2U));
    for (const char* nothing : {"", " "}) {
      const auto drop = [&](const std::string& metric, const std::string& value) {
        return metric.find(part) == std::string::npos ? value : nothing;
      };
      for (const std::string& table : {wide(all_zero, drop), tall(all_zero, drop)}) {
        const Region one_lacks = kernel_in(table);
        check_unknown_flop(one_lacks, quantity);
        CHECK(lack_of(one_lacks, quantity)->reason.find("1 of its 2 launches") !=
              std::string::npos);
      }
    }
  }
  // None at all.
  Columns none = without("op_");
  check_unknown_flop(kernel_in(wide(none, same)), "flop.f64");
}

TEST_CASE("bytes that not every launch has a metric of are absent, at every interface") {
  for (const auto& [part, level] : byte_parts) {
    INFO(part);
    const auto drop = [&](const std::string& metric, const std::string& value) {
      return metric.find(part) == std::string::npos ? value : "";
    };
    for (const std::string& table : {wide(without(part), same), tall(without(part), same),
                                     wide(all_zero, drop), tall(all_zero, drop)}) {
      const Region k = kernel_in(table);
      CHECK(k.work.bytes.count(level) == 0);
      CHECK(lack_of(k, "bytes." + level));
      CHECK(k.work.bytes.size() == 2);
    }
  }
}

TEST_CASE("launches of which each tells bytes in another way have no sum") {
  Columns columns = all_zero;
  columns.emplace_back("dram__bytes.sum", "");
  const auto change = [](const std::string& metric, const std::string& value) {
    if (metric == "dram__bytes.sum") return std::string("700000000");
    return metric.starts_with("dram__bytes_") ? std::string() : value;
  };
  const Region k = kernel_in(wide(columns, change));
  CHECK(k.work.bytes.count("HBM") == 0);
  CHECK(lack_of(k, "bytes.HBM"));
}

TEST_CASE("FLOPs of one precision beside another's that is not known explain no latency") {
  const auto with_f64 = [](const std::string& fma) {
    Columns columns = without("op_ffma");
    for (auto& [metric, value] : columns) {
      if (metric.find("op_dfma") != std::string::npos) value = fma;
      if (metric.starts_with("dram__bytes_")) value = "1000000";
    }
    columns.emplace_back("sm__sass_thread_inst_executed_op_dfma_pred_on.sum.peak_sustained",
                         "1000");
    return kernel_in(wide(columns, same));
  };
  // 2 * 1000 * 1.5e9 FLOP/s: 1e6 instructions take less than a microsecond of 1 ms.
  CHECK(with_f64("1000000").rooflines.at(0).verdict == Verdict::undetermined);
  CHECK(with_f64("1000000").work.flop.at(Precision::f64).value == 4000000);
  CHECK(with_f64("1450000000").rooflines.at(0).verdict == Verdict::at_roof);
}

TEST_CASE("a value that can't be used is told as it stands, with its line") {
  std::vector<std::pair<std::string, std::string>> all = flop_parts;
  for (const auto& [part, level] : byte_parts) all.emplace_back(part, "bytes." + level);
  all.emplace_back("gpu__time_duration", "time.wall");
  for (const auto& [part, quantity] : all)
    for (const std::string value : {"n/a", "-5", "many", "nan", "inf", "1e999", "1,5", "0x10"}) {
      INFO(part << " " << value);
      const auto spoil = [&, part = part](const std::string& metric, const std::string& known) {
        return metric.starts_with(part) ||
                       metric.find(part + "_pred_on.sum") != std::string::npos ||
                       metric.find(part) != std::string::npos
                   ? value
                   : known;
      };
      const Region in_wide = kernel_in(wide(all_zero, spoil));
      REQUIRE(lack_of(in_wide, quantity));
      // Names, units, two launches.
      CHECK(lack_of(in_wide, quantity)->reason.find("table.csv, line 4: ") != std::string::npos);
      CHECK(lack_of(in_wide, quantity)->reason.find("`" + value + "`") != std::string::npos);
      const Region in_tall = kernel_in(tall(all_zero, spoil));
      REQUIRE(lack_of(in_tall, quantity));
      CHECK(lack_of(in_tall, quantity)->reason.find("`" + value + "`") != std::string::npos);
    }
}

TEST_CASE("a unit that nobody knows is told, and peaks that can't be read") {
  std::string table = wide(all_zero, same);
  table.replace(table.find("\"byte\""), 6, "\"furlong\"");
  const Region k = kernel_in(table);
  REQUIRE(lack_of(k, "bytes.HBM"));
  CHECK(lack_of(k, "bytes.HBM")->reason.find("in the unit `furlong`") != std::string::npos);

  Columns columns = all_zero;
  for (auto& [metric, value] : columns)
    if (metric == "dram__bytes.sum.peak_sustained") value = "n/a";
  const auto launches = read_nsight(wide(columns, same), "table.csv");
  const auto profile = profile_of(*launches, "table.csv");
  REQUIRE(profile->machine.gpus.at(0).notes.size() == 1);
  CHECK(profile->machine.gpus[0].notes[0].find("table.csv, line 3: ") == 0);
}
