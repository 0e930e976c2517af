#include "gpu_device.hpp"

#include <collectors/cupti/ceilings/theory.hpp>
#include <utility>

namespace roofmark {

Gpu gpu_of_device(const cupti::GpuDevice& device, const cupti::Chip* chip,
                  const std::map<std::string, double>& values) {
  Gpu gpu;
  gpu.uuid = device.uuid;
  gpu.name = device.name;
  gpu.chip = device.chip;
  if (device.compute_major > 0)
    gpu.compute_capability =
        std::to_string(device.compute_major) + "." + std::to_string(device.compute_minor);
  gpu.integrated = device.integrated;
  gpu.mig = device.mig;
  gpu.multiprocessors = device.multiprocessors;
  gpu.memory_bytes = device.memory_bytes;
  gpu.l2_bytes = device.l2_bytes;
  gpu.sm_clock_hz = device.sm_clock_hz;
  gpu.memory_clock_hz = device.memory_clock_hz;
  if (chip == nullptr) {
    gpu.notes.push_back("No table knows its chip: it has no ceilings.");
    return gpu;
  }
  const cupti::DeviceFacts facts{device.multiprocessors, device.sm_clock_hz, device.memory_clock_hz,
                                 device.memory_bus_bits, device.integrated};
  gpu.ceilings = cupti::in_order({}, cupti::derived_ceilings(*chip, values),
                                 cupti::theoretical_ceilings(*chip, facts));
  gpu.notes = cupti::theory_notes(*chip);
  gpu.notes.push_back(
      "Its ceilings were not measured: they are what its own metrics and the maker's tables "
      "state.");
  return gpu;
}

}  // namespace roofmark
