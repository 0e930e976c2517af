// Sums of counted launches. Pure; its owner locks.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "collectors/cupti/plan_text.hpp"
#include "snapshot.hpp"

namespace roofmark::cupti {

/// How values of several launches become one. See GpuRange.
enum class Combination { sum, least, most, mean };
Combination combination_of(std::string_view metric);

class RangeTally {
 public:
  explicit RangeTally(const GpuLimits& limits) : limits_(limits) {}

  /// One launch: the values of `metrics`, in their order; NaN is a value that is not there.
  void add(std::string_view kernel, std::uint32_t device, std::uint32_t path,
           const std::vector<std::string>& metrics, const std::vector<double>& values);
  void write(Snapshot& snapshot) const;

 private:
  struct Sum {
    Combination combination = Combination::sum;
    double value = 0, weight = 0;
    bool lacking = false;
  };
  struct Row {
    std::uint64_t launches = 0;
    std::map<std::string, Sum> sums;
  };

  GpuLimits limits_;
  std::map<std::tuple<std::string, std::uint32_t, std::uint32_t>, Row> rows_;
};

}  // namespace roofmark::cupti
