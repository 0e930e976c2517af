// A libcuda.so.1 without a GPU: enough of the driver for a program that launches kernels by name,
// and for what is injected into it. No header of CUDA is used. See README.md.
#include <dlfcn.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "fake_device.h"

#define FAKE extern "C" __attribute__((visibility("default")))

namespace {

constexpr int success = 0, not_initialized = 3, no_device = 100, invalid_device = 101,
              invalid_context = 201, in_a_fork_child = 3;

/// What attributes of a device are asked for, by CUDA's numbers.
enum Attribute {
  clock_khz = 13,
  multiprocessors = 16,
  integrated = 18,
  memory_clock_khz = 36,
  bus_bits = 37,
  l2_bytes = 38,
  compute_major = 75,
  compute_minor = 76,
  mps = 133
};

struct ChipRow {
  const char* chip;
  const char* name;
  std::map<int, int> attributes;
  std::size_t memory_bytes;
};
const std::vector<ChipRow>& chips() {
  constexpr std::size_t gib = std::size_t{1} << 30;
  static const std::vector<ChipRow> rows = {
      {"GH100",
       "Fake H100",
       {{clock_khz, 1980000},
        {multiprocessors, 132},
        {memory_clock_khz, 2619000},
        {bus_bits, 5120},
        {l2_bytes, 52428800},
        {compute_major, 9}},
       80 * gib},
      {"GA100",
       "Fake A100",
       {{clock_khz, 1410000},
        {multiprocessors, 108},
        {memory_clock_khz, 1512000},
        {bus_bits, 5120},
        {l2_bytes, 41943040},
        {compute_major, 8}},
       80 * gib},
      {"GB100",
       "Fake B200",
       {{clock_khz, 1965000},
        {multiprocessors, 148},
        {memory_clock_khz, 3996000},
        {bus_bits, 8192},
        {l2_bytes, 132644864},
        {compute_major, 10}},
       180 * gib},
      {"GB20B",
       "Fake GB10",
       {{clock_khz, 2418000},
        {multiprocessors, 48},
        {integrated, 1},
        {bus_bits, 256},
        {l2_bytes, 25165824},
        {compute_major, 12},
        {compute_minor, 1}},
       120 * gib},
  };
  return rows;
}

struct Driver {
  std::mutex mutex;
  int state = 0;
  int pid = 0;
  int result = success;
  FakeHook hook = nullptr;
  std::vector<std::string> devices;                                  // their chips
  std::map<std::pair<int, std::uint32_t>, std::int64_t> stream_end;  // by context number
  std::int64_t virtual_begin = 0;
  std::uint32_t contexts = 0, graphs = 0;
  std::map<std::string, std::map<std::string, double>> data;
};
Driver& driver() {
  static auto* const made = new Driver;
  return *made;
}
thread_local FakeContext* current = nullptr;

std::int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

std::string text_of(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

void read_environment(Driver& d) {
  std::istringstream list(text_of("FAKE_GPU_CHIPS", "GH100"));
  for (std::string chip; std::getline(list, chip, ',');) d.devices.push_back(chip);
  std::ifstream file(text_of("FAKE_GPU_DATA", "/dev/null"));
  for (std::string line; std::getline(file, line);) {
    std::istringstream parts(line);
    std::string kernel, metric, value;
    if (std::getline(parts, kernel, '\t') && std::getline(parts, metric, '\t') &&
        std::getline(parts, value, '\t') && kernel[0] != '#')
      d.data[kernel][metric] = std::strtod(value.c_str(), nullptr);
  }
}

const ChipRow& chip_of(int device) {
  const std::string& chip = driver().devices.at(static_cast<std::size_t>(device));
  for (const ChipRow& row : chips())
    if (row.chip == chip) return row;
  return chips().front();
}

void tell(FakeEvent event, const void* what) {
  if (driver().hook != nullptr) driver().hook(event, what);
}

/// A call of the driver that CUPTI may tell of, below one of the runtime where that is asked for.
class Call {
 public:
  explicit Call(const char* function, const char* kernel = nullptr)
      : call_{function, kernel, current, success} {
    static const bool by_runtime = text_of("FAKE_CUDA_RUNTIME", "0") == "1";
    runtime_ = by_runtime;
    if (runtime_) tell(fake_runtime_call_begins, &call_);
    tell(fake_call_begins, &call_);
  }
  ~Call() {
    tell(fake_call_ends, &call_);
    if (runtime_) tell(fake_runtime_call_ends, &call_);
  }
  int end(int result) {
    call_.result = result;
    return result;
  }

 private:
  FakeCall call_;
  bool runtime_ = false;
};

bool is_virtual() {
  static const bool asked = text_of("FAKE_GPU_CLOCK", "host") == "virtual";
  return asked;
}

/// Behind what its stream has to do; -1 as its duration: it never ends.
void run(FakeWork work, double duration_ns) {
  Driver& d = driver();
  constexpr std::int64_t launch_latency_ns = 2000;
  {
    const std::lock_guard lock(d.mutex);
    if (d.virtual_begin == 0) d.virtual_begin = now();
    std::int64_t& end = d.stream_end[{static_cast<int>(current->number), work.stream}];
    if (end < 0) return;  // behind a kernel that never ends
    work.start_ns =
        is_virtual() ? std::max(end, d.virtual_begin) : std::max(end, now() + launch_latency_ns);
    if (duration_ns < 0) {
      end = -1;
      work.end_ns = 0;
    } else {
      work.end_ns = end = work.start_ns + static_cast<std::int64_t>(duration_ns);
    }
  }
  work.context = current;
  tell(fake_work, &work);
}

void run_kernel(const char* kernel, std::uint32_t grid, std::uint32_t block, std::uint32_t stream,
                std::uint32_t graph) {
  FakeWork work{};
  work.kernel = kernel;
  work.grid = grid;
  work.block = block;
  work.stream = stream;
  work.graph = graph;
  run(work, fake_value(kernel, "time_ns", 1000));
}

int wait_for(std::uint32_t stream, bool all) {
  for (;;) {
    std::int64_t until = 0;
    {
      const std::lock_guard lock(driver().mutex);
      for (const auto& [key, end] : driver().stream_end)
        if (key.first == static_cast<int>(current->number) && (all || key.second == stream)) {
          if (end < 0) until = -1;
          if (until >= 0) until = std::max(until, end);
        }
    }
    if (until >= 0 && (is_virtual() || until <= now())) return success;
    if (until < 0) {
      pause();
      continue;
    }
    const timespec at{until / 1'000'000'000, until % 1'000'000'000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);
  }
}

int ready() {
  if (driver().state != 2) return not_initialized;
  // A fork child of a process that used the driver can't use it.
  return driver().pid == getpid() ? driver().result : in_a_fork_child;
}

/// Launches that are kept instead of being run.
thread_local std::vector<std::string>* capturing = nullptr;

int copy(const char* function, const char* kind, std::uint64_t bytes, int peer = 0) {
  if (current == nullptr) return invalid_context;
  Call call(function);
  FakeWork work{};
  work.copy = kind;
  work.bytes = bytes;
  work.peer = peer;
  constexpr double ns_per_byte = 1.0 / 16;
  run(work, static_cast<double>(bytes) * ns_per_byte);
  return call.end(success);
}

}  // namespace

FAKE void fake_set_hook(FakeHook hook) {
  driver().hook = hook;
}
FAKE int fake_init_state(void) {
  return driver().state;
}
FAKE int fake_device_count(void) {
  return static_cast<int>(driver().devices.size());
}
FAKE const char* fake_chip(int device) {
  return driver().devices.at(static_cast<std::size_t>(device)).c_str();
}
FAKE double fake_value(const char* kernel, const char* metric, double otherwise) {
  for (const char* const name : {kernel, "*"}) {
    const auto row = driver().data.find(name);
    if (row == driver().data.end()) continue;
    const auto value = row->second.find(metric);
    if (value != row->second.end()) return value->second;
  }
  return otherwise;
}

FAKE int cuInit(unsigned) {
  Driver& d = driver();
  if (d.state != 0) return ready();
  d.state = 1;
  d.pid = getpid();
  read_environment(d);
  d.result = std::atoi(text_of("FAKE_CUINIT", "0").c_str());
  if (d.devices.empty() && d.result == success) d.result = no_device;
  if (const char* const path = std::getenv("CUDA_INJECTION64_PATH"); path != nullptr) {
    void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    auto* const begin = reinterpret_cast<int (*)()>(
        library == nullptr ? nullptr : dlsym(library, "InitializeInjection"));
    // Only in tests: the real driver says nothing.
    if (begin == nullptr) std::fprintf(stderr, "[fake cuda] not injected: %s\n", dlerror());
    if (begin != nullptr && begin() == 0) std::fprintf(stderr, "[fake cuda] injection refused\n");
  }
  d.state = 2;
  return d.result;
}
FAKE int cuDriverGetVersion(int* version) {
  *version = 13000;
  return success;
}
FAKE int cuDeviceGetCount(int* count) {
  *count = fake_device_count();
  return ready();
}
FAKE int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return ordinal < fake_device_count() ? ready() : invalid_device;
}
FAKE int cuDeviceGetName(char* name, int room, int device) {
  const bool part = text_of("FAKE_GPU_MIG", "0") == "1";
  std::snprintf(name, static_cast<std::size_t>(room), "%s%s", chip_of(device).name,
                part ? " MIG 1g.10gb" : "");
  return ready();
}
FAKE int cuDeviceGetUuid_v2(unsigned char* uuid, int device) {
  std::memset(uuid, 0, 16);
  uuid[0] = 0xfa;
  uuid[15] = static_cast<unsigned char>(device + 1);
  return ready();
}
FAKE int cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
  *bytes = chip_of(device).memory_bytes;
  return ready();
}
FAKE int cuDeviceGetAttribute(int* value, int which, int device) {
  const auto& attributes = chip_of(device).attributes;
  const auto found = attributes.find(which);
  *value = found == attributes.end() ? 0 : found->second;
  if (which == mps) *value = std::atoi(text_of("FAKE_GPU_MPS", "0").c_str());
  return ready();
}

