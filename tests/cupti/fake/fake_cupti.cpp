// A libcupti of two halves: what plans metrics is NVIDIA's own, where it is installed; what needs a
// GPU plays data. It refuses what the real one refuses, and crashes where the real one does. See
// README.md.
#include <cuda.h>
#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_runtime_cbid.h>
#include <cupti_target.h>
#include <cupti_version.h>
#include <dlfcn.h>
#include <time.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fake_device.h"

#define FAKE extern "C" __attribute__((visibility("default")))

namespace {

#if CUPTI_API_VERSION >= 130000
using KernelRecord = CUpti_ActivityKernel10;
using CopyRecord = CUpti_ActivityMemcpy6;
#else
using KernelRecord = CUpti_ActivityKernel9;
using CopyRecord = CUpti_ActivityMemcpy5;
#endif

std::string text_of(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : otherwise;
}

/// FAKE_CUPTI_FAIL="function=code,function@3=code": all calls of it, or the third.
int failure(const char* function) {
  static std::mutex mutex;
  static std::map<std::string, unsigned> calls;
  const std::lock_guard lock(mutex);
  const unsigned number = ++calls[function];
  const std::string list = "," + text_of("FAKE_CUPTI_FAIL", "") + ",";
  for (const std::string& key :
       {std::string(function) + "=", std::string(function) + "@" + std::to_string(number) + "="})
    if (const auto at = list.find("," + key); at != list.npos)
      return std::atoi(list.c_str() + at + 1 + key.size());
  return 0;
}
#define MAY_FAIL \
  if (const int code = failure(__func__)) return static_cast<CUptiResult>(code)

/// The driver that this belongs to, once it has begun.
struct DriverSide {
  decltype(&fake_set_hook) set_hook = nullptr;
  decltype(&fake_init_state) init_state = nullptr;
  decltype(&fake_chip) chip = nullptr;
  decltype(&fake_value) value = nullptr;
};
const DriverSide& driver() {
  static const DriverSide side = [] {
    DriverSide found;
    void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) return found;
    found.set_hook = reinterpret_cast<decltype(found.set_hook)>(dlsym(library, "fake_set_hook"));
    found.init_state =
        reinterpret_cast<decltype(found.init_state)>(dlsym(library, "fake_init_state"));
    found.chip = reinterpret_cast<decltype(found.chip)>(dlsym(library, "fake_chip"));
    found.value = reinterpret_cast<decltype(found.value)>(dlsym(library, "fake_value"));
    return found;
  }();
  return side;
}
int init_state() {
  return driver().init_state == nullptr ? 0 : driver().init_state();
}
/// The real one does not check: it dies.
void needs_driver(const char* function) {
  if (init_state() == 2) return;
  std::fprintf(stderr, "[fake cupti] %s before cuInit was done\n", function);
  std::abort();
}

struct Buffer {
  std::uint8_t* bytes = nullptr;
  std::size_t size = 0, used = 0;
  bool incomplete = false;
};

struct Range {
  std::string kernel;
};

/// One range profiler object.
struct Profiler {
  const FakeContext* context = nullptr;
  bool configured = false, started = false, decoded = true;
  std::uint8_t* data = nullptr;
  std::size_t most_ranges = 0, dropped = 0;
  std::vector<Range> ranges;
};

struct Fake {
  std::mutex mutex;
  CUpti_CallbackFunc callback = nullptr;
  void* user = nullptr;
  std::set<std::pair<unsigned, unsigned>> enabled;
  CUpti_TimestampCallbackFunc clock = nullptr;
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  std::set<int> kinds;
  std::uint32_t correlations = 0;
  Buffer buffer;
  std::size_t dropped = 0;
  std::map<const FakeContext*, Profiler*> profilers;
  // Where the counter data of a profiler lies: an image is nothing more here.
  std::map<const std::uint8_t*, Profiler*> images;
};
Fake& fake() {
  static auto* const made = new Fake;
  return *made;
}

