// The ceilings above a region, one step at a time. Each gain is an upper bound over the present
// time and holds all steps before it; it ends at whatever ceiling is next.
#include <algorithm>

#include "analysis/roofline/ceilings.hpp"
#include "analysis/roofline/judgement.hpp"
#include "analysis/roofline/thresholds.hpp"
#include "analysis/roofline/traffic.hpp"

namespace roofmark::model {
namespace {

class Climb {
 public:
  explicit Climb(double wall_s) : wall_s_(wall_s) {}

  void step(const std::string& name, const std::vector<Part>& parts) {
    const double explained_s = explain(parts).overlapped;
    if (!(explained_s > 0)) return;
    const double gain = wall_s_ / explained_s;
    if (gain < gain_ * thresholds().rung_gain) return;
    gain_ = gain;
    rungs_.push_back({name, gain});
  }

  std::vector<Rung> rungs() && { return std::move(rungs_); }

 private:
  double wall_s_;
  double gain_ = 1;
  std::vector<Rung> rungs_;
};

/// Without the traffic of the interface that binds: what reuse in the caches inside it could give.
std::vector<Part> without_binding_memory(std::vector<Part> parts) {
  const Part* memory = largest(parts, Kind::memory);
  const Part* compute = largest(parts, Kind::compute);
  if (!memory || !compute || memory->seconds <= compute->seconds || memory->name == "L1") return {};
  const std::string name = memory->name;
  std::erase_if(parts, [&](const Part& part) { return part.name == name; });
  return parts;
}

}  // namespace

std::vector<Rung> ladder(const Case& it) {
  const Evaluation& evaluation = it.evaluation;
  const Verdict verdict = decide(it).verdict;
  if (verdict == Verdict::too_small || verdict == Verdict::above_roof) return {};
  if (!evaluation.wall_s || evaluation.flop == 0 || it.is_sum || !evaluation.uncounted.empty())
    return {};
  Climb climb(*evaluation.wall_s);
  std::vector<Part> top = evaluation.machine;
  if (evaluation.as_written) {
    // What was evaluated as it ran; then one step after the other, those that change something.
    Setting setting = as_it_ran(evaluation);
    const TrafficOfRegion traffic = traffic_of(it.work, it.region, it.machine, setting.memory_kind);
    top = *evaluation.as_written;
    climb.step("reach the roof as written", top);
    const auto step = [&](const char* name) {
      top = written_parts(it.work, traffic, it.machine, setting);
      climb.step(name, top);
    };
    if (setting.large_page_share) {
      setting.large_page_share.reset();
      step("use large pages");
    }
    setting.vectorised = true;
    step("vectorise");
    setting.fused = true;
    step("use FMA");
    const double all = cores_of(it.machine);
    if (setting.cores != all || setting.clock_hz) {
      setting.cores = all;
      setting.clock_hz.reset();  // all cores together may not reach the clock of a few
      step("use all cores");
    }
  } else {
    climb.step("reach the machine roof", top);
  }
  const Part* memory = largest(top, Kind::memory);
  if (auto inside = without_binding_memory(top); !inside.empty())
    climb.step("move fewer bytes through " + memory->name, inside);
  return std::move(climb).rungs();
}

}  // namespace roofmark::model
