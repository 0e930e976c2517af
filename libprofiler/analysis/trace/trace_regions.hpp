// Which region each visit of a trace is one of: a trace knows names, threads and times alone.
#pragma once

#include <analysis/trace/trace.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace roofmark {

struct RegionsOfVisits {
  static constexpr std::uint32_t unknown = static_cast<std::uint32_t>(-1);
  /// Visits of regions of the same name were not kept, or the thread was below several of them, and
  /// what other threads had open when it was entered does not tell them apart.
  static constexpr std::uint32_t several = static_cast<std::uint32_t>(-2);

  std::vector<std::vector<std::string>> paths;  ///< from the process's root
  std::vector<std::uint32_t> visits, open;      ///< by visit: index in `paths`, or one of the two
};

RegionsOfVisits regions_of_visits(const TracedProcess& process);

}  // namespace roofmark
