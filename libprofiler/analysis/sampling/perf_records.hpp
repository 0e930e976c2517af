// The records of perf's ring buffers, in the order of their times, made into samples.
#pragma once

#include <analysis/sampling/address_spaces.hpp>
#include <analysis/sampling/sample_store.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace roofmark::sampling {

/// What each record holds, in this order, of what the kernel offers: instruction, process and
/// thread, time, period. Other records have the latter two of the first three behind them.
std::uint64_t sample_fields();

class PerfRecords {
 public:
  /// Takes one record as it lies in a ring.
  void add(const std::byte* record, std::size_t bytes);
  /// Makes samples of what can't be preceded by anything that is still to come: what was there at
  /// the call before. True: half as many will do from now on.
  bool settle(bool all = false);

  std::uint64_t lost() const { return lost_; }
  AddressSpaces& spaces() { return spaces_; }
  SampleStore& store() { return store_; }

 private:
  struct Record {
    std::uint64_t time_ns = 0;
    std::vector<std::byte> bytes;  ///< empty: a sample
    std::int32_t process = 0, thread = 0;
    std::uint64_t address = 0, period_ns = 0;
    bool in_kernel = false;
  };
  bool apply(const Record& record);

  std::vector<Record> waiting_;
  std::uint64_t latest_ns_ = 0, latest_before_ns_ = 0;
  std::uint64_t lost_ = 0;
  AddressSpaces spaces_;
  SampleStore store_;
};

}  // namespace roofmark::sampling
