// Closed forms: what kernels of known work come to, by the metrics that they would have.
#include "collectors/cupti/kernel_counts.hpp"

#include <algorithm>

#include "tables.hpp"

using namespace roofmark::cupti;
using Values = std::map<std::string, double>;

namespace {

/// Every metric of the chip, zero: a kernel that did nothing.
Values nothing(const Chip& chip) {
  Values values;
  for (const MetricFormula& formula : chip.formulas)
    for (const MetricTerm& term : formula.sum) values[term.metric] = 0;
  for (const std::string& metric : chip.probe) values[metric] = 0;
  return values;
}

double& sass(Values& values, const std::string& op) {
  return values["smsp__sass_thread_inst_executed_op_" + op + "_pred_on.sum"];
}

bool misses(const KernelCounts& counts, const std::string& quantity) {
  return std::any_of(counts.missing.begin(), counts.missing.end(),
                     [&](const Missing& missing) { return missing.quantity == quantity; });
}

double total(const std::map<std::string, double>& all) {
  double sum = 0;
  for (const auto& [name, value] : all) sum += value;
  return sum;
}

}  // namespace

TEST_CASE("a triad of doubles: 2 FLOPs and 24 bytes an element") {
  const double n = 1 << 26;
  Values values = nothing(chip("GH100"));
  sass(values, "dfma") = n;
  values["dram__bytes_read.sum"] = 16 * n;
  values["dram__bytes_write.sum"] = 8 * n;
  values["lts__t_sectors_srcunit_tex.sum"] = 24 * n / 32;
  values["lts__t_sectors_srcunit_tex_op_read.sum"] = 16 * n / 32;
  values["l1tex__t_bytes.sum"] = 24 * n;
  values["gpu__time_duration.sum"] = 1e6;
  values["sm__cycles_elapsed.avg.per_second"] = 1.7e9;
  const KernelCounts counts = counts_of(chip("GH100"), values);
  CHECK(counts.flop.at("f64") == 2 * n);
  CHECK(counts.flop.at("f32") == 0);
  CHECK(counts.bytes.at("HBM").read == 16 * n);
  CHECK(counts.bytes.at("HBM").write == 8 * n);
  CHECK(counts.bytes.at("L2").read == 16 * n);
  CHECK(counts.bytes.at("L2").write == 8 * n);
  CHECK_FALSE(counts.bytes.at("L2").total);
  CHECK(counts.bytes.at("L1").total == 24 * n);
  CHECK(counts.time_s == Approx(1e-3));
  CHECK(counts.sm_clock_hz == 1.7e9);
  CHECK(counts.used_tensor_units == false);
  CHECK(counts.sources.at("flop.f64") == "counted");
  CHECK(counts.sources.count("bytes.HBM") == 0);
  CHECK(counts.missing.empty());
}

TEST_CASE("an FMA is two, an add and a multiply one each, half precision works on pairs") {
  for (const Chip& chip : chips().chips) {
    Values values = nothing(chip);
    sass(values, "ffma") = 1000;
    sass(values, "fadd") = 10;
    sass(values, "fmul") = 1;
    sass(values, "dadd") = 5;
    sass(values, "hfma") = 100;
    sass(values, "hadd") = 10;
    const KernelCounts counts = counts_of(chip, values);
    CAPTURE(chip.name);
    CHECK(counts.flop.at("f32") == 2011);
    CHECK(counts.flop.at("f64") == 5);
    CHECK(counts.flop.at("f16") == 420);
    CHECK(total(counts.tensor) == 0);
    CHECK(std::count_if(counts.caveats.begin(), counts.caveats.end(), [](const auto& caveat) {
            return caveat.find("half precision") != std::string::npos;
          }) == 1);
  }
}

TEST_CASE("packed single precision counts for two, on the chips that have it and on no other") {
  for (const Chip& chip : chips().chips) {
    Values values = nothing(chip);
    sass(values, "ffma2") = 1000;
    sass(values, "fadd2") = 100;
    sass(values, "fmul2") = 10;
    const bool packed = chip.name == "GB100" || chip.name == "GB102" || chip.name == "GB110";
    CAPTURE(chip.name);
    CHECK(counts_of(chip, values).flop.at("f32") == (packed ? 4220 : 0));
  }
}

TEST_CASE("a GEMM by wgmma: 2 M N K of its type, no FLOP of the vector units") {
  const double m = 8192, n = 4096, k = 2048, operations = 2 * m * n * k;
  struct Case {
    const char *chip, *type, *metric;
  };
  for (const Case& one :
       {Case{"GH100", "f16", "sm__ops_path_tensor_op_hgmma_src_fp16.sum"},
        Case{"GH100", "bf16", "sm__ops_path_tensor_src_bf16_dst_fp32.sum"},
        Case{"GH100", "fp8", "sm__ops_path_tensor_src_fp8.sum"},
        Case{"AD102", "fp8", "sm__ops_path_tensor_src_fp8.sum"},
        Case{"GA100", "f64", "sm__ops_path_tensor_src_fp64.sum"},
        Case{"GA100", "f16", "sm__ops_path_tensor_src_fp16_dst_fp16.sum"},
        Case{"GB100", "f16", "sm__ops_path_tensor_src_fp16_dst_fp32_realtime.sum"},
        Case{"GB202", "fp4", "sm__ops_path_tensor_src_fp4_dst_fp32_realtime.sum"}}) {
    Values values = nothing(chip(one.chip));
    REQUIRE(values.count(one.metric) == 1);
    values[one.metric] = operations;
    values["sm__inst_executed_pipe_tensor.sum"] = 1;
    const KernelCounts counts = counts_of(chip(one.chip), values);
    CAPTURE(one.chip, one.type);
    CHECK(counts.tensor.at(one.type) == operations);
    CHECK(total(counts.tensor) == operations);
    CHECK(total(counts.flop) == 0);
    CHECK(counts.used_tensor_units == true);
    CHECK_FALSE(misses(counts, "tensor"));
  }
}

