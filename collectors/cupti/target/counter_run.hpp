// A run for counters: one session of the range profiler for each context.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "counter_session.hpp"
#include "range_tally.hpp"
#include "recorder.hpp"
#include "run.hpp"

namespace roofmark::cupti {

class CounterRun : public Run {
 public:
  explicit CounterRun(Recorder& recorder) : recorder_(recorder), tally_(recorder.plan.limits) {}
  ~CounterRun() override = default;

  bool begin() override { return true; }
  void context_created(CUcontext context) override;
  void context_ends(CUcontext context) override;
  void call_begins(const DriverCall& call) override;
  void call_ends(const DriverCall& call, bool done) override;
  void let_go() noexcept override;
  /// What is counted stays with CUPTI until a stretch of launches is full, a graph is launched, or
  /// the context or the process ends. To stop and start a context's session here could hang the
  /// program: its own thread may hold locks of the driver that the calls need.
  void look() override {}
  void finish() override;
  void write(Snapshot& snapshot) override;

 private:
  struct Launch {
    std::string kernel;
    std::uint32_t path;
  };
  /// Its lock is held from a launch's begin to its end: launches of one context get their numbers
  /// in that order.
  struct Context {
    Context(Recorder& recorder, CUcontext context, std::uint32_t device)
        : session(recorder, context, device) {}
    std::mutex mutex;
    CounterSession session;
    std::vector<Launch> launches;  // since the start
    bool paused = false;           // for a graph
  };

  std::shared_ptr<Context> find(CUcontext context);
  void drain(Context& context);

  Recorder& recorder_;
  std::mutex mutex_;  // of what follows
  std::map<CUcontext, std::shared_ptr<Context>> contexts_;
  std::uint64_t dropped_ = 0;
  std::mutex tally_mutex_;
  RangeTally tally_;
};

}  // namespace roofmark::cupti