// ---- Callbacks

struct NamedId {
  const char* name;
  unsigned id;
};
constexpr NamedId driver_functions[] = {
    {"cuCtxSynchronize", CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize},
    {"cuStreamSynchronize", CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize},
    {"cuLaunchKernel", CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel},
    {"cuGraphLaunch", CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch},
    {"cuMemcpyHtoD_v2", CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2},
    {"cuMemcpyDtoH_v2", CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2},
    {"cuMemcpyDtoDAsync_v2", CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoDAsync_v2},
    {"cuMemcpyPeerAsync", CUPTI_DRIVER_TRACE_CBID_cuMemcpyPeerAsync},
    {"cuMemsetD8_v2", CUPTI_DRIVER_TRACE_CBID_cuMemsetD8_v2},
};
constexpr NamedId runtime_functions[] = {
    {"cudaLaunchKernel_v7000", CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000},
    {"cudaGraphLaunch_v10000", CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000},
    {"cudaMemcpy_v3020", CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020},
    {"cudaDeviceSynchronize_v3020", CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020},
};

unsigned id_of_driver_call(const char* function) {
  for (const NamedId& row : driver_functions)
    if (std::strcmp(row.name, function) == 0) return row.id;
  return 0;
}
unsigned id_of_runtime_call(const std::string& driver_call) {
  if (driver_call.find("GraphLaunch") != driver_call.npos) return runtime_functions[1].id;
  if (driver_call.find("Launch") != driver_call.npos) return runtime_functions[0].id;
  if (driver_call.find("Memcpy") != driver_call.npos) return runtime_functions[2].id;
  return runtime_functions[3].id;
}

struct OpenCall {
  std::uint32_t correlation = 0;
  std::uint64_t memory = 0;
};
thread_local OpenCall driver_call, runtime_call;
thread_local bool in_runtime = false;

void call_back(CUpti_CallbackDomain domain, unsigned id, const void* data) {
  CUpti_CallbackFunc callback = nullptr;
  void* user = nullptr;
  {
    const std::lock_guard lock(fake().mutex);
    if (!fake().enabled.contains({domain, id})) return;
    callback = fake().callback;
    user = fake().user;
  }
  if (callback != nullptr) callback(user, domain, id, data);
}

void tell_call(CUpti_CallbackDomain domain, unsigned id, const FakeCall& call, bool begins,
               OpenCall& open) {
  CUpti_CallbackData data{};
  data.callbackSite = begins ? CUPTI_API_ENTER : CUPTI_API_EXIT;
  data.functionName = call.function;
  int result = call.result;
  data.functionReturnValue = &result;
  data.symbolName = call.kernel;
  data.context = reinterpret_cast<CUcontext>(call.context);
  data.correlationId = open.correlation;
  data.correlationData = &open.memory;
  call_back(domain, id, &data);
}

// ---- Activity records

void hand_over(Buffer buffer) {
  if (buffer.bytes != nullptr) fake().complete(nullptr, 0, buffer.bytes, buffer.size, buffer.used);
}

std::uint32_t id_of(const FakeContext* context) {
  return context->number;
}

template <class Record>
void append(const Record& record, bool incomplete) {
  Fake& f = fake();
  Buffer full;
  {
    const std::lock_guard lock(f.mutex);
    if (f.buffer.bytes == nullptr || f.buffer.size - f.buffer.used < sizeof record) {
      full = std::exchange(f.buffer, {});
      std::size_t most = 0;
      f.request(&f.buffer.bytes, &f.buffer.size, &most);
    }
    if (f.buffer.bytes == nullptr) {
      ++f.dropped;
    } else {
      std::memcpy(f.buffer.bytes + f.buffer.used, &record, sizeof record);
      f.buffer.used += sizeof record;
      f.buffer.incomplete = f.buffer.incomplete || incomplete;
    }
  }
  hand_over(full);
}

