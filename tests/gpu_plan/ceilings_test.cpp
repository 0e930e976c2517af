#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "collectors/cupti/ceilings/kernel_image.hpp"
#include "collectors/cupti/ceilings/measure_gpus.hpp"
#include "collectors/cupti/ceilings/theory.hpp"
#include "tables.hpp"

using namespace roofmark;
using namespace roofmark::cupti;

namespace {

const GpuCeiling* find(const std::vector<GpuCeiling>& all, const std::string& quantity,
                       const std::string& pattern = "") {
  const auto found = std::find_if(all.begin(), all.end(), [&](const GpuCeiling& one) {
    return one.quantity == quantity && one.pattern == pattern;
  });
  return found == all.end() ? nullptr : &*found;
}

double value(const std::vector<GpuCeiling>& all, const std::string& quantity) {
  const GpuCeiling* found = find(all, quantity);
  return found == nullptr ? 0 : found->per_s;
}

bool has_flag(const GpuCeiling& ceiling, const std::string& flag) {
  return std::find(ceiling.flags.begin(), ceiling.flags.end(), flag) != ceiling.flags.end();
}

/// Of an H100 SXM: its data sheet's numbers follow from it.
DeviceFacts h100() {
  return {132, 1.83e9, 2.619e9, 5120, false};
}

GpuCeiling measured_as(const std::string& quantity, double per_s) {
  GpuCeiling ceiling;
  ceiling.quantity = quantity;
  ceiling.pattern = "test";
  ceiling.per_s = per_s;
  ceiling.source = Source::measured;
  return ceiling;
}

const Microkernel& kernel(const std::string& name) {
  for (const Microkernel& candidate : microkernels())
    if (candidate.name == name) return candidate;
  FAIL("no kernel " << name);
  return microkernels().front();
}

/// A device of 10^12 units of work a second that slept: the first launches take ten times as long.
class FakeDevice {
 public:
  Result<TimedLaunch> launch(std::uint64_t iterations) {
    ++launches_;
    const double work = 1e6 * static_cast<double>(iterations);
    return TimedLaunch{work / 1e12 * (launches_ < 4 ? 10 : 1), work, 1e9};
  }

