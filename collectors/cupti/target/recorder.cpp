#include "recorder.hpp"

#include <time.h>
#include <unistd.h>

#include <utility>

#include "collectors/cupti/device_identity.hpp"
#include "collectors/cupti/error_table.hpp"
#include "lock_soon.hpp"

namespace roofmark::cupti {
namespace {

std::string executable() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string();
}

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

DeviceRow ask_driver(const CudaDriver& cuda, unsigned ordinal) {
  DeviceRow row;
  row.index = ordinal;
  CUdevice device = 0;
  if (cuda.cuDeviceGet == nullptr ||
      cuda.cuDeviceGet(&device, static_cast<int>(ordinal)) != CUDA_SUCCESS) {
    row.uuid = "device " + std::to_string(ordinal);
    return row;
  }
  char name[256] = {};
  if (cuda.cuDeviceGetName(name, sizeof name - 1, device) == CUDA_SUCCESS) row.name = name;
  row.mig = is_mig_instance(row.name);
  CUuuid uuid{};
  row.uuid = cuda.cuDeviceGetUuid_v2(&uuid, device) == CUDA_SUCCESS
                 ? device_uuid(uuid.bytes, row.mig)
                 : "device " + std::to_string(ordinal);
  std::size_t memory = 0;
  if (cuda.cuDeviceTotalMem_v2(&memory, device) == CUDA_SUCCESS) row.memory_bytes = memory;
  const auto attribute = [&](CUdevice_attribute which) {
    int value = 0;
    const bool known = cuda.cuDeviceGetAttribute(&value, which, device) == CUDA_SUCCESS;
    return known && value > 0 ? static_cast<unsigned>(value) : 0U;
  };
  row.compute_major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  row.compute_minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  row.multiprocessors = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  row.l2_bytes = attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  row.memory_bus_bits = attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  row.sm_clock_khz = attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  row.memory_clock_khz = attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  row.integrated = attribute(CU_DEVICE_ATTRIBUTE_INTEGRATED) != 0;
  return row;
}

}  // namespace

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

Recorder::Recorder(GpuRunPlan run_plan) : plan(std::move(run_plan)) {}

bool Recorder::begin() {
  begin_ns_ = now_ns();
  paths.find_runtime();
  return file_.claim(plan.results_directory, getpid());
}

ProblemRow& Recorder::row_of(const ProblemRow& row) {
  for (ProblemRow& known : problems_)
    if (known.call == row.call && known.code == row.code && known.name == row.name &&
        known.reason == row.reason && known.device == row.device)
      return known;
  problems_.push_back(row);
  problems_.back().count = 0;
  return problems_.back();
}

void Recorder::failed(const char* call, int code, std::optional<std::uint32_t> device) {
  const Explanation& why = explain(code);
  const std::lock_guard lock(mutex_);
  ++row_of({call, why.name, why.reason, why.fix, code, device}).count;
}

void Recorder::say(const char* name, std::optional<std::uint32_t> device, std::uint64_t count,
                   const std::string& detail) {
  const Explanation& why = explain(std::string_view(name));
  std::string reason = why.reason;
  if (!detail.empty()) reason += ": " + detail;
  const std::lock_guard lock(mutex_);
  row_of({"", why.name, std::move(reason), why.fix, 0, device}).count += count;
}

std::uint32_t Recorder::device(unsigned ordinal) {
  const auto known = [&]() -> std::optional<std::uint32_t> {
    const auto found = numbers_.find(ordinal);
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
  };
  {
    const std::lock_guard lock(mutex_);
    if (const auto number = known()) return *number;
  }
  // Without the lock: a driver that hangs must not hold what the last save needs.
  DeviceRow row = ask_driver(cuda, ordinal);
  const std::lock_guard lock(mutex_);
  if (const auto number = known()) return *number;
  const auto number = static_cast<std::uint32_t>(devices_.size());
  devices_.push_back(std::move(row));
  numbers_.emplace(ordinal, number);
  return number;
}

DeviceRow Recorder::device_row(std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  return devices_.at(number);
}

void Recorder::set_chip(std::uint32_t number, const std::string& chip) {
  const std::lock_guard lock(mutex_);
  devices_.at(number).chip = chip;
}

void Recorder::save(ResultsEnd end, bool process_ends, const std::function<void(Snapshot&)>& fill) {
  std::unique_lock file_lock(file_mutex_, std::defer_lock);
  if (!process_ends)
    file_lock.lock();
  else if (!lock_soon(file_lock))
    return;
  if (ended_) return;
  if (is_out_of_memory() && !std::exchange(out_of_memory_told_, true)) say("internal");
  Snapshot s;
  s.host = host_name();
  s.exe = executable();
  s.set = plan.set;
  s.pid = getpid();
  s.ppid = getppid();
  s.begin_ns = begin_ns_;
  s.sequence = file_.sequence();
  if (cuda.cuDriverGetVersion != nullptr) (void)cuda.cuDriverGetVersion(&s.driver_version);
  s.cupti_version = cupti.version;
  s.kind = plan.kind;
  s.markers = paths.has_runtime();
  s.end = end;
  // Before the paths and devices: what it adds refers to some that exist by then.
  fill(s);
  s.paths = paths.all();
  {
    const std::lock_guard lock(mutex_);
    s.devices = devices_;
    s.problems = problems_;
  }
  ended_ = file_.replace(to_text(s)) && end == ResultsEnd::exit;
}

}  // namespace roofmark::cupti