TEST_CASE("what was not counted is missing, with the metric to ask for, and never zero") {
  for (const Chip& chip : chips().chips) {
    const Values all = nothing(chip);
    for (const MetricFormula& formula : chip.formulas) {
      if (formula.quantity.rfind("flop.", 0) != 0) continue;
      Values values = all;
      values.erase(formula.sum.back().metric);
      const KernelCounts counts = counts_of(chip, values);
      CAPTURE(chip.name, formula.quantity);
      CHECK(counts.flop.count(formula.quantity.substr(5)) == 0);
      CHECK(misses(counts, formula.quantity));
    }
    const KernelCounts counts = counts_of(chip, {});
    CHECK(counts.flop.empty());
    CHECK(counts.bytes.empty());
    CHECK(counts.tensor.empty());
    CHECK_FALSE(counts.time_s);
    CHECK(misses(counts, "bytes.HBM"));
    CHECK(misses(counts, "bytes.L2"));
    for (const Missing& missing : counts.missing) CHECK_FALSE(missing.reason.empty());
  }
}

TEST_CASE("a value that is no number counts nothing") {
  Values values = nothing(chip("GH100"));
  sass(values, "dfma") = std::numeric_limits<double>::quiet_NaN();
  const KernelCounts counts = counts_of(chip("GH100"), values);
  CHECK(counts.flop.count("f64") == 0);
  CHECK(misses(counts, "flop.f64"));
}

TEST_CASE("one direction of a level alone is not that level's bytes") {
  Values values = nothing(chip("GH100"));
  values.erase("dram__bytes_write.sum");
  values.erase("dram__bytes.sum");
  const KernelCounts counts = counts_of(chip("GH100"), values);
  CHECK(counts.bytes.count("HBM") == 0);
  CHECK(misses(counts, "bytes.HBM"));
}

TEST_CASE("the definition of traffic is the one that was counted") {
  const Chip& hopper = chip("GH100");
  Values values;
  values["lts__lts2xbar_cycles_active.sum"] = 10;
  values["l1tex__lsu_writeback_active_mem_lgds.sum"] = 7;
  KernelCounts counts = counts_of(hopper, values);
  CHECK(counts.bytes.at("L2").total == 320);
  CHECK(counts.bytes.at("L1").total == 896);
  values["lts__t_bytes.sum"] = 1000;
  counts = counts_of(hopper, values);
  CHECK(counts.bytes.at("L2").total == 1000);
  values["lts__t_sectors_srcunit_tex.sum"] = 9;
  values["lts__t_sectors_srcunit_tex_op_read.sum"] = 10;
  counts = counts_of(hopper, values);
  CHECK(counts.bytes.at("L2").read == 320);
  CHECK(counts.bytes.at("L2").write == 0);
  CHECK_FALSE(counts.bytes.at("L2").total);
}

TEST_CASE("integrated chips estimate memory by misses of L2, and say so") {
  for (const char* name : {"GA10B", "GB10B", "GB20B"}) {
    Values values = nothing(chip(name));
    values["lts__t_sectors_lookup_miss.sum"] = 100;
    const KernelCounts counts = counts_of(chip(name), values);
    CAPTURE(name);
    CHECK(chip(name).integrated);
    CHECK(counts.bytes.at("HBM").total == 3200);
    CHECK(counts.sources.at("bytes.HBM") == "estimated");
    CHECK_FALSE(counts.dram_clock_hz);
    CHECK(misses(counts, "clock.dram"));
  }
}

TEST_CASE("work of tensor units of which no operations were counted is missing") {
  Values values = nothing(chip("GB100"));
  values["sm__inst_executed_pipe_tc.sum"] = 4;
  KernelCounts counts = counts_of(chip("GB100"), values);
  CHECK(counts.used_tensor_units == true);
  CHECK(misses(counts, "tensor"));
  for (const MetricFormula& formula : chip("GB100").formulas)
    if (formula.set == "tensor")
      for (const MetricTerm& term : formula.sum) values.erase(term.metric);
  counts = counts_of(chip("GB100"), values);
  CHECK(counts.tensor.empty());
  CHECK(misses(counts, "tensor"));
  // Without the probe nothing is known, and nothing is said.
  values.erase("sm__inst_executed_pipe_tc.sum");
  CHECK_FALSE(counts_of(chip("GB100"), values).used_tensor_units);
}
