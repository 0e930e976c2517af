// The kernels of the self-test with their working sets, and the rows of what a collector of
// hardware events counted around them.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/counters/counter_plan.hpp"
#include "self_test.hpp"

namespace roofmark::check {

inline constexpr std::uint64_t line_bytes = 64;

/// Pages that are there.
class Memory {
 public:
  explicit Memory(std::size_t bytes) : bytes_(bytes) {
    void* const data = bytes == 0 ? MAP_FAILED
                                  : mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) return;
    madvise(data, bytes, MADV_HUGEPAGE);
    data_ = static_cast<char*>(data);
    std::fill(data_, data_ + bytes_, '\0');
  }
  ~Memory() {
    if (data_ != nullptr) munmap(data_, bytes_);
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  bool there() const { return data_ != nullptr; }
  Buffer first(std::size_t bytes) const { return {data_, std::min(bytes, bytes_)}; }

 private:
  std::size_t bytes_;
  char* data_ = nullptr;
};

/// A kernel with a working set, and the quantities that are then known.
struct Trial {
  std::string name;
  Kernel kernel;
  std::uint64_t iterations = 0;
  std::uint64_t footprint_bytes = 0;  ///< 0: no memory
  std::vector<std::pair<std::string, std::uint64_t>> expected;
};

/// What this processor can run and this machine has memory for; `notes` says what is left out.
std::vector<Trial> trials_here(std::vector<std::string>& notes);

bool tests_any_of(const CounterPlan& plan, const Trial& trial);

/// One for each quantity of the plan that the trial tests.
void add_rows(std::vector<SelfTestRow>& rows, const std::string& collector, const CounterPlan& plan,
              const Trial& trial, const std::vector<GroupCounts>& counts);

}  // namespace roofmark::check
