#include "driver.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdlib>

#include "collectors/cupti/device_identity.hpp"

namespace roofmark::cupti {

/// Handles are pointers or ints, addresses 64 bits, results ints: no header is needed to call them.
struct DriverCalls {
  int (*init)(unsigned) = nullptr;
  int (*version)(int*) = nullptr;
  int (*error_name)(int, const char**) = nullptr;
  int (*device_count)(int*) = nullptr;
  int (*device)(int*, int) = nullptr;
  int (*device_name)(char*, int, int) = nullptr;
  int (*device_uuid)(unsigned char*, int) = nullptr;
  int (*device_attribute)(int*, int, int) = nullptr;
  int (*device_memory)(std::size_t*, int) = nullptr;
  int (*context_retain)(void**, int) = nullptr;
  int (*context_release)(int) = nullptr;
  int (*context_use)(void*) = nullptr;
  int (*module_load)(void**, const void*) = nullptr;
  int (*module_unload)(void*) = nullptr;
  int (*module_function)(void**, void*, const char*) = nullptr;
  int (*function_attribute)(void*, int, int) = nullptr;
  int (*function_fact)(int*, int, void*) = nullptr;  ///< none: not asked
  int (*allocate)(DeviceMemory*, std::size_t) = nullptr;
  int (*free)(DeviceMemory) = nullptr;
  int (*copy_to)(DeviceMemory, const void*, std::size_t) = nullptr;
  int (*copy_from)(void*, DeviceMemory, std::size_t) = nullptr;
  int (*copy_on)(DeviceMemory, DeviceMemory, std::size_t) = nullptr;
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,
                void**, void**) = nullptr;
  int (*event_create)(void**, unsigned) = nullptr;
  int (*event_destroy)(void*) = nullptr;
  int (*event_record)(void*, void*) = nullptr;
  int (*event_wait)(void*) = nullptr;
  int (*event_time)(float*, void*, void*) = nullptr;
};

namespace {

/// CUdevice_attribute of cuda.h: numbers that never change.
enum Attribute {
  clock_rate_khz = 13,
  multiprocessor_count = 16,
  integrated = 18,
  memory_clock_khz = 36,
  memory_bus_bits = 37,
  l2_bytes = 38,
  capability_major = 75,
  capability_minor = 76
};
/// CUfunction_attribute: PTX_VERSION, BINARY_VERSION, MAX_DYNAMIC_SHARED_SIZE_BYTES
constexpr int ptx_version = 5, binary_version = 6, most_shared_bytes = 8;

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

/// `_v2` are the names that cuda.h maps its calls to: 64-bit addresses and sizes.
bool find_all(void* library, DriverCalls& calls) {
  find(library, "cuFuncGetAttribute", calls.function_fact);
  return find(library, "cuInit", calls.init) &&
         find(library, "cuDriverGetVersion", calls.version) &&
         find(library, "cuGetErrorName", calls.error_name) &&
         find(library, "cuDeviceGetCount", calls.device_count) &&
         find(library, "cuDeviceGet", calls.device) &&
         find(library, "cuDeviceGetName", calls.device_name) &&
         (find(library, "cuDeviceGetUuid_v2", calls.device_uuid) ||
          find(library, "cuDeviceGetUuid", calls.device_uuid)) &&
         find(library, "cuDeviceGetAttribute", calls.device_attribute) &&
         find(library, "cuDeviceTotalMem_v2", calls.device_memory) &&
         find(library, "cuDevicePrimaryCtxRetain", calls.context_retain) &&
         find(library, "cuDevicePrimaryCtxRelease_v2", calls.context_release) &&
         find(library, "cuCtxSetCurrent", calls.context_use) &&
         find(library, "cuModuleLoadData", calls.module_load) &&
         find(library, "cuModuleUnload", calls.module_unload) &&
         find(library, "cuModuleGetFunction", calls.module_function) &&
         find(library, "cuFuncSetAttribute", calls.function_attribute) &&
         find(library, "cuMemAlloc_v2", calls.allocate) &&
         find(library, "cuMemFree_v2", calls.free) &&
         find(library, "cuMemcpyHtoD_v2", calls.copy_to) &&
         find(library, "cuMemcpyDtoH_v2", calls.copy_from) &&
         find(library, "cuMemcpyDtoD_v2", calls.copy_on) &&
         find(library, "cuLaunchKernel", calls.launch) &&
         find(library, "cuEventCreate", calls.event_create) &&
         find(library, "cuEventDestroy_v2", calls.event_destroy) &&
         find(library, "cuEventRecord", calls.event_record) &&
         find(library, "cuEventSynchronize", calls.event_wait) &&
         find(library, "cuEventElapsedTime", calls.event_time);
}

Result<void> done(const DriverCalls& calls, const char* name, int code) {
  if (code == 0) return {};
  return tl::unexpected(driver_problem(calls, name, code));
}

DriverDevice facts_of(const DriverCalls& calls, int handle) {
  DriverDevice device;
  device.handle = handle;
  std::array<char, 256> name{};
  if (calls.device_name(name.data(), static_cast<int>(name.size() - 1), handle) == 0)
    device.name = name.data();
  std::array<unsigned char, 16> uuid{};
  if (calls.device_uuid(uuid.data(), handle) == 0)
    device.uuid = device_uuid(uuid.data(), is_mig_instance(device.name));
  std::size_t bytes = 0;
  if (calls.device_memory(&bytes, handle) == 0) device.memory_bytes = bytes;
  const auto attribute = [&](Attribute which) -> unsigned {
    int value = 0;
    return calls.device_attribute(&value, which, handle) == 0 && value > 0
               ? static_cast<unsigned>(value)
               : 0;
  };
  device.compute_major = attribute(capability_major);
  device.compute_minor = attribute(capability_minor);
  device.multiprocessors = attribute(multiprocessor_count);
  device.l2_bytes = attribute(l2_bytes);
  device.memory_bus_bits = attribute(memory_bus_bits);
  device.integrated = attribute(integrated) != 0;
  if (const unsigned khz = attribute(clock_rate_khz)) device.sm_clock_hz = khz * 1e3;
  if (const unsigned khz = attribute(memory_clock_khz)) device.memory_clock_hz = khz * 1e3;
  return device;
}

}  // namespace