/// Kernels are known by their address for as long as the process lives.
const char* lasting(const char* name) {
  static std::mutex mutex;
  static auto* const names = new std::set<std::string>;
  const std::lock_guard lock(mutex);
  return names->insert(name).first->c_str();
}

std::uint64_t stamp(std::int64_t monotonic_ns) {
  if (fake().clock != nullptr || monotonic_ns == 0) return static_cast<std::uint64_t>(monotonic_ns);
  // Without a clock of the client's: the real-time clock, as the real one.
  timespec real{}, mono{};
  clock_gettime(CLOCK_REALTIME, &real);
  clock_gettime(CLOCK_MONOTONIC, &mono);
  return static_cast<std::uint64_t>(monotonic_ns + (real.tv_sec - mono.tv_sec) * 1'000'000'000 +
                                    (real.tv_nsec - mono.tv_nsec));
}

void record_kernel(const FakeWork& work, std::uint32_t correlation) {
  if (!fake().kinds.contains(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)) return;
  KernelRecord record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  record.start = stamp(work.start_ns);
  record.end = stamp(work.end_ns);
  record.deviceId = static_cast<std::uint32_t>(work.context->device);
  record.contextId = id_of(work.context);
  record.streamId = work.stream;
  record.gridX = static_cast<std::int32_t>(work.grid);
  record.blockX = static_cast<std::int32_t>(work.block);
  record.gridY = record.gridZ = record.blockY = record.blockZ = 1;
  record.correlationId = correlation;
  record.graphId = work.graph;
  record.name = lasting(work.kernel);
  append(record, work.end_ns == 0);
}

void record_copy(const FakeWork& work, std::uint32_t correlation) {
  const std::string kind = work.copy;
  const auto common = [&](auto& record) {
    record.bytes = work.bytes;
    record.start = stamp(work.start_ns);
    record.end = stamp(work.end_ns);
    record.deviceId = static_cast<std::uint32_t>(work.context->device);
    record.contextId = id_of(work.context);
    record.correlationId = correlation;
  };
  if (kind == "set") {
    CUpti_ActivityMemset4 record{};
    record.kind = CUPTI_ACTIVITY_KIND_MEMSET;
    common(record);
    if (fake().kinds.contains(record.kind)) append(record, false);
  } else if (kind == "PtoP") {
    CUpti_ActivityMemcpyPtoP4 record{};
    record.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
    common(record);
    record.srcDeviceId = record.deviceId;
    record.dstDeviceId = static_cast<std::uint32_t>(work.peer);
    if (fake().kinds.contains(record.kind)) append(record, false);
  } else {
    CopyRecord record{};
    record.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
    common(record);
    record.copyKind = kind == "HtoD"   ? CUPTI_ACTIVITY_MEMCPY_KIND_HTOD
                      : kind == "DtoH" ? CUPTI_ACTIVITY_MEMCPY_KIND_DTOH
                                       : CUPTI_ACTIVITY_MEMCPY_KIND_DTOD;
    if (fake().kinds.contains(record.kind)) append(record, false);
  }
}

void count_kernel(const FakeWork& work) {
  const std::lock_guard lock(fake().mutex);
  const auto found = fake().profilers.find(work.context);
  // A graph's nodes are no ranges.
  if (found == fake().profilers.end() || !found->second->started || work.graph != 0) return;
  Profiler& profiler = *found->second;
  if (profiler.ranges.size() < profiler.most_ranges)
    profiler.ranges.push_back({work.kernel});
  else
    ++profiler.dropped;
}

