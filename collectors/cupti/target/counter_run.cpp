#include "counter_run.hpp"

#include <utility>

#include "lock_soon.hpp"

namespace roofmark::cupti {
namespace {

/// What this thread's launch holds from its begin to its end.
struct Held {
  std::shared_ptr<void> context;
  std::unique_lock<std::mutex> lock;
};
/// Not destroyed at the thread's end: static objects of the program are destroyed after what the
/// main thread has of its own, and may launch.
thread_local Held* held = nullptr;
void hold(std::unique_ptr<Held> now) {
  delete std::exchange(held, now.release());
}

}  // namespace

std::shared_ptr<CounterRun::Context> CounterRun::find(CUcontext context) {
  const std::lock_guard lock(mutex_);
  const auto found = contexts_.find(context);
  return found == contexts_.end() ? nullptr : found->second;
}

void CounterRun::context_created(CUcontext context) {
  std::uint32_t ordinal = 0;
  if (const auto result = recorder_.cupti.cuptiGetDeviceId(context, &ordinal);
      result != CUPTI_SUCCESS)
    return recorder_.failed("cuptiGetDeviceId", result);
  const auto made = std::make_shared<Context>(recorder_, context, recorder_.device(ordinal));
  const std::lock_guard launching(made->mutex);
  if (!made->session.open(ordinal)) return;
  const std::lock_guard lock(mutex_);
  contexts_[context] = made;
}

/// Reads what was counted since the start.
void CounterRun::drain(Context& context) {
  const std::uint64_t dropped_before = context.session.dropped();
  context.session.stop(context.launches.size(),
                       [&](std::size_t number, const std::vector<double>& values) {
                         const Launch& launch = context.launches[number];
                         const std::lock_guard lock(tally_mutex_);
                         tally_.add(launch.kernel, context.session.device(), launch.path,
                                    context.session.metrics(), values);
                       });
  context.launches.clear();
  const std::lock_guard lock(mutex_);
  dropped_ += context.session.dropped() - dropped_before;
}

void CounterRun::context_ends(CUcontext context) {
  const auto found = find(context);
  if (found == nullptr) return;
  {
    const std::lock_guard launching(found->mutex);
    drain(*found);
    found->session.close();
  }
  const std::lock_guard lock(mutex_);
  contexts_.erase(context);
}

void CounterRun::call_begins(const DriverCall& call) {
  using Kind = CallKind;
  if (call.kind != Kind::launch && call.kind != Kind::graph) return;
  const auto found = find(call.context);
  if (found == nullptr) return;
  const std::uint32_t path = recorder_.paths.here();
  std::unique_lock lock(found->mutex);
  if (!found->session.running()) return;
  if (call.kind == Kind::graph) {
    // CUPTI makes no ranges of a graph's nodes: it runs uncounted, so that the numbers of all other
    // launches stay what they are.
    drain(*found);
    found->paused = true;
    recorder_.say("graph_launch", found->session.device());
  } else {
    if (found->launches.size() >= recorder_.plan.limits.ranges) {
      drain(*found);
      if (!found->session.start()) return;
    }
    found->launches.push_back({call.kernel == nullptr ? "(unnamed)" : call.kernel, path});
  }
  hold(std::make_unique<Held>(Held{found, std::move(lock)}));
}

void CounterRun::call_ends(const DriverCall& call, bool done) {
  const std::unique_ptr<Held> ending(std::exchange(held, nullptr));
  if (ending == nullptr) return;
  auto& context = *static_cast<Context*>(ending->context.get());
  if (context.paused) {
    context.paused = false;
    context.session.start();
  } else if (!done && call.kind == CallKind::launch && !context.launches.empty()) {
    context.launches.pop_back();
  }
}

void CounterRun::let_go() noexcept {
  hold(nullptr);
}

void CounterRun::finish() {
  std::map<CUcontext, std::shared_ptr<Context>> all;
  {
    const std::lock_guard lock(mutex_);
    all = contexts_;
  }
  for (const auto& [handle, context] : all) {
    // A launch holds it as long as its kernel runs, which may be for ever.
    std::unique_lock launching(context->mutex, std::defer_lock);
    if (lock_soon(launching)) {
      drain(*context);
      context->session.close();
    } else {
      recorder_.say("busy_at_exit", context->session.device());
    }
  }
}

void CounterRun::write(Snapshot& snapshot) {
  {
    const std::lock_guard lock(tally_mutex_);
    tally_.write(snapshot);
  }
  const std::lock_guard lock(mutex_);
  snapshot.totals.ranges_dropped = dropped_;
}

}  // namespace roofmark::cupti
