// A run for times: CUPTI's records of kernels and copies, and the calls that launched them.
#pragma once

#include <mutex>
#include <vector>

#include "activity_tally.hpp"
#include "correlations.hpp"
#include "recorder.hpp"
#include "run.hpp"

namespace roofmark::cupti {

class ActivityRun : public Run {
 public:
  explicit ActivityRun(Recorder& recorder);
  ~ActivityRun() override = default;

  bool begin() override;
  void context_created(CUcontext context) override;
  void context_ends(CUcontext context) override;
  void call_begins(const DriverCall& call) override;
  void call_ends(const DriverCall& call, bool done) override;
  void runtime_call_begins(std::uint32_t correlation) override;
  void look() override;
  void finish() override;
  void write(Snapshot& snapshot) override;

  void ran_out_of_memory() noexcept { recorder_.ran_out_of_memory(); }

  /// CUPTI asks for room, and gives it back filled.
  void lend_buffer(std::uint8_t** buffer, std::size_t* size);
  void take_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                   std::size_t valid);

 private:
  void take_record(const CUpti_Activity* record);
  template <class Record>
  void take_kernel(const Record& record);
  template <class Record>
  void take_copy(const Record& record, CopyKind kind, std::optional<std::uint32_t> peer);
  bool take_host_clock();
  std::int64_t host_time(std::uint64_t of_record) const;
  std::uint32_t path_of(std::uint32_t correlation, std::optional<std::int64_t>* called = nullptr);

  Recorder& recorder_;
  Correlations calls_;
  std::int64_t clock_offset_ns_ = 0;

  std::mutex mutex_;  // of what follows
  ActivityTally tally_;
  std::uint64_t unfinished_ = 0, dropped_ = 0, unknown_ = 0;

  std::mutex pool_mutex_;
  std::vector<std::uint8_t*> pool_;
};

}  // namespace roofmark::cupti