void hook(FakeEvent event, const void* what) {
  switch (event) {
    case fake_context_created:
    case fake_context_ends:
    case fake_graph_node_created: {
      CUpti_ResourceData data{};
      data.context = reinterpret_cast<CUcontext>(
          const_cast<FakeContext*>(static_cast<const FakeContext*>(what)));
      call_back(CUPTI_CB_DOMAIN_RESOURCE,
                event == fake_context_created ? CUPTI_CBID_RESOURCE_CONTEXT_CREATED
                : event == fake_context_ends  ? CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING
                                              : CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED,
                &data);
      break;
    }
    case fake_runtime_call_begins:
    case fake_runtime_call_ends: {
      const auto& call = *static_cast<const FakeCall*>(what);
      const bool begins = event == fake_runtime_call_begins;
      in_runtime = begins;
      if (begins) {
        const std::lock_guard lock(fake().mutex);
        runtime_call = {++fake().correlations, 0};
      }
      tell_call(CUPTI_CB_DOMAIN_RUNTIME_API, id_of_runtime_call(call.function), call, begins,
                runtime_call);
      break;
    }
    case fake_call_begins:
    case fake_call_ends: {
      const auto& call = *static_cast<const FakeCall*>(what);
      const bool begins = event == fake_call_begins;
      if (begins) {
        const std::lock_guard lock(fake().mutex);
        driver_call = {++fake().correlations, 0};
      }
      tell_call(CUPTI_CB_DOMAIN_DRIVER_API, id_of_driver_call(call.function), call, begins,
                driver_call);
      break;
    }
    case fake_work: {
      const auto& work = *static_cast<const FakeWork*>(what);
      const std::uint32_t correlation =
          in_runtime ? runtime_call.correlation : driver_call.correlation;
      if (work.kernel != nullptr) {
        record_kernel(work, correlation);
        count_kernel(work);
      } else {
        record_copy(work, correlation);
      }
      break;
    }
  }
}

// ---- The real one's host half

void* real() {
  static void* const library = [] {
    const std::string file = text_of("FAKE_REAL_CUPTI", "");
    if (file.empty()) return static_cast<void*>(nullptr);
    const std::string folder = file.substr(0, file.rfind('/') + 1);
    dlopen((folder + "libnvperf_host.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const found = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (found == nullptr) {
      // Planning by the stand-in would prove nothing of the real one.
      std::fprintf(stderr, "[fake cupti] %s\n", dlerror());
      std::abort();
    }
    return found;
  }();
  return library;
}

template <class Function, class Params>
CUptiResult forward(const char* name, Function, Params* params) {
  auto* const function = reinterpret_cast<Function>(dlsym(real(), name));
  return function == nullptr ? CUPTI_ERROR_NOT_INITIALIZED : function(params);
}

// Where the real one is absent: any well-formed name is a metric, and there is one pass.
struct HostObject {
  std::size_t metrics = 0;
};
bool is_metric(const char* name) {
  return name != nullptr && std::strstr(name, "__") != nullptr && std::strchr(name, '.') != nullptr;
}

}  // namespace

