// Makes one profile of a parallel job of the profiles of its ranks, one after the other: what is
// kept grows with the number of regions, and by a few words with that of ranks. Pure.
#pragma once

#include <analysis/merge/gpu_ranks.hpp>
#include <analysis/merge/rank_notes.hpp>
#include <analysis/merge/rank_shares.hpp>
#include <analysis/merge/rank_times.hpp>
#include <analysis/merge/work_sum.hpp>
#include <analysis/profile/measure_sum.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <roofmark/profile.hpp>
#include <roofmark/result.hpp>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace roofmark {

class RankMerge {
 public:
  /// Why this is no rank of the job that the ones before are of; nothing was added then.
  std::optional<Problem> add(const Profile& rank, const std::string& name);

  std::uint64_t ranks() const { return recorded_; }

  /// The job: counts are summed over ranks, ceilings over nodes. A problem where none was added.
  Result<Profile> finish() const;

 private:
  struct RegionSum {
    std::vector<std::size_t> children;
    std::string name;
    std::uint64_t visits = 0, threads = 0;
    Source visits_source = Source::measured;
    std::set<std::string> flags;
    double marker_s = 0;
    RankTimes wall, self_wall, mpi;
    MeasureEnds longest, self_longest;  ///< of `wall` and `self_wall`
    MeasureSum mpi_time, off_cpu, thread_time, self_thread_time;
    double busy_s = 0, self_busy_s = 0;  ///< summed over ranks: time x cores that were busy
    bool all_timed = true, all_self_timed = true, all_thread_timed = true;
    std::uint64_t ranks = 0;  ///< that entered it
    WorkSum work, self;
    RankShares shares;
    bool with_shares = false;  ///< there is room for single ranks of it
    std::vector<Missing> missing;
  };

  /// The number of a region in `regions_`.
  std::size_t place_of(const std::vector<std::string>& path);
  void choose_shared(const Profile& first);
  void add_region(const Region& region, std::uint64_t rank);
  void add_passes(const Profile& rank);
  void add_notes(const Profile& profile, std::uint64_t rank);
  Region row_of(const RegionSum& sum, std::vector<std::string> path) const;
  /// The rows, and which region each is.
  std::vector<std::size_t> append_rows(Profile& job) const;
  std::string missing_ranks() const;

  std::vector<RegionSum> regions_ = std::vector<RegionSum>(1);
  std::vector<std::unordered_map<std::string, std::size_t>> by_name_ =
      std::vector<std::unordered_map<std::string, std::size_t>>(1);
  std::size_t shared_ = 0, most_shared_ = 0;  ///< regions that keep single ranks
  bool has_whole_ = false;
  GpuRanks gpus_;
  std::uint64_t recorded_ = 0, lowest_ = 0;
  std::vector<bool> seen_;
  std::set<std::string> nodes_;
  Program program_;
  Machine machine_;         ///< of the first node
  double processor_s_ = 0;  ///< of the rank that is being added
  std::optional<std::string> unequal_node_;
  double waited_ = 0, large_pages_ = 0, remote_memory_ = 0;
  std::uint64_t waited_known_ = 0, large_pages_known_ = 0, remote_memory_known_ = 0;
  std::set<std::string> memory_kinds_;
  std::vector<Pass> passes_;
  RankNotes notes_;
};

}  // namespace roofmark
