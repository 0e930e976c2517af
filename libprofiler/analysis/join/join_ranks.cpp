#include <algorithm>
#include <analysis/join/join_ranks.hpp>
#include <analysis/join/region_tree.hpp>
#include <map>

namespace roofmark {

std::optional<RankSpread> spread_of(std::vector<RankTime> times) {
  if (times.size() < 2) return std::nullopt;
  std::sort(times.begin(), times.end(), [](const RankTime& a, const RankTime& b) {
    return a.time_s != b.time_s ? a.time_s < b.time_s : a.rank < b.rank;
  });
  RankSpread spread;
  spread.ranks = times.size();
  for (const RankTime& time : times) spread.mean_s += time.time_s;
  spread.mean_s /= static_cast<double>(times.size());
  const std::size_t middle = times.size() / 2;
  spread.median_s = times.size() % 2 == 1 ? times[middle].time_s
                                          : (times[middle - 1].time_s + times[middle].time_s) / 2;
  spread.min_s = times.front().time_s;
  spread.min_rank = times.front().rank;
  spread.max_s = times.back().time_s;
  spread.max_rank = times.back().rank;
  return spread;
}

bool is_mpi_call(const std::string& name) {
  return name.size() > 4 && name.compare(0, 4, "MPI_") == 0 && name[4] >= 'A' && name[4] <= 'Z';
}

std::optional<JobRanks> job_of(const std::vector<RawProcess>& native) {
  std::set<unsigned> ranks;
  std::set<std::string> hosts;
  JobRanks job;
  for (const RawProcess& process : native) {
    if (!process.rank) continue;
    ranks.insert(*process.rank);
    hosts.insert(process.host);
    job.size = std::max<std::uint64_t>(job.size, process.ranks);
  }
  if (job.size < 2) return std::nullopt;
  job.recorded = ranks.size();
  job.nodes = hosts.size();
  return job;
}

std::set<std::size_t> launchers(const CountedPass& pass, const std::vector<RawProcess>& native) {
  std::set<std::size_t> others;
  if (!job_of(native)) return others;
  std::set<std::string> executables;
  for (const RawProcess& process : native)
    if (process.rank) executables.insert(base_name(process.executable));
  // A rank is what runs a rank's executable, and what that has started.
  std::set<std::int64_t> ranks;
  for (const ProcessCounts& process : pass.processes)
    if (executables.count(base_name(process.exe)) != 0) ranks.insert(process.pid);
  for (bool grown = true; grown;) {
    grown = false;
    for (const ProcessCounts& process : pass.processes)
      if (ranks.count(process.ppid) != 0 && ranks.insert(process.pid).second) grown = true;
  }
  // Of an exec chain in one process each image counts for itself: the shell before it is none.
  for (std::size_t i = 0; i < pass.processes.size(); ++i) {
    const ProcessCounts& process = pass.processes[i];
    const bool own = executables.count(base_name(process.exe)) != 0;
    if (!own && ranks.count(process.ppid) == 0) others.insert(i);
  }
  return others.size() == pass.processes.size() ? std::set<std::size_t>() : others;
}

std::string launcher_note(const CountedPass& pass, const std::set<std::size_t>& launchers) {
  std::set<std::string> names;
  for (const std::size_t i : launchers) names.insert(base_name(pass.processes[i].exe));
  if (names.empty()) return "";
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return "The job's launcher (" + list + ") is no rank: what it did is in no row's counts.";
}

}  // namespace roofmark
