// Kernels whose FLOPs and bytes are known, and what they should be counted as, as JSON.
//   gpu_known_work work        launches each kernel of the device a few times, each in a region
//   gpu_known_work ceilings    measures the ceilings, a device copy and cuBLAS
// Exit 77: there is no card.
#include <roofmark/roofmark.h>
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "collectors/cupti/ceilings/kernel_image.hpp"
#include "collectors/cupti/ceilings/measure_gpus.hpp"
#include "cublas.hpp"

namespace {

using namespace roofmark;
using namespace roofmark::cupti;
using Json = nlohmann::ordered_json;

constexpr int launches = 3;

int skip(const Problem& problem) {
  std::cout << "skipped: " << to_line(problem) << '\n';
  return 77;
}

/// Launches that take some milliseconds: long enough for a clock, short enough under counters.
Result<std::uint64_t> iterations_for(const MicrokernelDevice& device, const Microkernel& kernel) {
  // Several passes over memory: what is left in L2 at the end is then a small part.
  std::uint64_t iterations = kernel.bound == Bound::memory ? 4 : 64;
  while (kernel.bound != Bound::memory) {
    const auto timed = device.launch(kernel, iterations);
    if (!timed) return tl::unexpected(timed.error());
    if (timed->time_s > 2e-3 || iterations > (1U << 20)) break;
    iterations *= 4;
  }
  return iterations;
}

/// What one launch should be counted as.
Json expected(const MicrokernelDevice& device, const Microkernel& kernel,
              std::uint64_t iterations) {
  const auto shape = device.shape_of(kernel);
  const double threads = static_cast<double>(shape.blocks) * kernel.block_threads;
  const std::string quantity = kernel.quantity;
  const double work = work_of(kernel, std::uint64_t{shape.blocks} * kernel.block_threads,
                              shape.elements, iterations);
  Json counts;
  if (kernel.read_bytes + kernel.write_bytes == 0) {
    counts[quantity] = work;
    return counts;
  }
  const double passes = static_cast<double>(shape.elements) * static_cast<double>(iterations);
  counts[quantity + ".read"] = passes * kernel.read_bytes;
  if (kernel.write_bytes > 0) counts[quantity + ".write"] = passes * kernel.write_bytes;
  // One result a thread is written by those that read alone: nothing beside what they read.
  if (kernel.write_bytes == 0) counts["threads"] = threads;
  return counts;
}

int do_work(const MicrokernelDevice& device, const DriverDevice& facts) {
  Json all = {{"device", facts.name}, {"uuid", facts.uuid}, {"launches", launches}};
  all["kernels"] = Json::object();
  for (const Microkernel& kernel : microkernels()) {
    if (!device.has(kernel)) continue;
    const auto iterations = iterations_for(device, kernel);
    if (!iterations) {
      all["kernels"][kernel.name] = {{"failed", to_line(iterations.error())}};
      continue;
    }
    double time_s = 0;
    const roofmark_token region = roofmark_begin(kernel.name);
    for (int i = 0; i < launches; ++i)
      if (const auto timed = device.launch(kernel, *iterations)) time_s += timed->time_s;
    roofmark_end(region);
    all["kernels"][kernel.name] = {{"iterations", *iterations},
                                   {"time_s", time_s / launches},
                                   {"counts", expected(device, kernel, *iterations)}};
  }
  std::cout << all.dump(1) << '\n';
  return 0;
}

Json ceilings_json(const std::vector<GpuCeiling>& ceilings) {
  Json all = Json::array();
  for (const GpuCeiling& ceiling : ceilings)
    all.push_back({{"quantity", ceiling.quantity},
                   {"pattern", ceiling.pattern},
                   {"per_s", ceiling.per_s},
                   {"low", ceiling.low},
                   {"high", ceiling.high},
                   {"per_cycle", ceiling.per_cycle},
                   {"source", spelling(ceiling.source)},
                   {"flags", ceiling.flags}});
  return all;
}

int show_ceilings(const Driver& driver, const DriverDevice& device, const char* tables) {
  const auto chips = load_chip_table(tables);
  if (!chips) return std::cerr << to_line(chips.error()) << '\n', 1;
  const auto gpus = measure_gpus(*chips);
  if (!gpus || gpus->gpus.empty()) return std::cerr << "no GPU was measured\n", 1;
  const Gpu& gpu = gpus->gpus.front();
  Json all = {{"device", gpu.name},
              {"uuid", gpu.uuid},
              {"sm_clock_hz", gpu.sm_clock_hz.value_or(0)},
              {"ceilings", ceilings_json(gpu.ceilings)},
              {"notes", gpu.notes}};
  if (const auto opened = MicrokernelDevice::open(driver, device, kernel_image())) {
    std::vector<double> rates;
    for (int i = 0; i < 12; ++i)
      if (const auto timed = (*opened)->device_copy(); timed && timed->time_s > 0)
        rates.push_back(timed->work / timed->time_s);
    std::sort(rates.begin(), rates.end());
    if (!rates.empty()) all["device_copy_bytes_per_s"] = rates[rates.size() / 2];
  }
  all["cublas"] = Json::object();
  if (auto session = DeviceSession::open(driver, device)) {
    const auto gemms = gpu_test::gemm_rates(**session, device.memory_bytes);
    if (gemms)
      for (const auto& rate : *gemms) all["cublas"][rate.quantity] = rate.flop_per_s;
    else
      all["no_cublas"] = to_line(gemms.error());
  }
  std::cout << all.dump(1) << '\n';
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode != "work" && !(mode == "ceilings" && argc == 3)) {
    std::cerr << "usage: gpu_known_work work | ceilings FOLDER_OF_CHIPS_JSON\n";
    return 2;
  }
  const auto driver = Driver::load();
  if (!driver) return skip(driver.error());
  const auto devices = driver->devices();
  if (!devices || devices->empty())
    return skip(devices ? Problem{"the driver shows no GPU", "", ""} : devices.error());
  if (kernel_image() == nullptr)
    return skip({"Roofmark was built without nvcc", "", "build it where CUDA is installed"});
  if (mode == "ceilings") return show_ceilings(*driver, devices->front(), argv[2]);
  const auto opened = MicrokernelDevice::open(*driver, devices->front(), kernel_image());
  if (!opened) return std::cerr << to_line(opened.error()) << '\n', 1;
  return do_work(**opened, devices->front());
}