 private:
  int launches_ = 0;
};

class Environment {
 public:
  Environment(const char* name, const std::string& text) : name_(name) {
    setenv(name, text.c_str(), 1);
  }
  ~Environment() { unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
};

bool has_note(const Gpu& gpu, const std::string& words) {
  return std::any_of(gpu.notes.begin(), gpu.notes.end(), [&](const std::string& note) {
    return note.find(words) != std::string::npos;
  });
}

MeasureWindows quick() {
  return {1e-4, 1e-4, 20};
}

}  // namespace

TEST_CASE("theoretical ceilings are those of the data sheets") {
  const auto all = theoretical_ceilings(chip("GH100"), h100());
  CHECK(value(all, "tensor.f16") == Approx(989.4e12).epsilon(0.001));
  CHECK(value(all, "tensor.fp8") == Approx(1979e12).epsilon(0.001));
  CHECK(value(all, "bytes.HBM") == Approx(3.352e12).epsilon(0.001));
  CHECK(value(theoretical_ceilings(chip("GH100"), {132, 1.98e9, {}, 0, false}), "flop.f32") ==
        Approx(66.9e12).epsilon(0.001));
  CHECK(value(theoretical_ceilings(chip("GA100"), {108, 1.41e9, 1.215e9, 5120, false}),
              "flop.f64") == Approx(9.746e12).epsilon(0.001));
  for (const GpuCeiling& ceiling : all) {
    CHECK(ceiling.source == Source::theoretical);
    CHECK(ceiling.pattern.empty());
  }
}

TEST_CASE("what is not known of a device gives no ceiling") {
  CHECK(theoretical_ceilings(chip("GH100"), {}).empty());
  CHECK(find(theoretical_ceilings(chip("GH100"), {132, {}, 2e9, 5120, false}), "flop.f32") ==
        nullptr);
  CHECK(find(theoretical_ceilings(chip("GB20B"), {48, 2e9, 4e9, 256, true}), "bytes.HBM") ==
        nullptr);
}

TEST_CASE("ceilings from peaks are what a raw table of an H100 has") {
  // Published: 132 SMs at 1.755 GHz, memory at 2.619 GHz.
  const std::map<std::string, double> values = {
      {"sm__sass_thread_inst_executed_op_dfma_pred_on.sum.peak_sustained", 8448},
      {"sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained", 16896},
      {"sm__sass_thread_inst_executed_op_hfma_pred_on.sum.peak_sustained", 16896},
      {"l1tex__lsu_writeback_active_mem_lgds.sum.peak_sustained", 132},
      {"dram__bytes.sum.peak_sustained", 1280},
      {"sm__cycles_elapsed.avg.per_second", 1.755e9},
      {"dram__cycles_elapsed.avg.per_second", 2.619e9}};
  const auto all = derived_ceilings(chip("GH100"), values);
  CHECK(value(all, "flop.f64") == Approx(16896 * 1.755e9));
  CHECK(value(all, "flop.f32") == Approx(33792 * 1.755e9));
  CHECK(value(all, "flop.f16") == Approx(67584 * 1.755e9));
  CHECK(value(all, "bytes.L1") == Approx(16896 * 1.755e9));
  CHECK(value(all, "bytes.HBM") == Approx(3.352e12).epsilon(0.001));
  CHECK(find(all, "bytes.L2") == nullptr);
  CHECK(find(all, "tensor.f16") == nullptr);
  for (const GpuCeiling& ceiling : all) CHECK(ceiling.source == Source::estimated);
  CHECK(derived_ceilings(chip("GH100"), {}).empty());
}

TEST_CASE("packed single precision gives the higher of two peaks") {
  const std::map<std::string, double> values = {
      {"sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained", 100},
      {"sm__sass_thread_inst_executed_op_ffma2_pred_on.sum.peak_sustained", 60},
      {"sm__cycles_elapsed.avg.per_second", 1e9}};
  const auto all = derived_ceilings(chip("GB100"), values);
  CHECK(value(all, "flop.f32") == Approx(240e9));
  CHECK(std::count_if(all.begin(), all.end(),
                      [](const GpuCeiling& one) { return one.quantity == "flop.f32"; }) == 1);
}

TEST_CASE(
    "measured ceilings come first, the highest before the others, and are doubted by theory") {
  const auto theory = theoretical_ceilings(chip("GH100"), h100());
  const auto all = in_order({measured_as("bytes.HBM", 3.0e12), measured_as("bytes.HBM", 3.1e12),
                             measured_as("tensor.f16", 1.2e15), measured_as("flop.f32", 2e13)},
                            {measured_as("flop.f64", 1)}, theory);
  const auto first = [&](const std::string& quantity) {
    return *std::find_if(all.begin(), all.end(),
                         [&](const GpuCeiling& one) { return one.quantity == quantity; });
  };
  CHECK(first("bytes.HBM").per_s == 3.1e12);
  CHECK(first("bytes.HBM").flags.empty());
  CHECK(has_flag(first("tensor.f16"), "above_theory"));
  CHECK(has_flag(first("flop.f32"), "below_theory"));
  CHECK(first("tensor.bf16").source == Source::theoretical);
}

TEST_CASE("a ceiling is measured of a device that is awake, in windows that are long enough") {
  FakeDevice device;
  std::uint64_t last = 0;
  const auto measured = measure_ceiling(kernel("fma_f32"),
                                        [&](const Microkernel&, std::uint64_t iterations) {
                                          last = iterations;
                                          return device.launch(iterations);
                                        },
                                        {0.001, 0.01, 20});
  REQUIRE(measured);
  CHECK(measured->ceiling.per_s == Approx(1e12));
  CHECK(measured->ceiling.low == Approx(1e12));
  CHECK(measured->ceiling.per_cycle == Approx(1000));
  CHECK(measured->ceiling.quantity == "flop.f32");
  CHECK(measured->ceiling.source == Source::measured);
  CHECK(measured->ceiling.flags.empty());
  CHECK(1e6 * static_cast<double>(last) / 1e12 >= 0.0001);
}

TEST_CASE("windows that disagree are noisy, launches that fail or take no time are no ceiling") {
  int launch = 0;
  const auto noisy =
      measure_ceiling(kernel("fma_f32"),
                      [&](const Microkernel&, std::uint64_t iterations) -> Result<TimedLaunch> {
                        const double work = 1e6 * static_cast<double>(iterations);
                        return TimedLaunch{work / (1e12 + 1e11 * (++launch % 7)), work, 1e9};
                      },
                      {1e-4, 1e-4, 28});
  REQUIRE(noisy);
  CHECK(has_flag(noisy->ceiling, "noisy"));
  CHECK(noisy->ceiling.low < noisy->ceiling.high);
  const auto failed = [](const Microkernel&, std::uint64_t) -> Result<TimedLaunch> {
    return tl::unexpected(Problem{"no", "", ""});
  };
  CHECK_FALSE(measure_ceiling(kernel("fma_f32"), failed));
  const auto timeless = [](const Microkernel&, std::uint64_t) -> Result<TimedLaunch> {
    return TimedLaunch{0, 1, 0};
  };
  CHECK_FALSE(measure_ceiling(kernel("fma_f32"), timeless));
}

TEST_CASE("the work of the kernels: closed forms") {
  // m64n256k16 is 2 * 64 * 256 * 16 operations for a block of 128 threads, 8 of them an iteration.
  CHECK(work_of(kernel("wgmma_f16"), 128, 0, 1) == 8.0 * 2 * 64 * 256 * 16);
  CHECK(work_of(kernel("wgmma_fp8"), 128, 0, 1) == 8.0 * 2 * 64 * 256 * 32);
  // m128n256k32, 8 of them by a block of 128 in an iteration.
  CHECK(work_of(kernel("tcgen05_fp8"), 128, 0, 1) == 8.0 * 2 * 128 * 256 * 32);
  CHECK(work_of(kernel("tcgen05_tf32"), 256, 0, 5) == 5 * 2 * 8.0 * 2 * 128 * 256 * 8);
  CHECK(work_of(kernel("mma_f16"), 32, 0, 3) == 3 * 8.0 * 2 * 16 * 8 * 16);
  CHECK(work_of(kernel("mma_f64"), 32, 0, 1) == 8.0 * 2 * 8 * 8 * 4);
  CHECK(work_of(kernel("mma_f64_k16"), 32, 0, 1) == 4.0 * 2 * 16 * 8 * 16);
  CHECK(work_of(kernel("fma_f64"), 1, 0, 1) == 16 * 8 * 2);
  CHECK(work_of(kernel("fma_f16"), 1, 0, 1) == 16 * 8 * 4);
  CHECK(work_of(kernel("triad"), 99, 1000, 2) == 2 * 1000 * 48.0);
  for (const Microkernel& one : microkernels())
    if (one.read_bytes + one.write_bytes > 0) CHECK(one.work == one.read_bytes + one.write_bytes);
}

TEST_CASE("a driver that is not there, or refuses, is one line") {
  {
    const Environment library("ROOFMARK_CUDA_LIBRARY", "/nowhere/libcuda.so.1");
    const auto gpus = measure_gpus(chips());
    REQUIRE_FALSE(gpus);
    CHECK(to_line(gpus.error()).find("no NVIDIA driver") != std::string::npos);
  }
  const Environment library("ROOFMARK_CUDA_LIBRARY", ROOFMARK_FAKE_DRIVER);
  for (const char* call : {"cuInit", "cuDeviceGetCount"}) {
    const Environment failing("FAKE_FAIL", std::string(call) + "=999");
    const auto gpus = measure_gpus(chips());
    REQUIRE_FALSE(gpus);
    CHECK(
        to_line(gpus.error()).find(std::string(call) + " returned 999 (CUDA_ERROR_OF_THE_TEST)") !=
        std::string::npos);
  }
}

TEST_CASE("devices are measured through the driver, and leave nothing behind") {
  const Environment library("ROOFMARK_CUDA_LIBRARY", ROOFMARK_FAKE_DRIVER);
  const Environment lacks("FAKE_LACKS", "fma_f32x2,mma_f64");
  const Environment failing("FAKE_FAIL", "mma_i8=700");
  const auto gpus = measure_gpus(chips(), quick());
  REQUIRE(gpus);
  REQUIRE(gpus->gpus.size() == 2);
  const Gpu& gpu = gpus->gpus.front();
  CHECK(gpu.name == "NVIDIA H100 of the test");
  CHECK(gpu.uuid == "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f");
  CHECK(gpu.compute_capability == "9.0");
  CHECK(gpu.chip == "GH100");
  CHECK(gpus->gpus.back().chip.empty());
  // As the plug-in names the device of an instance's kernels.
  CHECK_FALSE(gpu.mig);
  CHECK(gpus->gpus.back().mig);
  CHECK(gpus->gpus.back().uuid == "MIG-10111213-1415-1617-1819-1a1b1c1d1e1f");
  CHECK(gpu.multiprocessors == 132);
  CHECK(gpu.memory_bytes == std::size_t{400} << 20);
  CHECK(value(gpu.ceilings, "bytes.HBM") == Approx(3.352e12).epsilon(0.001));
  if (kernel_image() == nullptr) {
    WARN("built without nvcc: nothing to launch");
    CHECK(gpu.notes.front().find("without nvcc") != std::string::npos);
    return;
  }
  CHECK(*gpu.sm_clock_hz == Approx(1.5e9).epsilon(0.01));
  for (const Microkernel& kernel : microkernels()) {
    const std::string name = kernel.name;
    const GpuCeiling* ceiling = find(gpu.ceilings, kernel.quantity, kernel.pattern);
    CAPTURE(name);
    if (name == "fma_f32x2" || name == "mma_i8") {
      CHECK(ceiling == nullptr);
      continue;
    }
    REQUIRE(ceiling != nullptr);
    CHECK(ceiling->source == Source::measured);
    CHECK(ceiling->per_s == Approx(kernel.bound == Bound::memory ? 1e11 : 1e12).epsilon(0.001));
  }
  CHECK(has_note(gpu, "mma_i8 was not measured: "));
  CHECK(has_note(gpu, "700"));
  // A chip that no table knows has what was measured, and no theory.
  CHECK(value(gpus->gpus.back().ceilings, "bytes.HBM") == 0);
  CHECK(find(gpus->gpus.back().ceilings, "flop.f32", "fma") != nullptr);
  void* fake = dlopen(ROOFMARK_FAKE_DRIVER, RTLD_NOW);
  REQUIRE(fake != nullptr);
  CHECK(reinterpret_cast<int (*)()>(dlsym(fake, "fake_driver_left"))() == 0);
}

TEST_CASE("tensor units that did not do their work give no ceiling, and stop no other") {
  if (kernel_image() == nullptr) {
    WARN("built without nvcc: nothing to launch");
    return;
  }
  const Environment library("ROOFMARK_CUDA_LIBRARY", ROOFMARK_FAKE_DRIVER);
  const Environment wrong("FAKE_WRONG", "tcgen05_f16,tcgen05_i8");
  const auto gpus = measure_gpus(chips(), quick());
  REQUIRE(gpus);
  const Gpu& gpu = gpus->gpus.front();
  CHECK(find(gpu.ceilings, "tensor.f16", "tcgen05") == nullptr);
  CHECK(find(gpu.ceilings, "tensor.i8", "tcgen05") == nullptr);
  REQUIRE(find(gpu.ceilings, "tensor.bf16", "tcgen05") != nullptr);
  CHECK(find(gpu.ceilings, "tensor.bf16", "tcgen05")->source == Source::measured);
  for (const char* name : {"tcgen05_f16", "tcgen05_i8"})
    CHECK(has_note(gpu, std::string(name) + " was not measured: "));
  CHECK(has_note(gpu, "its tensor units did not end, or did not multiply what they were given"));
  CHECK_FALSE(gpus->whole);
}

TEST_CASE("on 10.x the tables are the roof of tensor units unless tcgen05 was measured") {
  if (kernel_image() == nullptr) {
    WARN("built without nvcc: nothing to launch");
    return;
  }
  const Environment library("ROOFMARK_CUDA_LIBRARY", ROOFMARK_FAKE_DRIVER);
  const Environment major("FAKE_MAJOR", "10");
  const std::string of_mma = "those of mma.sync, which is far slower", of_fp4 = "FP4, FP6 and FP8";
  {
    const auto gpus = measure_gpus(chips(), quick());
    REQUIRE(gpus);
    CHECK_FALSE(has_note(gpus->gpus.front(), of_mma));
    CHECK(has_note(gpus->gpus.front(), of_fp4));
  }
  const Environment lacks("FAKE_LACKS",
                          "tcgen05_f16,tcgen05_bf16,tcgen05_tf32,tcgen05_fp8,tcgen05_fp8_e5m2,"
                          "tcgen05_i8");
  const auto gpus = measure_gpus(chips(), quick());
  REQUIRE(gpus);
  CHECK(has_note(gpus->gpus.front(), of_mma));
  CHECK_FALSE(has_note(gpus->gpus.front(), of_fp4));
  // 8192 a multiprocessor and cycle, of 132 at 1.98 GHz.
  const GpuCeiling* table = find(gpus->gpus.front().ceilings, "tensor.f16");
  REQUIRE(table != nullptr);
  CHECK(table->source == Source::theoretical);
  CHECK(table->per_s == Approx(8192 * 132 * 1.98e9));
}

TEST_CASE("ceilings say for which GPU the code that ran was compiled") {
  if (kernel_image() == nullptr) {
    WARN("built without nvcc: nothing to launch");
    return;
  }
  const Environment library("ROOFMARK_CUDA_LIBRARY", ROOFMARK_FAKE_DRIVER);
  const std::string from_ptx = "compiled from PTX for compute capability ",
                    as_it_is = "with code compiled for compute capability ";
  {
    const auto gpus = measure_gpus(chips(), quick());
    REQUIRE(gpus);
    CHECK_FALSE(has_note(gpus->gpus.front(), from_ptx));
    CHECK_FALSE(has_note(gpus->gpus.front(), as_it_is));
  }
  const Environment major("FAKE_MAJOR", "10"), minor("FAKE_MINOR", "3");
  const Environment binary("FAKE_BINARY", "103");
  for (const auto& [ptx, capability] : {std::pair{"80", "8.0"}, std::pair{"100", "10.0"}}) {
    const Environment made_of("FAKE_PTX", ptx);
    const auto gpus = measure_gpus(chips(), quick());
    REQUIRE(gpus);
    CHECK(gpus->gpus.front().compute_capability == "10.3");
    CHECK(has_note(gpus->gpus.front(), from_ptx + capability));
    CHECK_FALSE(has_note(gpus->gpus.front(), as_it_is));
  }
  const Environment same("FAKE_PTX", "103");
  const auto gpus = measure_gpus(chips(), quick());
  REQUIRE(gpus);
  CHECK(has_note(gpus->gpus.front(), as_it_is + "10.3"));
  CHECK_FALSE(has_note(gpus->gpus.front(), from_ptx));
}

TEST_CASE("a device that can't be used has theoretical ceilings and the reason") {
  const Environment library("ROOFMARK_CUDA_LIBRARY", ROOFMARK_FAKE_DRIVER);
  for (const char* call : {"cuDevicePrimaryCtxRetain", "cuModuleLoadData", "cuMemAlloc_v2"}) {
    const Environment failing("FAKE_FAIL", std::string(call) + "=2");
    const auto gpus = measure_gpus(chips(), quick());
    REQUIRE(gpus);
    const Gpu& gpu = gpus->gpus.front();
    CHECK(value(gpu.ceilings, "flop.f32") > 0);
    CHECK(std::none_of(gpu.ceilings.begin(), gpu.ceilings.end(), [](const GpuCeiling& ceiling) {
      return ceiling.source == Source::measured;
    }));
    CHECK(gpu.notes.front().find("not measured") != std::string::npos);
    CHECK(gpus->whole == (kernel_image() == nullptr));
  }
}
