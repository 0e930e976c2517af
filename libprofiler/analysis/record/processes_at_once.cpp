#include "processes_at_once.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace roofmark {
namespace {

std::size_t running_processes(const PlacementSample& look) {
  std::set<std::int64_t> processes;
  for (const PlacementSample::Thread& thread : look.threads)
    if (thread.running) processes.insert(thread.pid);
  return processes.size();
}

}  // namespace

unsigned processes_at_once(const std::vector<PlacementSample>& looks, unsigned cpus) {
  double process_s = 0, busy_s = 0;
  // A look stands for the time since the one before.
  double before_s = 0;
  for (const PlacementSample& look : looks) {
    const double stretch_s = std::max(0.0, look.time_s - before_s);
    before_s = look.time_s;
    const std::size_t running = std::min<std::size_t>(running_processes(look), std::max(cpus, 1U));
    if (running == 0) continue;
    process_s += static_cast<double>(running) * stretch_s;
    busy_s += stretch_s;
  }
  if (!(busy_s > 0)) return 1;
  return static_cast<unsigned>(std::max(1L, std::lround(process_s / busy_s)));
}

}  // namespace roofmark