FAKE CUptiResult cuptiGetVersion(std::uint32_t* version) {
  MAY_FAIL;
  const std::string asked = text_of("FAKE_CUPTI_VERSION", "");
  *version =
      asked.empty() ? CUPTI_API_VERSION : static_cast<std::uint32_t>(std::atoi(asked.c_str()));
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback,
                                void* user) {
  MAY_FAIL;
  if (init_state() == 0) return CUPTI_ERROR_UNKNOWN;
  if (fake().callback != nullptr) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  fake().callback = callback;
  fake().user = user;
  *handle = reinterpret_cast<CUpti_SubscriberHandle>(&fake());
  driver().set_hook(hook);
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) {
  MAY_FAIL;
  fake().callback = nullptr;
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiEnableCallback(std::uint32_t enable, CUpti_SubscriberHandle,
                                     CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  MAY_FAIL;
  const std::lock_guard lock(fake().mutex);
  if (enable != 0)
    fake().enabled.insert({domain, id});
  else
    fake().enabled.erase({domain, id});
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, std::uint32_t id,
                                      const char** name) {
  MAY_FAIL;
  const auto look = [&](const auto& rows) {
    for (const NamedId& row : rows)
      if (row.id == id) {
        *name = row.name;
        return CUPTI_SUCCESS;
      }
    return CUPTI_ERROR_INVALID_PARAMETER;
  };
  return domain == CUPTI_CB_DOMAIN_DRIVER_API ? look(driver_functions) : look(runtime_functions);
}
FAKE CUptiResult cuptiGetDeviceId(CUcontext context, std::uint32_t* device) {
  MAY_FAIL;
  *device = static_cast<std::uint32_t>(reinterpret_cast<FakeContext*>(context)->device);
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiGetTimestamp(std::uint64_t* time) {
  MAY_FAIL;
  timespec real{};
  clock_gettime(CLOCK_REALTIME, &real);
  *time = static_cast<std::uint64_t>(real.tv_sec) * 1'000'000'000 +
          static_cast<std::uint64_t>(real.tv_nsec);
  return CUPTI_SUCCESS;
}

// ---- Activity

FAKE CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc clock) {
  MAY_FAIL;
  if (!fake().kinds.empty()) return CUPTI_ERROR_INVALID_OPERATION;
  fake().clock = clock;
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                                CUpti_BuffersCallbackCompleteFunc complete) {
  MAY_FAIL;
  fake().request = request;
  fake().complete = complete;
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  MAY_FAIL;
  if (init_state() == 0) return CUPTI_ERROR_UNKNOWN;
  if (fake().request == nullptr) return CUPTI_ERROR_INVALID_OPERATION;
  fake().kinds.insert(kind);
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiActivityFlushAll(std::uint32_t forced) {
  MAY_FAIL;
  Fake& f = fake();
  if (f.complete == nullptr) return CUPTI_ERROR_INVALID_OPERATION;
  Buffer full;
  {
    const std::lock_guard lock(f.mutex);
    if (forced != 0 || !f.buffer.incomplete) full = std::exchange(f.buffer, {});
  }
  hand_over(full);
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid,
                                            CUpti_Activity** record) {
  MAY_FAIL;
  const auto size = [](const CUpti_Activity* at) {
    switch (at->kind) {
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        return sizeof(KernelRecord);
      case CUPTI_ACTIVITY_KIND_MEMCPY:
        return sizeof(CopyRecord);
      case CUPTI_ACTIVITY_KIND_MEMCPY2:
        return sizeof(CUpti_ActivityMemcpyPtoP4);
      default:
        return sizeof(CUpti_ActivityMemset4);
    }
  };
  std::uint8_t* const next =
      *record == nullptr ? buffer : reinterpret_cast<std::uint8_t*>(*record) + size(*record);
  if (next >= buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
  MAY_FAIL;
  static bool told = false;
  const std::lock_guard lock(fake().mutex);
  *dropped = std::exchange(fake().dropped, 0);
  if (!std::exchange(told, true))
    *dropped += static_cast<std::size_t>(std::atoi(text_of("FAKE_CUPTI_DROPPED", "0").c_str()));
  return CUPTI_SUCCESS;
}

// ---- Counters: the target half

FAKE CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* p) {
  MAY_FAIL;
  needs_driver(__func__);
  p->pChipName = driver().chip(static_cast<int>(p->deviceIndex));
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params*) {
  MAY_FAIL;
  return init_state() == 2 ? CUPTI_SUCCESS : CUPTI_ERROR_UNKNOWN;
}
FAKE CUptiResult cuptiProfilerDeviceSupported(CUpti_Profiler_DeviceSupported_Params* p) {
  MAY_FAIL;
  // FAKE_CUPTI_UNSUPPORTED: "vgpu", "vgpu-disabled", "cc", "cmp", "wsl", "sli", "arch"
  const std::string lacks = text_of("FAKE_CUPTI_UNSUPPORTED", "");
  const auto level = [&](const char* name) {
    return lacks == name ? CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED
                         : CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  };
  p->architecture = level("arch");
  p->sli = level("sli");
  p->vGpu = level("vgpu");
  if (lacks == "vgpu-disabled") p->vGpu = CUPTI_PROFILER_CONFIGURATION_DISABLED;
  p->confidentialCompute = level("cc");
  p->cmp = level("cmp");
  p->wsl = level("wsl");
  p->isSupported = lacks.empty() ? CUPTI_PROFILER_CONFIGURATION_SUPPORTED
                                 : CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
  return CUPTI_SUCCESS;
}
FAKE CUptiResult
cuptiProfilerGetCounterAvailability(CUpti_Profiler_GetCounterAvailability_Params* p) {
  MAY_FAIL;
  constexpr std::size_t bytes = 8;
  if (p->pCounterAvailabilityImage != nullptr) std::memset(p->pCounterAvailabilityImage, 0, bytes);
  p->counterAvailabilityImageSize = bytes;
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params* p) {
  MAY_FAIL;
  needs_driver(__func__);
  const std::lock_guard lock(fake().mutex);
  auto* const context = reinterpret_cast<const FakeContext*>(p->ctx);
  if (fake().profilers.contains(context)) return CUPTI_ERROR_INVALID_OPERATION;
  auto* const profiler = new Profiler;
  profiler->context = context;
  fake().profilers[context] = profiler;
  p->pRangeProfilerObject = reinterpret_cast<CUpti_RangeProfiler_Object*>(profiler);
  return CUPTI_SUCCESS;
}

namespace {

Profiler* profiler_of(CUpti_RangeProfiler_Object* object) {
  for (const auto& [context, profiler] : fake().profilers)
    if (reinterpret_cast<CUpti_RangeProfiler_Object*>(profiler) == object) return profiler;
  return nullptr;
}
Profiler* profiler_at(const std::uint8_t* image) {
  const auto found = fake().images.find(image);
  return found == fake().images.end() ? nullptr : found->second;
}

}  // namespace

// The profiler object that a call names, or its refusal.
#define WITH_PROFILER                                              \
  MAY_FAIL;                                                        \
  const std::lock_guard lock(fake().mutex);                        \
  Profiler* const profiler = profiler_of(p->pRangeProfilerObject); \
  if (profiler == nullptr) return CUPTI_ERROR_INVALID_PARAMETER

FAKE CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params* p) {
  WITH_PROFILER;
  fake().profilers.erase(profiler->context);
  return CUPTI_SUCCESS;
}
FAKE CUptiResult
cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params* p) {
  WITH_PROFILER;
  if (p->numMetrics == 0) return CUPTI_ERROR_INVALID_PARAMETER;
  p->counterDataSize = 64;
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params* p) {
  WITH_PROFILER;
  if (p->counterDataSize < 64 || p->pCounterData == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
  fake().images[p->pCounterData] = profiler;
  profiler->ranges.clear();
  profiler->dropped = 0;
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params* p) {
  WITH_PROFILER;
  constexpr std::size_t most = 3000;
  if (p->range == CUPTI_UserRange && p->replayMode == CUPTI_KernelReplay)
    return CUPTI_ERROR_INVALID_OPERATION;
  if (profiler->started || p->maxRangesPerPass > most) return CUPTI_ERROR_INVALID_OPERATION;
  if (p->configSize == 0 || profiler_at(p->pCounterDataImage) != profiler)
    return CUPTI_ERROR_INVALID_PARAMETER;
  profiler->configured = true;
  profiler->most_ranges = p->maxRangesPerPass;
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params* p) {
  WITH_PROFILER;
  if (!profiler->configured || profiler->started) return CUPTI_ERROR_INVALID_OPERATION;
  profiler->started = true;
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params* p) {
  WITH_PROFILER;
  if (!profiler->started) return CUPTI_ERROR_INVALID_OPERATION;
  profiler->started = false;
  profiler->decoded = false;
  // FAKE_CUPTI_LOSES=1: one launch fewer than there were.
  if (text_of("FAKE_CUPTI_LOSES", "0") == "1" && !profiler->ranges.empty())
    profiler->ranges.pop_back();
  p->isAllPassSubmitted = 1;
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params* p) {
  WITH_PROFILER;
  if (profiler->started) return CUPTI_ERROR_INVALID_OPERATION;
  profiler->decoded = true;
  p->numOfRangeDropped = profiler->dropped;
  return CUPTI_SUCCESS;
}
FAKE CUptiResult
cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params* p) {
  MAY_FAIL;
  const std::lock_guard lock(fake().mutex);
  const Profiler* const profiler = profiler_at(p->pCounterDataImage);
  if (profiler == nullptr || !profiler->decoded) return CUPTI_ERROR_INVALID_PARAMETER;
  p->numTotalRanges = profiler->ranges.size();
  return CUPTI_SUCCESS;
}
FAKE CUptiResult
cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params* p) {
  MAY_FAIL;
  const std::lock_guard lock(fake().mutex);
  const Profiler* const profiler = profiler_at(p->pCounterDataImage);
  if (profiler == nullptr || !profiler->decoded || p->rangeIndex >= profiler->ranges.size())
    return CUPTI_ERROR_INVALID_PARAMETER;
  const std::string& kernel = profiler->ranges[p->rangeIndex].kernel;
  for (std::size_t i = 0; i < p->numMetrics; ++i)
    p->pMetricValues[i] = driver().value(kernel.c_str(), p->ppMetricNames[i], 0);
  return CUPTI_SUCCESS;
}

