// The regions of all threads and processes of a native pass, merged by path, with their times in
// seconds and the cost of the markers taken out.
#pragma once

#include <analysis/arena/arena_reader.hpp>
#include <analysis/join/join.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace roofmark {

/// A path in one process: processes that run one after another are no threads of one another.
struct ProcessShare {
  std::size_t process = 0;       ///< the nth that was added
  std::optional<unsigned> rank;  ///< in a parallel job
  std::uint64_t threads = 0;
  double first_entry_s = 0, last_exit_s = 0;
  double longest_s = 0, longest_self_s = 0;  ///< of one thread
  double thread_s = 0;                       ///< of all its threads
};

/// A path in one thread. Of threads that ended there is the sum alone.
struct ThreadTime {
  std::size_t process = 0, thread = 0;  ///< the nth that was added, and its nth thread
  std::uint64_t threads = 1;            ///< how many ended ones it is the sum of
  std::uint64_t visits = 0;             ///< closed and open ones
  double time_s = 0, self_s = 0;
};

/// A path in one rank of a job: for how long any of its threads was in it.
struct RankPart {
  double time_s = 0, self_s = 0;
};

/// One path. Times are sums over threads unless they say otherwise.
struct MergedRegion {
  std::size_t parent = 0;
  std::string name;
  std::vector<std::size_t> children;
  bool found = false;  ///< by sampling, and not marked

  std::uint64_t visits = 0;  ///< closed ones and those that were still open
  std::uint64_t open_visits = 0;
  std::uint64_t adopted_visits = 0;
  std::vector<ProcessShare> shares;  ///< by process, those that visited it
  std::vector<ThreadTime> by_thread;
  std::uint64_t threads = 0;  ///< that visited it and existed at the same time
  double thread_s = 0, self_thread_s = 0;
  /// Of one thread; of processes that did not overlap, the sum.
  double longest_s = 0, longest_self_s = 0;
  double window_s = 0;  ///< first entry to last exit, without the gaps between processes
  /// Open at the end of a process that ended at a time that nobody knows: how much longer than it
  /// was seen, over all threads, and until when at most.
  double unknown_end_s = 0, self_unknown_end_s = 0;
  double last_possible_exit_s = 0;
  std::optional<RankSpread> ranks;  ///< of several
  std::map<unsigned, RankPart> by_rank;
  std::map<unsigned, double> mpi_s;  ///< in MPI calls, by rank (0: of no job), over its threads
  double marker_s = 0;               ///< taken out of thread_s
  double marker_cost_s = 0;          ///< what one visit costs
  double first_entry_s = 0;          ///< on CLOCK_MONOTONIC_RAW
  double min_s = 0, max_s = 0, first_s = 0;  ///< of one visit, as the clock read it
  double sum_s = 0, sum_of_squares = 0;      ///< over closed visits, as the clock read it
  std::uint64_t closed_visits = 0;
  RawHistogram histogram;
  double ticks_per_second = 0;  ///< of the histogram
  double declared_flop = 0, declared_bytes = 0;
  std::set<std::string> flags;
};

class RegionTree {
 public:
  static constexpr std::size_t root = 0;

  RegionTree();

  /// Adds all regions of one process. Processes of another executable than `main_executable` keep
  /// regions of their own: their outermost names get the executable's name behind them.
  void add(const RawProcess& process, const JoinInput& input, const std::string& main_executable);

  /// To be called after the last add(): sets what hangs on which processes overlapped.
  void finish();

  /// The region with this path, made when there is none.
  std::size_t region(const std::vector<std::string>& path);
  std::size_t child(std::size_t parent, const std::string& name);
  /// The outermost region that holds what could not be kept, and not one of the program that bears
  /// its name: in its path the name of ours is longer then.
  std::size_t other(const std::string& name);
  /// Whether an outermost region of this name was found and not marked.
  bool is_found(const std::string& outermost) const;
  /// The region that a sample names.
  std::optional<std::size_t> find(std::int64_t pid, std::uint64_t key) const;
  std::vector<std::string> path(std::size_t region) const;

  const std::vector<MergedRegion>& regions() const { return regions_; }
  MergedRegion& operator[](std::size_t region) { return regions_[region]; }
  const MergedRegion& operator[](std::size_t region) const { return regions_[region]; }

 private:
  void append(std::size_t parent, const std::string& name);

  std::vector<MergedRegion> regions_;  ///< parents before children
  std::size_t processes_ = 0;
  std::vector<std::unordered_map<std::string, std::size_t>> by_name_;
  std::map<std::string, std::size_t> others_;
  std::unordered_map<std::uint64_t, std::size_t> by_key_;
};

/// "NAME [EXECUTABLE]": an outermost region of a process that runs another program.
std::string foreign_name(const std::string& name, const std::string& executable);
std::string base_name(const std::string& path);

}  // namespace roofmark