Problem driver_problem(const DriverCalls& calls, const std::string& call, int code) {
  const char* name = nullptr;
  if (calls.error_name == nullptr || calls.error_name(code, &name) != 0) name = nullptr;
  return {call + " returned " + std::to_string(code) +
              (name == nullptr ? "" : " (" + std::string(name) + ")"),
          "NVIDIA's driver", "nvidia-smi says how the driver is"};
}

Result<Driver> Driver::load() {
  const char* given = std::getenv("ROOFMARK_CUDA_LIBRARY");
  const std::string name = given != nullptr && *given != '\0' ? given : "libcuda.so.1";
  void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    return tl::unexpected(
        Problem{"there is no NVIDIA driver", name, "install the driver of your GPU"});
  const auto calls = std::make_shared<DriverCalls>();
  if (!find_all(library, *calls))
    return tl::unexpected(
        Problem{"this NVIDIA driver is too old", name, "install one of CUDA 11.4 or later"});
  if (const auto ready = done(*calls, "cuInit", calls->init(0)); !ready)
    return tl::unexpected(ready.error());
  Driver driver;
  calls->version(&driver.version_);
  driver.calls_ = calls;
  return driver;
}

Result<std::vector<DriverDevice>> Driver::devices() const {
  int count = 0;
  if (const auto counted = done(*calls_, "cuDeviceGetCount", calls_->device_count(&count));
      !counted)
    return tl::unexpected(counted.error());
  std::vector<DriverDevice> all;
  for (int i = 0; i < count; ++i) {
    int handle = 0;
    if (const auto got = done(*calls_, "cuDeviceGet", calls_->device(&handle, i)); !got)
      return tl::unexpected(got.error());
    all.push_back(facts_of(*calls_, handle));
  }
  return all;
}

Result<std::unique_ptr<DeviceSession>> DeviceSession::open(const Driver& driver,
                                                           const DriverDevice& device) {
  const DriverCalls& calls = driver.calls();
  std::unique_ptr<DeviceSession> session(new DeviceSession(driver.shared_calls()));
  const auto failed = [&](const char* call, int code) {
    return tl::unexpected(driver_problem(calls, call, code));
  };
  if (const int code = calls.context_retain(&session->context_, device.handle); code != 0)
    return failed("cuDevicePrimaryCtxRetain", code);
  session->device_ = device.handle;
  if (const int code = calls.context_use(session->context_); code != 0)
    return failed("cuCtxSetCurrent", code);
  for (void** event : {&session->before_, &session->behind_})
    if (const int code = calls.event_create(event, 0); code != 0)
      return failed("cuEventCreate", code);
  return session;
}

