// Keeps a further run of the target out of the way of the first: its output goes nowhere, what it
// writes is gone with it where the kernel allows that, and nothing typed at the terminal reaches
// it.
#pragma once

#include <analysis/files/descriptor.hpp>
#include <analysis/record/overlay.hpp>
#include <analysis/record/record.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace roofmark {

/// Wall time that a further run may take when nobody said how much.
inline constexpr double default_budget_s = 300;

class Isolation {
 public:
  /// Says, before the run, what it may do to the user's files. `shared` stays as it is written.
  Isolation(const RecordOptions& options, const std::filesystem::path& shared,
            std::vector<std::string>& notes);

  /// When the run is ended, if at all.
  std::optional<double> deadline_s() const;
  /// In the child, just before it becomes the target: an errno, or 0.
  int enter(int standard_input) const;

 private:
  const RecordOptions& options_;
  OverlayOptions overlay_options_;
  bool overlay_;
  Descriptor null_;
};

}  // namespace roofmark
