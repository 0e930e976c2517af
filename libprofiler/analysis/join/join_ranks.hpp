// Ranks of a parallel job among the processes of one recording: who they are, how they differ, and
// which processes are the launcher's own.
#pragma once

#include <analysis/join/join.hpp>
#include <cstdint>
#include <optional>
#include <roofmark/profile.hpp>
#include <set>
#include <string>
#include <vector>

namespace roofmark {

struct RankTime {
  std::uint64_t rank = 0;
  double time_s = 0;
};

/// Nothing for fewer than two ranks.
std::optional<RankSpread> spread_of(std::vector<RankTime> times);

/// A region of an MPI call, whoever made it: "MPI_Allreduce".
bool is_mpi_call(const std::string& name);

/// The job that the recorded processes are ranks of; nothing where they are none.
std::optional<JobRanks> job_of(const std::vector<RawProcess>& native);

/// Processes of the counted pass that belong to no rank: mpirun, its daemons, shells in between. By
/// position in the pass. None where the recording knows no ranks.
std::set<std::size_t> launchers(const CountedPass& pass, const std::vector<RawProcess>& native);

/// What they did, for the reader; empty where there are none.
std::string launcher_note(const CountedPass& pass, const std::set<std::size_t>& launchers);

}  // namespace roofmark