DeviceSession::~DeviceSession() {
  if (device_ < 0) return;
  for (void* event : {before_, behind_})
    if (event != nullptr) calls_->event_destroy(event);
  for (const DeviceMemory memory : memory_) calls_->free(memory);
  if (module_ != nullptr) calls_->module_unload(module_);
  calls_->context_use(nullptr);
  calls_->context_release(device_);
}

Result<void> DeviceSession::load_module(const void* image) {
  return done(*calls_, "cuModuleLoadData", calls_->module_load(&module_, image));
}

void* DeviceSession::function(const char* name) const {
  void* found = nullptr;
  return calls_->module_function(&found, module_, name) == 0 ? found : nullptr;
}

std::optional<CodeOfKernel> DeviceSession::code_of(void* function) const {
  CodeOfKernel code;
  if (calls_->function_fact == nullptr ||
      calls_->function_fact(&code.ptx, ptx_version, function) != 0 ||
      calls_->function_fact(&code.binary, binary_version, function) != 0 || code.ptx <= 0 ||
      code.binary <= 0)
    return std::nullopt;
  return code;
}

Result<void> DeviceSession::allow_shared_memory(void* function, unsigned bytes) const {
  return done(*calls_, "cuFuncSetAttribute",
              calls_->function_attribute(function, most_shared_bytes, static_cast<int>(bytes)));
}

Result<DeviceMemory> DeviceSession::allocate(std::size_t bytes) {
  DeviceMemory memory = 0;
  if (const auto got = done(*calls_, "cuMemAlloc", calls_->allocate(&memory, bytes)); !got)
    return tl::unexpected(got.error());
  memory_.push_back(memory);
  return memory;
}

Result<void> DeviceSession::to_device(DeviceMemory to, const void* from, std::size_t bytes) const {
  return done(*calls_, "cuMemcpyHtoD", calls_->copy_to(to, from, bytes));
}

Result<void> DeviceSession::from_device(void* to, DeviceMemory from, std::size_t bytes) const {
  return done(*calls_, "cuMemcpyDtoH", calls_->copy_from(to, from, bytes));
}

Result<void> DeviceSession::copy(DeviceMemory to, DeviceMemory from, std::size_t bytes) const {
  return done(*calls_, "cuMemcpyDtoD", calls_->copy_on(to, from, bytes));
}

Result<double> DeviceSession::time_between() const {
  if (const auto waited = done(*calls_, "cuEventSynchronize", calls_->event_wait(behind_)); !waited)
    return tl::unexpected(waited.error());
  float milliseconds = 0;
  if (const auto timed =
          done(*calls_, "cuEventElapsedTime", calls_->event_time(&milliseconds, before_, behind_));
      !timed)
    return tl::unexpected(timed.error());
  return static_cast<double>(milliseconds) * 1e-3;
}

Result<double> DeviceSession::timed(const char* name, const std::function<int()>& call) const {
  if (const auto begun = done(*calls_, "cuEventRecord", calls_->event_record(before_, nullptr));
      !begun)
    return tl::unexpected(begun.error());
  if (const auto worked = done(*calls_, name, call()); !worked)
    return tl::unexpected(worked.error());
  if (const auto ended = done(*calls_, "cuEventRecord", calls_->event_record(behind_, nullptr));
      !ended)
    return tl::unexpected(ended.error());
  return time_between();
}

Result<double> DeviceSession::timed_launch(void* function, unsigned blocks, unsigned threads,
                                           unsigned shared_bytes, void** parameters) const {
  return timed("cuLaunchKernel", [&] {
    return calls_->launch(function, blocks, 1, 1, threads, 1, 1, shared_bytes, nullptr, parameters,
                          nullptr);
  });
}

Result<double> DeviceSession::timed_copy(DeviceMemory to, DeviceMemory from,
                                         std::size_t bytes) const {
  return timed("cuMemcpyDtoD", [&] { return calls_->copy_on(to, from, bytes); });
}

}  // namespace roofmark::cupti
