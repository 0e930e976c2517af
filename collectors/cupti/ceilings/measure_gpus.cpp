#include "measure_gpus.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "collectors/cupti/device_identity.hpp"
#include "kernel_image.hpp"
#include "theory.hpp"

namespace roofmark::cupti {
namespace {

/// As kernels.cu has it: the one parameter of all kernels.
struct Work {
  DeviceMemory out, in, in2;
  std::uint64_t elements, iterations;
  DeviceMemory clocks;
};

/// Cycles, nanoseconds, and whether a block did not do its work.
using ClockWords = std::array<std::uint64_t, 3>;

constexpr std::size_t MiB = std::size_t{1} << 20;
/// Random operands: zeros would draw less power, and so show a clock that no real work has.
constexpr std::size_t random_bytes = MiB;
/// One block's share of L1 or shared memory, in elements of 16 bytes.
constexpr std::uint64_t sm_elements = 1024;

/// Marsaglia's xorshift64: reproducible, and random enough for operands.
std::vector<std::uint64_t> random_words(std::size_t bytes) {
  std::vector<std::uint64_t> words(bytes / sizeof(std::uint64_t));
  std::uint64_t state = 0x9e3779b97f4a7c15u;
  for (std::uint64_t& word : words) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    word = state;
  }
  return words;
}

/// At least 1 GiB and four times L2, so that caches hold nothing of it; three of them have to fit.
std::size_t buffer_bytes_for(const DriverDevice& device) {
  const std::size_t wanted = std::max<std::size_t>(1024 * MiB, 4 * device.l2_bytes);
  const std::size_t room = static_cast<std::size_t>(device.memory_bytes / 5);
  return std::max<std::size_t>(std::min(wanted, room) / MiB, 64) * MiB;
}

Gpu described(const DriverDevice& device, const Chip* chip) {
  Gpu gpu;
  gpu.uuid = device.uuid;
  gpu.name = device.name;
  gpu.compute_capability = fmt::format("{}.{}", device.compute_major, device.compute_minor);
  gpu.integrated = device.integrated;
  gpu.mig = is_mig_instance(device.name);
  gpu.multiprocessors = device.multiprocessors;
  gpu.memory_bytes = device.memory_bytes;
  gpu.l2_bytes = device.l2_bytes;
  gpu.sm_clock_hz = device.sm_clock_hz;
  gpu.memory_clock_hz = device.memory_clock_hz;
  if (chip == nullptr)
    gpu.notes.push_back("No table knows GPUs of compute capability " + gpu.compute_capability +
                        ": there are no theoretical ceilings.");
  return gpu;
}

/// The median of the clocks at which its kernels ran is the clock at which its ceilings hold.
double middle(std::vector<double> clocks) {
  if (clocks.empty()) return 0;
  std::sort(clocks.begin(), clocks.end());
  return clocks[clocks.size() / 2];
}

/// Of 10.x: what its ceilings of tensor units are not.
void note_tensor_units(const std::vector<GpuCeiling>& measured, Gpu& gpu) {
  const auto by = [&](const std::string& pattern) {
    return std::any_of(measured.begin(), measured.end(), [&](const GpuCeiling& ceiling) {
      return ceiling.pattern.starts_with(pattern);
    });
  };
  if (by("mma.sync") && !by("tcgen05"))
    gpu.notes.emplace_back(
        "Ceilings of tensor units are those of mma.sync, which is far slower on this chip than "
        "tcgen05: the theoretical ones are the roof.");
  if (by("tcgen05"))
    gpu.notes.emplace_back(
        "Its counters hold FP4, FP6 and FP8 together: kernels of FP4 with block scales may do up "
        "to twice what the ceiling of fp8 says.");
}

std::string capability_text(int code) {
  return fmt::format("{}.{}", code / 10, code % 10);
}

/// What ran is not for the chip itself where it is later than the compiler: what it lacks is told.
void note_code(const CodeOfKernel& code, Gpu& gpu) {
  if (code.ptx != code.binary)
    gpu.notes.push_back(
        fmt::format("Its ceilings were measured with code that the driver compiled from PTX for "
                    "compute capability {}: instructions of later chips are not in it.",
                    capability_text(code.ptx)));
  else
    gpu.notes.push_back(
        fmt::format("Its ceilings were measured with code compiled for compute capability {}.",
                    capability_text(code.binary)));
}

std::vector<GpuCeiling> measure(Gpu& gpu, const Driver& driver, const DriverDevice& device,
                                const MeasureWindows& windows, const GpuProgress& progress,
                                const std::function<bool()>& interrupted, bool& whole) {
  std::vector<GpuCeiling> measured;
  if (kernel_image() == nullptr) {
    gpu.notes.emplace_back(
        "Roofmark was built without nvcc, so its ceilings were not measured: they are "
        "theoretical.");
    return measured;
  }
  const auto asked_to_end = [&] { return interrupted && interrupted(); };
  if (asked_to_end()) {
    whole = false;
    gpu.notes.emplace_back("Its ceilings were not measured: the measurement was interrupted.");
    return measured;
  }
  const auto opened = MicrokernelDevice::open(driver, device, kernel_image());
  if (!opened) {
    whole = false;
    gpu.notes.push_back("Its ceilings were not measured: " + to_line(opened.error()) + ".");
    return measured;
  }
  if (const auto code = (*opened)->code()) note_code(*code, gpu);
  std::vector<double> clocks;
  for (const Microkernel& kernel : microkernels()) {
    if (!(*opened)->has(kernel)) continue;
    if (progress) progress(fmt::format("{} {}", kernel.quantity, kernel.pattern));
    auto one = measure_ceiling(
        kernel,
        [&](const Microkernel& which, std::uint64_t iterations) -> Result<TimedLaunch> {
          if (asked_to_end()) return tl::unexpected(Problem{"it was interrupted", "", ""});
          return (*opened)->launch(which, iterations);
        },
        windows);
    if (!one && asked_to_end()) {
      whole = false;
      gpu.notes.emplace_back("Not all of its ceilings were measured: it was interrupted.");
      break;
    }
    if (!one) {
      whole = false;
      gpu.notes.push_back(
          fmt::format("{} was not measured: {}.", kernel.name, to_line(one.error())));
      continue;
    }
    if (one->sm_clock_hz > 0) clocks.push_back(one->sm_clock_hz);
    measured.push_back(std::move(one->ceiling));
  }
  if (const double clock = middle(std::move(clocks)); clock > 0) gpu.sm_clock_hz = clock;
  if (device.compute_major == 10) note_tensor_units(measured, gpu);
  return measured;
}

}  // namespace

