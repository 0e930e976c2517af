// Whether this process was itself started as a rank of a parallel job.
#pragma once

#include <filesystem>
#include <optional>
#include <roofmark/profile.hpp>
#include <string>
#include <vector>

namespace roofmark {

/// From the environment. Nothing where the command is a launcher itself: then its processes will be
/// the ranks; nothing for a job of one rank.
std::optional<JobRanks> own_rank(const std::vector<std::string>& command);

/// Makes MPI calls of a program regions, which runs with one of the runtimes.
void add_mpi(const std::filesystem::path& lib, std::vector<std::string>& environment);

/// mpirun, mpiexec, srun, ...
bool is_launcher(const std::vector<std::string>& command);

}  // namespace roofmark
