#include <libprofiler/arena/rank.h>
#include <unistd.h>

#include <algorithm>
#include <analysis/record/launch.hpp>
#include <analysis/record/own_rank.hpp>
#include <array>
#include <cstdlib>
#include <string_view>

namespace roofmark {
namespace {

/// Names of launchers up to a first dot or dash: mpirun.openmpi, mpiexec-mpich-mp.
constexpr std::array<std::string_view, 12> launchers = {"mpirun", "mpiexec", "orterun",   "prterun",
                                                        "prun",   "srun",    "aprun",     "jsrun",
                                                        "lrun",   "ibrun",   "ccc_mprun", "flux"};

}  // namespace

bool is_launcher(const std::vector<std::string>& command) {
  if (command.empty()) return false;
  std::string_view name = command.front();
  name = name.substr(name.rfind('/') + 1);
  name = name.substr(0, name.find_first_of(".-"));
  return std::find(launchers.begin(), launchers.end(), name) != launchers.end();
}

void add_mpi(const std::filesystem::path& lib, std::vector<std::string>& environment) {
  const std::filesystem::path wrappers = lib / "libroofmark-mpi.so";
  // Without it MPI's time is that of the regions around the calls.
  if (access(wrappers.c_str(), R_OK) == 0)
    set_variable(environment, "LD_PRELOAD", wrappers.string(), ':');
}

std::optional<JobRanks> own_rank(const std::vector<std::string>& command) {
  if (is_launcher(command)) return std::nullopt;
  const arena::RankNumbers found =
      arena::rank_of([](const char* name) { return std::getenv(name); });
  if (found.launcher == nullptr || found.ranks < 2) return std::nullopt;
  JobRanks job;
  job.size = static_cast<std::uint64_t>(found.ranks);
  job.recorded = 1;
  job.rank = static_cast<std::uint64_t>(found.rank);
  if (found.local_ranks > 0) job.on_node = static_cast<std::uint64_t>(found.local_ranks);
  job.launcher = found.launcher;
  return job;
}

}  // namespace roofmark
