// The way in: libcuda loads the library that CUDA_INJECTION64_PATH names inside cuInit and calls
// InitializeInjection. Nothing here may harm the program: no output, no exception, no exit.
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

#include "activity_run.hpp"
#include "counter_run.hpp"
#include "driver_calls.hpp"
#include "recorder.hpp"

namespace roofmark::cupti {
namespace {

constexpr unsigned most_callback_ids = 4096;
constexpr std::int64_t look_period_ns = 1'000'000'000, looks_may_cost_one_in = 50;

/// Never destroyed: CUPTI's threads and the program's may call until the very end.
struct Plugin {
  explicit Plugin(GpuRunPlan plan) : recorder(std::move(plan)) {}

  Recorder recorder;
  std::unique_ptr<Run> run;
  CUpti_SubscriberHandle subscriber = nullptr;
  CallKind driver_calls[most_callback_ids] = {}, runtime_calls[most_callback_ids] = {};

  pthread_mutex_t looker_mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t looker_wakes{};
  bool looks = false, looker_ends = false;
};
Plugin* plugin = nullptr;
/// In a fork child, where the driver can't be used, and after the end.
std::atomic<bool> off{false};

template <class Work>
void guarded(Work work) noexcept {
  try {
    work();
  } catch (...) {
    if (plugin != nullptr) plugin->recorder.ran_out_of_memory();
  }
}

bool records() {
  return !off.load(std::memory_order_relaxed) && !plugin->recorder.is_out_of_memory();
}

void save(ResultsEnd end, bool process_ends = false) {
  plugin->recorder.save(end, process_ends, [](Snapshot& snapshot) {
    if (plugin->run != nullptr) plugin->run->write(snapshot);
  });
}

// What a launch of this thread met on its way.
thread_local bool captured = false;
thread_local unsigned driver_depth = 0;

void resource_event(CUpti_CallbackId id, const CUpti_ResourceData& data) {
  switch (id) {
    case CUPTI_CBID_RESOURCE_CONTEXT_CREATED:
      plugin->recorder.paths.find_runtime();
      plugin->run->context_created(data.context);
      break;
    case CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING:
      plugin->run->context_ends(data.context);
      break;
    case CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED:
      captured = true;
      break;
    default:
      break;
  }
}

void driver_event(CUpti_CallbackId id, const CUpti_CallbackData& data) {
  DriverCall call;
  call.kind = id < most_callback_ids ? plugin->driver_calls[id] : CallKind::none;
  call.context = data.context;
  call.kernel = data.symbolName;
  call.correlation = data.correlationId;
  call.memory = data.correlationData;
  if (data.callbackSite == CUPTI_API_ENTER) {
    // Some of the driver's functions call others that are told of too.
    if (driver_depth++ != 0) return;
    captured = false;
    plugin->run->call_begins(call);
  } else {
    if (driver_depth == 0 || --driver_depth != 0) return;
    const auto* const result = static_cast<const CUresult*>(data.functionReturnValue);
    plugin->run->call_ends(call, !captured && result != nullptr && *result == CUDA_SUCCESS);
  }
}

void CUPTIAPI on_event(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (!records()) {
    // Begun while it was recorded: a thread may still wait for it.
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API &&
        static_cast<const CUpti_CallbackData*>(data)->callbackSite == CUPTI_API_EXIT)
      plugin->run->let_go();
    return;
  }
  guarded([&] {
    if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
      resource_event(id, *static_cast<const CUpti_ResourceData*>(data));
    } else {
      const auto& call = *static_cast<const CUpti_CallbackData*>(data);
      if (domain == CUPTI_CB_DOMAIN_DRIVER_API)
        driver_event(id, call);
      else if (call.callbackSite == CUPTI_API_ENTER)
        plugin->run->runtime_call_begins(call.correlationId);
    }
  });
}

bool enable(CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  const auto result = plugin->recorder.cupti.cuptiEnableCallback(1, plugin->subscriber, domain, id);
  if (result != CUPTI_SUCCESS) plugin->recorder.failed("cuptiEnableCallback", result);
  return result == CUPTI_SUCCESS;
}

/// All functions of the domain that launch, copy or wait.
bool enable_calls(CUpti_CallbackDomain domain, CallKind* kinds) {
  const bool counters = plugin->recorder.plan.kind == RunKind::counters;
  for (CUpti_CallbackId id = 1; id < most_callback_ids; ++id) {
    const char* name = nullptr;
    if (plugin->recorder.cupti.cuptiGetCallbackName(domain, id, &name) != CUPTI_SUCCESS ||
        name == nullptr)
      continue;
    const auto kind = kind_of_call(name);
    if (kind == CallKind::none) continue;
    if (counters && kind != CallKind::launch && kind != CallKind::graph) continue;
    kinds[id] = kind;
    if (!enable(domain, id)) return false;
  }
  return true;
}

bool subscribe() {
  const auto result = plugin->recorder.cupti.cuptiSubscribe(&plugin->subscriber, on_event, nullptr);
  if (result != CUPTI_SUCCESS) {
    plugin->recorder.failed("cuptiSubscribe", result);
    return false;
  }
  const bool counters = plugin->recorder.plan.kind == RunKind::counters;
  return enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED) &&
         enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) &&
         // Tells launches that are kept for a graph from those that run.
         enable(CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED) &&
         enable_calls(CUPTI_CB_DOMAIN_DRIVER_API, plugin->driver_calls) &&
         (counters || enable_calls(CUPTI_CB_DOMAIN_RUNTIME_API, plugin->runtime_calls));
}