FAKE int cuCtxCreate_v2(FakeContext** context, unsigned, int device) {
  if (const int error = ready(); error != success) return error;
  current = *context = new FakeContext{device, ++driver().contexts};
  tell(fake_context_created, current);
  return success;
}
FAKE int cuCtxSetCurrent(FakeContext* context) {
  current = context;
  return ready();
}
FAKE int cuCtxDestroy_v2(FakeContext* context) {
  tell(fake_context_ends, context);
  return ready();  // never freed: records still name it
}
FAKE int cuCtxSynchronize(void) {
  if (current == nullptr) return invalid_context;
  Call call("cuCtxSynchronize");
  return call.end(wait_for(0, true));
}
FAKE int cuStreamSynchronize(std::uintptr_t stream) {
  if (current == nullptr) return invalid_context;
  Call call("cuStreamSynchronize");
  return call.end(wait_for(static_cast<std::uint32_t>(stream), false));
}

// The function is its kernel's name, the stream its number.
FAKE int cuLaunchKernel(const char* kernel, unsigned grid, unsigned, unsigned, unsigned block,
                        unsigned, unsigned, unsigned, std::uintptr_t stream, void**, void**) {
  if (ready() != success) return ready();
  if (current == nullptr) return invalid_context;
  Call call("cuLaunchKernel", kernel);
  if (std::strcmp(kernel, "fails") == 0) return call.end(1);
  if (capturing != nullptr) {
    capturing->push_back(kernel);
    tell(fake_graph_node_created, current);
    return call.end(success);
  }
  run_kernel(kernel, grid, block, static_cast<std::uint32_t>(stream), 0);
  return call.end(success);
}
FAKE int cuStreamBeginCapture_v2(std::uintptr_t, int) {
  capturing = new std::vector<std::string>;
  return success;
}
FAKE int cuStreamEndCapture(std::uintptr_t, std::vector<std::string>** graph) {
  *graph = capturing;
  capturing = nullptr;
  return success;
}
FAKE int cuGraphLaunch(std::vector<std::string>* graph, std::uintptr_t stream) {
  if (current == nullptr) return invalid_context;
  Call call("cuGraphLaunch");
  const std::uint32_t number = ++driver().graphs;
  for (const std::string& kernel : *graph)
    run_kernel(kernel.c_str(), 1, 32, static_cast<std::uint32_t>(stream), number);
  return call.end(success);
}

FAKE int cuMemcpyHtoD_v2(std::uint64_t, const void*, std::size_t bytes) {
  return copy("cuMemcpyHtoD_v2", "HtoD", bytes);
}
FAKE int cuMemcpyDtoH_v2(void*, std::uint64_t, std::size_t bytes) {
  return copy("cuMemcpyDtoH_v2", "DtoH", bytes);
}
FAKE int cuMemcpyDtoDAsync_v2(std::uint64_t, std::uint64_t, std::size_t bytes, std::uintptr_t) {
  return copy("cuMemcpyDtoDAsync_v2", "DtoD", bytes);
}
FAKE int cuMemcpyPeerAsync(std::uint64_t, FakeContext* to, std::uint64_t, FakeContext*,
                           std::size_t bytes, std::uintptr_t) {
  return copy("cuMemcpyPeerAsync", "PtoP", bytes, to->device);
}
FAKE int cuMemsetD8_v2(std::uint64_t, unsigned char, std::size_t bytes) {
  return copy("cuMemsetD8_v2", "set", bytes);
}
