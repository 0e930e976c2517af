// What the recording counts by hardware while it is made. The plan that its program got holds
// numbers alone: which quantities they make is found by planning again, as `record` did.
#pragma once

#include <analysis/join/measured.hpp>
#include <analysis/record/hardware_plan.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace roofmark::live {

struct Counting {
  std::shared_ptr<const MeasuredPasses> passes;  ///< null: nothing is shown
  std::optional<std::string> why_not;            ///< where the program counts something
};

/// `plan`: the file that the program counts by; nothing where it counts nothing.
Counting counting_of(const std::optional<std::filesystem::path>& plan,
                     const HardwareOptions& options);

}  // namespace roofmark::live