/// Waits with the looker's mutex held; true: the time is over.
bool wait_for(std::int64_t ns) {
  timespec until{};
  clock_gettime(CLOCK_MONOTONIC, &until);
  const std::int64_t at = until.tv_nsec + ns;
  until.tv_sec += at / 1'000'000'000;
  until.tv_nsec = at % 1'000'000'000;
  return pthread_cond_timedwait(&plugin->looker_wakes, &plugin->looker_mutex, &until) == ETIMEDOUT;
}

bool wait_to_look(std::int64_t ns) {
  pthread_mutex_lock(&plugin->looker_mutex);
  while (!plugin->looker_ends && !wait_for(ns)) {
  }
  const bool ends = plugin->looker_ends;
  pthread_mutex_unlock(&plugin->looker_mutex);
  return !ends;
}

/// So that a program that is killed leaves all but its last moments; of counts all that was read
/// (CounterRun::look).
void* look_now_and_then(void*) {
  std::int64_t pause = look_period_ns;
  while (wait_to_look(pause) && !off) {
    const std::int64_t begin = now_ns();
    guarded([] {
      if (records()) plugin->run->look();
    });
    guarded([] { save(ResultsEnd::snapshot); });
    const std::int64_t cost = (now_ns() - begin) * looks_may_cost_one_in;
    pause = cost > look_period_ns ? cost : look_period_ns;
  }
  pthread_mutex_lock(&plugin->looker_mutex);
  plugin->looks = false;
  pthread_cond_broadcast(&plugin->looker_wakes);
  pthread_mutex_unlock(&plugin->looker_mutex);
  return nullptr;
}

/// By the C library's own function: this thread is none of the program's, and a runtime that counts
/// those that it sees being made must not see it. The thread sanitizer must see every thread.
void start_looking() {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  Create create = nullptr;
  if (void* const library = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
      library != nullptr && dlsym(RTLD_DEFAULT, "__tsan_init") == nullptr)
    create = reinterpret_cast<Create>(dlsym(library, "pthread_create"));
  if (create == nullptr) create = pthread_create;
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&plugin->looker_wakes, &monotonic);
  pthread_condattr_destroy(&monotonic);
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  plugin->looks = true;
  pthread_t looker{};
  if (create(&looker, &detached, look_now_and_then, nullptr) != 0) plugin->looks = false;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&detached);
}

/// False: it hangs.
bool stop_looking() {
  pthread_mutex_lock(&plugin->looker_mutex);
  plugin->looker_ends = true;
  pthread_cond_broadcast(&plugin->looker_wakes);
  // It may hang in CUPTI or on a disk: not waited for without end.
  constexpr std::int64_t patience_ns = 2'000'000'000;
  while (plugin->looks && !wait_for(patience_ns)) {
  }
  const bool stopped = !plugin->looks;
  pthread_mutex_unlock(&plugin->looker_mutex);
  return stopped;
}

void at_exit() {
  if (off) return;
  bool whole = false;
  guarded([&whole] {
    whole = stop_looking();
    // Where the looker hangs, the same call would.
    if (!whole) plugin->recorder.say("stuck_at_exit");
    whole = whole && records();
    if (whole) plugin->run->finish();
  });
  // Also where memory has run out: what is known is kept.
  guarded([whole] { save(whole && records() ? ResultsEnd::exit : ResultsEnd::snapshot, true); });
  off = true;
}

void in_fork_child() {
  off = true;
}

std::optional<GpuRunPlan> read_plan() {
  const char* const file = std::getenv("ROOFMARK_GPU_PLAN");
  if (file == nullptr || *file == '\0') return std::nullopt;
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) return std::nullopt;
  auto plan = parse_plan(text.str());
  if (!plan) return std::nullopt;
  return std::move(*plan);
}

/// False: the reason is among the problems.
bool begin() {
  Recorder& recorder = plugin->recorder;
  if (!recorder.cuda.load()) {
    recorder.say("no_driver");
    return false;
  }
  if (const char* const fault = recorder.cupti.load()) {
    recorder.say(fault, std::nullopt, 1, recorder.cupti.file);
    return false;
  }
  if (recorder.plan.kind == RunKind::activity)
    plugin->run = std::make_unique<ActivityRun>(recorder);
  else
    plugin->run = std::make_unique<CounterRun>(recorder);
  return subscribe() && plugin->run->begin();
}

void initialize() {
  auto plan = read_plan();
  if (!plan) return;
  plugin = new Plugin(std::move(*plan));
  if (!plugin->recorder.begin()) {
    off = true;
    return;
  }
  const bool begun = begin();
  // Even an empty list of kernels says that there was a process with a GPU.
  save(begun ? ResultsEnd::snapshot : ResultsEnd::exit);
  if (!begun) {
    if (plugin->subscriber != nullptr)
      (void)plugin->recorder.cupti.cuptiUnsubscribe(plugin->subscriber);
    off = true;
    return;
  }
  pthread_atfork(nullptr, nullptr, in_fork_child);
  std::atexit(at_exit);
  at_quick_exit(at_exit);
  start_looking();
}

}  // namespace
}  // namespace roofmark::cupti

extern "C" __attribute__((visibility("default"))) int InitializeInjection(void) {
  // The driver may call more than once, and a fork child that inherits a plug-in stays off.
  if (roofmark::cupti::plugin == nullptr)
    roofmark::cupti::guarded([] { roofmark::cupti::initialize(); });
  return 1;
}
