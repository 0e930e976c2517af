// Looks at the target from outside: which threads there are, which of them run and where (/proc),
// and which region each has open (its arena). Costs the target nothing but the time of the looks.
#pragma once

#include <sys/types.h>

#include <analysis/join/join.hpp>
#include <analysis/record/memory_placement.hpp>
#include <analysis/record/resident_pages.hpp>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace roofmark {

class Sampler {
 public:
  /// `recording` is the directory of the target's arenas; empty: it has none.
  Sampler(pid_t target, std::string recording)
      : target_(target), recording_(std::move(recording)) {}

  /// Takes a sample; returns the seconds until the next. The looks come quickly at first, so that a
  /// short program is seen too, and are kept below 2 % of a core and 4096 in number.
  double look(double elapsed_s);

  /// How long threads of the target were ready to run and got no core, summed over those that were
  /// seen, up to when they were seen last.
  double waited_for_core_s() const;
  /// Processes that were seen, the target among them.
  std::size_t processes() const { return processes_.size(); }
  const std::set<pid_t>& seen() const { return processes_; }
  /// Of the memory of all of them, at the look that found most; nothing: not seen.
  std::optional<double> large_page_share() const;
  /// From now on it is also seen on which NUMA nodes that memory lies.
  void look_for_nodes() { looks_for_nodes_ = true; }
  const NodeBytes& bytes_by_node() const { return most_nodes_; }
  /// Whether any process had a region open, or had had one, at a look.
  bool has_seen_regions() const { return has_seen_regions_; }
  /// From now on a process that has CUDA's driver loaded is noticed.
  void look_for_cuda() { looks_for_cuda_ = true; }
  bool has_seen_cuda() const { return has_seen_cuda_; }
  std::vector<PlacementSample> take() { return std::move(samples_); }

 private:
  void look_at_pages(double elapsed_s);
  void look_at_libraries(double elapsed_s);

  pid_t target_;
  std::string recording_;
  std::map<pid_t, double> waited_s_;  ///< by thread
  double waited_of_gone_s_ = 0;       ///< of threads whose number another one has got
  std::set<pid_t> processes_;
  double interval_s_ = 1e-3;
  double longest_interval_s_ = 20e-3;
  ResidentPages most_pages_;
  bool looks_for_nodes_ = false;
  NodeBytes most_nodes_;
  double next_pages_s_ = 2e-3;
  bool has_seen_regions_ = false;
  bool looks_for_cuda_ = false, has_seen_cuda_ = false;
  double next_libraries_s_ = 10e-3;
  std::uint32_t random_ = 2463534242U;
  std::vector<PlacementSample> samples_;
};

/// The second number of a /proc/PID/schedstat line, in seconds; 0 when there is none.
double parse_run_delay(std::string_view line);

/// State letter and processor of one /proc/PID/task/TID/stat line; false when it can't be read.
bool parse_stat(std::string_view line, char& state, int& processor);

}  // namespace roofmark