bool has_driver_module() {
  const char* given = std::getenv("ROOFMARK_CUDA_LIBRARY");
  return (given != nullptr && *given != '\0') || access("/dev/nvidiactl", F_OK) == 0 ||
         access("/proc/driver/nvidia/version", F_OK) == 0;
}

Result<GpuMeasurement> measure_gpus(const ChipTable& chips, const MeasureWindows& windows,
                                    const GpuProgress& progress,
                                    const std::function<bool()>& interrupted) {
  const auto driver = Driver::load();
  if (!driver) return tl::unexpected(driver.error());
  const auto devices = driver->devices();
  if (!devices) return tl::unexpected(devices.error());
  GpuMeasurement all;
  for (const DriverDevice& device : *devices) {
    // The driver does not say which chip it is; chips of one capability count and compute alike.
    const Chip* chip =
        chips.of_capability(fmt::format("{}.{}", device.compute_major, device.compute_minor));
    Gpu gpu = described(device, chip);
    if (chip != nullptr && chips.is_alone(*chip)) gpu.chip = chip->name;
    auto measured = measure(gpu, *driver, device, windows, progress, interrupted, all.whole);
    std::vector<GpuCeiling> theoretical;
    if (chip != nullptr) {
      theoretical = theoretical_ceilings(
          *chip, {device.multiprocessors, device.sm_clock_hz, device.memory_clock_hz,
                  device.memory_bus_bits, device.integrated});
      for (std::string& note : theory_notes(*chip)) gpu.notes.push_back(std::move(note));
    }
    gpu.ceilings = in_order(std::move(measured), {}, theoretical);
    all.gpus.push_back(std::move(gpu));
  }
  return all;
}

