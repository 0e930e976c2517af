// CUPTI's range profiler on one CUDA context: every launch is a range.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "recorder.hpp"

namespace roofmark::cupti {

class CounterSession {
 public:
  CounterSession(Recorder& recorder, CUcontext context, std::uint32_t device)
      : recorder_(recorder), context_(context), device_(device) {}
  CounterSession(const CounterSession&) = delete;
  CounterSession& operator=(const CounterSession&) = delete;

  /// Everything up to the start. False: the reason is told, and nothing is counted here.
  bool open(unsigned ordinal);
  /// Stops, and reads what was counted: `take(n, values)` for each of the `expected` launches since
  /// the start, or for none of them where CUPTI counted another number. After a failure nothing is
  /// started any more.
  void stop(std::size_t expected,
            const std::function<void(std::size_t, const std::vector<double>&)>& take);
  bool start();
  /// The context ends: stopped before.
  void close();

  bool running() const { return running_; }
  std::uint32_t device() const { return device_; }
  const std::vector<std::string>& metrics() const { return metrics_; }
  std::uint64_t dropped() const { return dropped_; }

 private:
  bool is_supported(unsigned ordinal);
  bool find_chip(unsigned ordinal);
  bool make_config();
  bool choose_metrics();
  bool read_config();
  bool enable();
  bool prepare();
  CUptiResult set_config(CUpti_ProfilerReplayMode replay);
  bool read(std::size_t expected,
            const std::function<void(std::size_t, const std::vector<double>&)>& take);
  void drop_host();

  template <class Params>
  bool ask(const char* name, CUptiResult(CUPTIAPI* function)(Params*), Sized<Params>& params) {
    const CUptiResult result = call(function, params);
    if (result != CUPTI_SUCCESS) recorder_.failed(name, result, device_);
    return result == CUPTI_SUCCESS;
  }

  Recorder& recorder_;
  CUcontext context_;
  std::uint32_t device_;
  std::string chip_;
  std::vector<std::string> metrics_;
  std::vector<const char*> metric_pointers_;
  std::vector<std::uint8_t> availability_, config_, data_;
  CUpti_Profiler_Host_Object* host_ = nullptr;
  CUpti_RangeProfiler_Object* ranges_ = nullptr;
  bool running_ = false, broken_ = false;
  std::uint64_t dropped_ = 0;
};

}  // namespace roofmark::cupti
