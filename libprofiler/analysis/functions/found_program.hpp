// The functions that a program without regions spent its time in, as sampling found them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <roofmark/profile.hpp>
#include <string>
#include <vector>

namespace roofmark {

/// Bytes [first, end) of an object file; `object` empty: code in no file, by its address.
struct CodeRange {
  std::string object;
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  bool operator==(const CodeRange&) const = default;
};

/// One row of the report.
struct FoundCode {
  std::vector<std::string> path;  ///< function; what was inlined into it or a loop of it
  std::optional<CodePlace> place;
  std::uint64_t threads = 0;  ///< that were in it at once
  std::optional<double> imbalance;
  Measure thread_s, wall_s;            ///< with what is below it
  Measure self_thread_s, self_wall_s;  ///< without
  std::vector<CodeRange> ranges;       ///< of its own; empty: it can't be counted apart
  bool is_rest = false;                ///< all that has no row
  bool is_kernel = false;
};

struct FoundProgram {
  std::string means;  ///< "perf", "timer"
  std::size_t samples = 0;
  double frequency_hz = 0;         ///< at which most of them were taken
  std::vector<FoundCode> code;     ///< parents before children
  std::vector<std::string> notes;  ///< for the reader of the report
};

}  // namespace roofmark