// ---- Counters: the host half

FAKE CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params* p) {
  MAY_FAIL;
  if (real() == nullptr) {
    p->pHostObject = reinterpret_cast<CUpti_Profiler_Host_Object*>(new HostObject);
    return CUPTI_SUCCESS;
  }
  // The image is ours; the real one is to plan for a whole chip.
  const std::uint8_t* const image = std::exchange(p->pCounterAvailabilityImage, nullptr);
  const CUptiResult result = forward(__func__, &cuptiProfilerHostInitialize, p);
  p->pCounterAvailabilityImage = image;
  return result;
}
FAKE CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params* p) {
  MAY_FAIL;
  if (real() != nullptr) return forward(__func__, &cuptiProfilerHostDeinitialize, p);
  delete reinterpret_cast<HostObject*>(p->pHostObject);
  return CUPTI_SUCCESS;
}
FAKE CUptiResult
cuptiProfilerHostGetMetricProperties(CUpti_Profiler_Host_GetMetricProperties_Params* p) {
  MAY_FAIL;
  if (real() != nullptr) return forward(__func__, &cuptiProfilerHostGetMetricProperties, p);
  return is_metric(p->pMetricName) ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_METRIC_NAME;
}
FAKE CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params* p) {
  MAY_FAIL;
  if (real() != nullptr) return forward(__func__, &cuptiProfilerHostConfigAddMetrics, p);
  reinterpret_cast<HostObject*>(p->pHostObject)->metrics += p->numMetrics;
  return p->numMetrics == 0 ? CUPTI_ERROR_INVALID_PARAMETER : CUPTI_SUCCESS;
}
FAKE CUptiResult
cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params* p) {
  MAY_FAIL;
  if (real() != nullptr) return forward(__func__, &cuptiProfilerHostGetConfigImageSize, p);
  p->configImageSize = 16;
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params* p) {
  MAY_FAIL;
  if (real() != nullptr) return forward(__func__, &cuptiProfilerHostGetConfigImage, p);
  if (p->configImageSize < 16) return CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT;
  std::memset(p->pConfigImage, 0, 16);
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params* p) {
  MAY_FAIL;
  if (real() != nullptr) return forward(__func__, &cuptiProfilerHostGetNumOfPasses, p);
  p->numOfPasses = 1;
  return CUPTI_SUCCESS;
}