Result<std::unique_ptr<MicrokernelDevice>> MicrokernelDevice::open(const Driver& driver,
                                                                   const DriverDevice& device,
                                                                   const void* image) {
  auto session = DeviceSession::open(driver, device);
  if (!session) return tl::unexpected(session.error());
  if (const auto loaded = (*session)->load_module(image); !loaded)
    return tl::unexpected(loaded.error());
  std::unique_ptr<MicrokernelDevice> opened(new MicrokernelDevice(device, std::move(*session)));
  DeviceSession& on = *opened->session_;
  opened->buffer_bytes_ = buffer_bytes_for(device);
  for (DeviceMemory* buffer : {&opened->out_, &opened->in_, &opened->in2_}) {
    const auto memory = on.allocate(opened->buffer_bytes_);
    if (!memory) return tl::unexpected(memory.error());
    *buffer = *memory;
  }
  const auto clocks = on.allocate(64);
  if (!clocks) return tl::unexpected(clocks.error());
  opened->clocks_ = *clocks;
  const ClockWords none{};
  if (const auto cleared = on.to_device(opened->clocks_, none.data(), sizeof none); !cleared)
    return tl::unexpected(cleared.error());
  const auto words = random_words(random_bytes);
  if (const auto filled = on.to_device(opened->in_, words.data(), random_bytes); !filled)
    return tl::unexpected(filled.error());
  for (std::size_t have = random_bytes; have < opened->buffer_bytes_; have *= 2)
    if (const auto filled =
            on.copy(opened->in_ + have, opened->in_, std::min(have, opened->buffer_bytes_ - have));
        !filled)
      return tl::unexpected(filled.error());
  if (const auto filled = on.copy(opened->in2_, opened->in_, opened->buffer_bytes_); !filled)
    return tl::unexpected(filled.error());
  for (const Microkernel& kernel : microkernels())
    if (void* function = on.function(kernel.name); function != nullptr && kernel.shared_bytes > 0)
      if (const auto allowed = on.allow_shared_memory(function, kernel.shared_bytes); !allowed)
        return tl::unexpected(allowed.error());
  return opened;
}

bool MicrokernelDevice::has(const Microkernel& kernel) const {
  return session_->function(kernel.name) != nullptr;
}

std::optional<CodeOfKernel> MicrokernelDevice::code() const {
  for (const Microkernel& kernel : microkernels())
    if (void* function = session_->function(kernel.name)) return session_->code_of(function);
  return std::nullopt;
}

MicrokernelDevice::Shape MicrokernelDevice::shape_of(const Microkernel& kernel) const {
  Shape shape;
  shape.blocks = kernel.blocks_per_sm * std::max(device_.multiprocessors, 1U);
  if (kernel.bound == Bound::memory) shape.elements = buffer_bytes_ / 16;
  if (kernel.bound == Bound::sm) shape.elements = sm_elements;
  // A quarter of L2: halves of it on the larger chips hold copies for their own side.
  if (kernel.bound == Bound::l2)
    shape.elements = std::max<std::uint64_t>(device_.l2_bytes / 4, MiB) / 16;
  return shape;
}

Result<TimedLaunch> MicrokernelDevice::launch(const Microkernel& kernel,
                                              std::uint64_t iterations) const {
  void* function = session_->function(kernel.name);
  if (function == nullptr)
    return tl::unexpected(Problem{"it is not of this architecture", kernel.name, ""});
  const Shape shape = shape_of(kernel);
  Work work{out_, in_, in2_, shape.elements, iterations, clocks_};
  std::array<void*, 1> parameters = {&work};
  const auto time = session_->timed_launch(function, shape.blocks, kernel.block_threads,
                                           kernel.shared_bytes, parameters.data());
  if (!time) return tl::unexpected(time.error());
  ClockWords clocks{};
  if (const auto read = session_->from_device(clocks.data(), clocks_, sizeof clocks); !read)
    return tl::unexpected(read.error());
  if (clocks[2] != 0) {
    const ClockWords none{};
    if (const auto cleared = session_->to_device(clocks_, none.data(), sizeof none); !cleared)
      return tl::unexpected(cleared.error());
    return tl::unexpected(Problem{
        "its tensor units did not end, or did not multiply what they were given", kernel.name, ""});
  }
  TimedLaunch timed;
  timed.time_s = *time;
  timed.work = work_of(kernel, std::uint64_t{shape.blocks} * kernel.block_threads, shape.elements,
                       iterations);
  // The global timer moves in steps of up to a microsecond and more: not of use for short launches.
  if (clocks[1] > 1'000'000)
    timed.sm_clock_hz = static_cast<double>(clocks[0]) / (static_cast<double>(clocks[1]) * 1e-9);
  return timed;
}

Result<TimedLaunch> MicrokernelDevice::device_copy() const {
  const auto time = session_->timed_copy(out_, in_, buffer_bytes_);
  if (!time) return tl::unexpected(time.error());
  return TimedLaunch{*time, 2 * static_cast<double>(buffer_bytes_), 0};
}

}  // namespace roofmark::cupti
