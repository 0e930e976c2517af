// A driver with two devices on which kernels take the time that FAKE_RATES gives them, for tests of
// what launches them. FAKE_FAIL="call=code,..." makes calls fail; FAKE_LACKS="name,..." leaves
// kernels out of the module; FAKE_WRONG="name,..." has them say that they did not do their work;
// FAKE_MAJOR and FAKE_MINOR are the first device's compute capability; FAKE_BINARY and FAKE_PTX
// what its kernels were compiled for.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "collectors/cupti/ceilings/microkernels.hpp"

namespace {

using namespace roofmark::cupti;

struct Work {
  std::uint64_t out, in, in2, elements, iterations, clocks;
};

double now_s = 0;  ///< on the device
struct Event {
  double at_s = 0;
};
int contexts = 0, allocations = 0;

bool lists(const char* variable, const std::string& name) {
  const char* text = std::getenv(variable);
  return text != nullptr &&
         ("," + std::string(text) + ",").find("," + name + ",") != std::string::npos;
}

std::optional<int> number(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? std::nullopt : std::optional(std::atoi(text));
}

int failure(const std::string& call) {
  const char* text = std::getenv("FAKE_FAIL");
  if (text == nullptr) return 0;
  const std::string all = "," + std::string(text) + ",";
  const std::size_t at = all.find("," + call + "=");
  return at == std::string::npos ? 0 : std::atoi(all.c_str() + at + call.size() + 2);
}

/// Work per second: 10^12, and of a memory-bound kernel 10^11.
double rate_of(const Microkernel& kernel) {
  return kernel.bound == Bound::memory ? 1e11 : 1e12;
}
constexpr double clock_hz = 1.5e9;

}  // namespace

extern "C" {
int cuInit(unsigned) {
  return failure("cuInit");
}
int cuDriverGetVersion(int* version) {
  return *version = 13000, 0;
}
int cuGetErrorName(int code, const char** name) {
  *name = "CUDA_ERROR_OF_THE_TEST";
  return code == 0 ? 1 : 0;
}
int cuDeviceGetCount(int* count) {
  return *count = 2, failure("cuDeviceGetCount");
}
int cuDeviceGet(int* device, int index) {
  return *device = index, 0;
}
int cuDeviceGetName(char* name, int length, int device) {
  std::strncpy(name, device == 0 ? "NVIDIA H100 of the test" : "NVIDIA of tomorrow MIG 1g.10gb",
               static_cast<std::size_t>(length));
  return 0;
}
int cuDeviceGetUuid_v2(unsigned char* uuid, int device) {
  for (int i = 0; i < 16; ++i) uuid[i] = static_cast<unsigned char>(device * 16 + i);
  return 0;
}
int cuDeviceGetAttribute(int* value, int attribute, int device) {
  const char* major = std::getenv("FAKE_MAJOR");
  switch (attribute) {
    case 13:
      return *value = 1980000, 0;
    case 16:
      return *value = 132, 0;
    case 36:
      return *value = 2619000, 0;
    case 37:
      return *value = 5120, 0;
    case 38:
      return *value = 50 << 20, 0;
    case 75:
      return *value = device != 0 ? 99 : major != nullptr ? std::atoi(major) : 9, 0;
    case 76:
      return *value = device == 0 ? number("FAKE_MINOR").value_or(0) : 0, 0;
    default:
      return *value = 0, 0;
  }
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  return *bytes = std::size_t{400} << 20, 0;
}
int cuDevicePrimaryCtxRetain(void** context, int device) {
  *context = reinterpret_cast<void*>(static_cast<std::uintptr_t>(device + 1));
  ++contexts;
  return failure("cuDevicePrimaryCtxRetain");
}
int cuDevicePrimaryCtxRelease_v2(int) {
  return --contexts, 0;
}
int cuCtxSetCurrent(void*) {
  return failure("cuCtxSetCurrent");
}
int cuModuleLoadData(void** module, const void* image) {
  *module = const_cast<void*>(image);
  return image == nullptr ? 1 : failure("cuModuleLoadData");
}
int cuModuleUnload(void*) {
  return 0;
}
int cuModuleGetFunction(void** function, void*, const char* name) {
  for (const Microkernel& kernel : microkernels())
    if (std::strcmp(kernel.name, name) == 0 && !lists("FAKE_LACKS", name))
      return *function = const_cast<Microkernel*>(&kernel), 0;
  return 500;
}
int cuFuncSetAttribute(void*, int attribute, int value) {
  return attribute == 8 && value > 0 ? failure("cuFuncSetAttribute") : 1;
}
int cuFuncGetAttribute(int* value, int attribute, void*) {
  const auto known = attribute == 5   ? number("FAKE_PTX")
                     : attribute == 6 ? number("FAKE_BINARY")
                                      : std::nullopt;
  return *value = known.value_or(0), known ? 0 : 1;
}
int cuMemAlloc_v2(std::uint64_t* memory, std::size_t bytes) {
  if (const int code = failure("cuMemAlloc_v2")) return code;
  *memory = reinterpret_cast<std::uint64_t>(std::malloc(bytes));
  ++allocations;
  return 0;
}
int cuMemFree_v2(std::uint64_t memory) {
  std::free(reinterpret_cast<void*>(memory));
  return --allocations, 0;
}
int cuMemcpyHtoD_v2(std::uint64_t to, const void* from, std::size_t bytes) {
  return std::memcpy(reinterpret_cast<void*>(to), from, bytes), 0;
}
int cuMemcpyDtoH_v2(void* to, std::uint64_t from, std::size_t bytes) {
  return std::memcpy(to, reinterpret_cast<void*>(from), bytes), failure("cuMemcpyDtoH_v2");
}
int cuMemcpyDtoD_v2(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
  now_s += static_cast<double>(bytes) * 2 / 1e11;
  return std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes), 0;
}
int cuLaunchKernel(void* function, unsigned x, unsigned, unsigned, unsigned threads, unsigned,
                   unsigned, unsigned shared, void*, void** parameters, void**) {
  const Microkernel& kernel = *static_cast<const Microkernel*>(function);
  if (const int code = failure(kernel.name)) return code;
  if (shared != kernel.shared_bytes) return 1;
  const Work& work = *static_cast<const Work*>(parameters[0]);
  const double time_s =
      work_of(kernel, std::uint64_t{x} * threads, work.elements, work.iterations) / rate_of(kernel);
  now_s += time_s;
  auto* clocks = reinterpret_cast<std::uint64_t*>(work.clocks);
  clocks[0] = static_cast<std::uint64_t>(time_s * clock_hz);
  clocks[1] = static_cast<std::uint64_t>(time_s * 1e9);
  if (lists("FAKE_WRONG", kernel.name)) clocks[2] = 1;
  return 0;
}
int cuEventCreate(void** event, unsigned) {
  return *event = new Event, 0;
}
int cuEventDestroy_v2(void* event) {
  return delete static_cast<Event*>(event), 0;
}
int cuEventRecord(void* event, void*) {
  return static_cast<Event*>(event)->at_s = now_s, 0;
}
int cuEventSynchronize(void*) {
  return failure("cuEventSynchronize");
}
int cuEventElapsedTime(float* milliseconds, void* before, void* behind) {
  *milliseconds = static_cast<float>(
      (static_cast<Event*>(behind)->at_s - static_cast<Event*>(before)->at_s) * 1e3);
  return 0;
}
/// For the test: what was not given back.
int fake_driver_left() {
  return contexts + allocations;
}
}
