// Sizes of caches and pages as people read them.
#pragma once

#include <fmt/format.h>

#include <string>

namespace roofmark {

inline std::string size_text(double bytes) {
  if (bytes >= 1 << 30) return fmt::format("{:.3g} GiB", bytes / (1 << 30));
  if (bytes >= 1 << 20) return fmt::format("{:.3g} MiB", bytes / (1 << 20));
  return fmt::format("{:.3g} KiB", bytes / (1 << 10));
}

}  // namespace roofmark
