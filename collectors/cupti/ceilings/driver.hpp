// The part of NVIDIA's driver library that ceilings need, found by dlopen: nothing is linked. The
// functions are declared here, as their ABI has been since CUDA 9, so no header of CUDA is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

namespace roofmark::cupti {

using DeviceMemory = std::uint64_t;
struct DriverCalls;

/// A device's facts that need no context.
struct DriverDevice {
  int handle = 0;
  std::string name, uuid;
  unsigned compute_major = 0, compute_minor = 0;
  unsigned multiprocessors = 0;
  std::uint64_t memory_bytes = 0, l2_bytes = 0;
  std::optional<double> sm_clock_hz, memory_clock_hz;
  unsigned memory_bus_bits = 0;
  bool integrated = false;
};

class Driver {
 public:
  /// $ROOFMARK_CUDA_LIBRARY where it is set, else libcuda.so.1; initialised. A Problem where there
  /// is no driver, or it refuses.
  static Result<Driver> load();

  int version() const { return version_; }  ///< 13000
  Result<std::vector<DriverDevice>> devices() const;
  const DriverCalls& calls() const { return *calls_; }
  std::shared_ptr<const DriverCalls> shared_calls() const { return calls_; }

 private:
  std::shared_ptr<const DriverCalls> calls_;
  int version_ = 0;
};

/// What a call returned, as a sentence with the driver's own word for it.
Problem driver_problem(const DriverCalls& calls, const std::string& call, int code);

/// For which compute capability a kernel's machine code is (103), and the PTX that it was made of.
/// They differ where the driver compiled it from PTX.
struct CodeOfKernel {
  int binary = 0, ptx = 0;
};

/// What a device was made to hold, while it lives: a context (the primary one), a module, memory,
/// two events.
class DeviceSession {
 public:
  static Result<std::unique_ptr<DeviceSession>> open(const Driver& driver,
                                                     const DriverDevice& device);
  ~DeviceSession();
  DeviceSession(const DeviceSession&) = delete;
  DeviceSession& operator=(const DeviceSession&) = delete;

  Result<void> load_module(const void* image);
  /// A function of the module, or nothing: it is not of this architecture.
  void* function(const char* name) const;
  /// Nothing where the driver does not tell.
  std::optional<CodeOfKernel> code_of(void* function) const;
  Result<void> allow_shared_memory(void* function, unsigned bytes) const;

  Result<DeviceMemory> allocate(std::size_t bytes);
  Result<void> to_device(DeviceMemory to, const void* from, std::size_t bytes) const;
  Result<void> from_device(void* to, DeviceMemory from, std::size_t bytes) const;
  Result<void> copy(DeviceMemory to, DeviceMemory from, std::size_t bytes) const;

  /// Waits for it; the time is that between events before and behind it.
  Result<double> timed_launch(void* function, unsigned blocks, unsigned threads,
                              unsigned shared_bytes, void** parameters) const;
  /// Of whatever the call puts on the default stream; it returns 0, or it failed.
  Result<double> timed(const char* name, const std::function<int()>& call) const;
  Result<double> timed_copy(DeviceMemory to, DeviceMemory from, std::size_t bytes) const;

 private:
  explicit DeviceSession(std::shared_ptr<const DriverCalls> calls) : calls_(std::move(calls)) {}
  Result<double> time_between() const;

  std::shared_ptr<const DriverCalls> calls_;
  int device_ = -1;
  void *context_ = nullptr, *module_ = nullptr, *before_ = nullptr, *behind_ = nullptr;
  std::vector<DeviceMemory> memory_;
};

}  // namespace roofmark::cupti
