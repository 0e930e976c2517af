// The GPUs of this machine with their ceilings: measured by microkernels where there are any, else
// theoretical. It has not yet run on a card.
#pragma once

#include <functional>
#include <memory>
#include <roofmark/machine.hpp>
#include <roofmark/result.hpp>
#include <string_view>
#include <vector>

#include "collectors/cupti/chip_table.hpp"
#include "driver.hpp"
#include "measured.hpp"

namespace roofmark::cupti {

/// Whether the kernel's module of NVIDIA's driver is loaded: without it libcuda need not be asked.
bool has_driver_module();

/// Told what is measured.
using GpuProgress = std::function<void(std::string_view what)>;

struct GpuMeasurement {
  std::vector<Gpu> gpus;
  /// Nothing failed that might do better another time: memory that another process holds, a device
  /// that is not available, an interruption.
  bool whole = true;
};

/// All that the driver shows to this process. What could not be measured is a note of the GPU.
/// `interrupted` is asked before each launch: true ends it, and what is not measured by then is
/// theoretical.
Result<GpuMeasurement> measure_gpus(const ChipTable& chips, const MeasureWindows& windows = {},
                                    const GpuProgress& progress = {},
                                    const std::function<bool()>& interrupted = {});

/// Launches the microkernels on one device, with the buffers that they need.
class MicrokernelDevice {
 public:
  static Result<std::unique_ptr<MicrokernelDevice>> open(const Driver& driver,
                                                         const DriverDevice& device,
                                                         const void* image);
  bool has(const Microkernel& kernel) const;
  /// What the device runs of what was compiled for several; nothing where the driver does not tell.
  std::optional<CodeOfKernel> code() const;
  Result<TimedLaunch> launch(const Microkernel& kernel, std::uint64_t iterations) const;
  /// The driver's own copy, from one buffer to the other: bytes read and written.
  Result<TimedLaunch> device_copy() const;

  /// How a kernel is launched: what counts of it are held to.
  struct Shape {
    unsigned blocks = 0;
    std::uint64_t elements = 0;
  };
  Shape shape_of(const Microkernel& kernel) const;

 private:
  MicrokernelDevice(const DriverDevice& device, std::unique_ptr<DeviceSession> session)
      : device_(device), session_(std::move(session)) {}

  DriverDevice device_;
  std::unique_ptr<DeviceSession> session_;
  std::size_t buffer_bytes_ = 0;
  DeviceMemory out_ = 0, in_ = 0, in2_ = 0, clocks_ = 0;
};

}  // namespace roofmark::cupti
