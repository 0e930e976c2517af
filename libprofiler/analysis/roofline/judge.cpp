#include <algorithm>
#include <analysis/machine/scaled.hpp>
#include <analysis/profile/path_index.hpp>
#include <cmath>
#include <roofmark/roofline.hpp>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "analysis/roofline/ceilings.hpp"
#include "analysis/roofline/gpu_machine.hpp"
#include "analysis/roofline/judgement.hpp"
#include "analysis/roofline/thresholds.hpp"

namespace roofmark {
namespace {

using model::Case;
using model::Explained;

Case leaf(const Work& work, const Region& region, const Machine& machine,
          const model::MemoryOfProgram& memory = {}) {
  Case it{work, region, machine, model::evaluate(work, region, machine, memory), {}, {}, {}, false};
  it.machine_time = model::explain(it.evaluation.machine);
  if (it.evaluation.as_written) it.written_time = model::explain(*it.evaluation.as_written);
  it.time = model::explain(evidence(it.evaluation));
  it.remote_memory_share = memory.remote_share;
  return it;
}

std::optional<double> roof_of(const Case& it, const Explained& time) {
  if (it.evaluation.point_flop <= 0 || time.overlapped <= 0) return std::nullopt;
  const double roof = it.evaluation.point_flop / time.overlapped;
  return std::isfinite(roof) ? std::optional(roof) : std::nullopt;
}

Measure explained_measure(const Explained& time) {
  Source source = Source::measured;
  for (const auto& [name, part] : time.binding) source = std::max(source, part.source);
  return {time.overlapped, source, time.overlapped, time.serial};
}

void fill_numbers(const Case& it, Roofline& made) {
  const auto& evaluation = it.evaluation;
  const Explained& time = it.time;
  if (evaluation.precision && evaluation.flop > 0)
    made.precision = std::string(spelling(*evaluation.precision));
  if (!evaluation.tensor.empty()) made.precision = "tensor " + evaluation.tensor;
  made.levels = evaluation.levels;
  made.uncertainty = uncertainty(it);
  made.notes = evaluation.notes;
  if (evaluation.wall_s && evaluation.point_flop > 0)
    made.achieved_flop_per_s = evaluation.point_flop / *evaluation.wall_s;
  // An interface that was not counted could be lower than every roof below: no roof is honest then,
  // unless what was counted explains the time by itself.
  const bool open = made.verdict == Verdict::undetermined ||
                    (evaluation.flop == 0 && evaluation.main_memory_uncounted);
  if (open) return;
  if (const model::Part* part = binding_part(time)) made.binding = part->name;
  made.roof_flop_per_s = roof_of(it, it.machine_time);
  made.fraction = fraction(it, it.machine_time);
  if (const auto left_s = working_s(it); left_s && made.fraction)
    made.fraction_without_waiting = it.machine_time.overlapped / *left_s;
  if (it.written_time) {
    made.roof_as_written_flop_per_s = roof_of(it, *it.written_time);
    made.fraction_as_written = fraction(it, *it.written_time);
  }
  if (!time.binding.empty()) made.explained_s = explained_measure(time);
}

Roofline conclude(const Case& it) {
  Roofline made;
  const model::Decision decision = decide(it);
  made.verdict = decision.verdict;
  made.verdict_detail = decision.detail;
  if (!it.evaluation.no_ceiling) {
    made.side = side_against_machine(it);
    made.side_as_written = side_as_written(it);
  }
  fill_numbers(it, made);
  made.ladder = ladder(it);
  made.why = why(it, made);
  made.advice = advice(it, made);
  return made;
}

double wall_of(const Work& work) {
  return work.wall_s && std::isfinite(work.wall_s->value) ? std::max(0.0, work.wall_s->value) : 0;
}

/// What one device did, as a region whose time is that of the device.
Region on_device(const Region& region, const GpuShare* share) {
  Region made;
  made.path = region.path;
  made.visits = region.visits;
  made.threads = 1;
  made.kernel = region.kernel;
  made.gpu = region.gpu;
  made.gpu_calls = region.gpu_calls;
  if (region.kernel) {
    made.flags = region.flags;
    made.clock_hz = region.clock_hz;
    made.missing = region.missing;
    made.work = region.work;
  } else {
    // The host's flags are not the GPU's.
    made.work = share->work;
    made.work.wall_s = share->busy_s;
    made.missing = share->missing;
    for (const Missing& missing : share->missing)
      if (missing.quantity == "tensor") made.flags.insert("tensor_uncounted");
  }
  return made;
}

/// One for each device that did something for the region. A device without ceilings makes the
/// verdict undetermined, as a machine without them does.
std::vector<Roofline> judge_on_gpu(const Region& region, const Machine& machine) {
  std::vector<Roofline> made;
  const auto judge_one = [&](const std::string& device, const GpuShare* share) {
    const Gpu* known = gpu_of(machine, device);
    Gpu unknown;
    unknown.uuid = device;
    const Machine gpu = machine_of(known != nullptr ? *known : unknown);
    const Region there = on_device(region, share);
    Roofline roofline = conclude(leaf(there.work, there, gpu));
    roofline.locus = locus_of_device(device);
    made.push_back(std::move(roofline));
  };
  if (region.kernel) {
    judge_one(region.kernel->device, nullptr);
    return made;
  }
  for (const GpuShare& share : region.gpu)
    if (share.launches > 0) judge_one(share.device, &share);
  return made;
}

/// Direct children by position, for every region.
std::vector<std::vector<std::size_t>> children_of(const std::vector<Region>& regions) {
  const PathIndex index(regions);
  std::vector<std::vector<std::size_t>> children(regions.size());
  for (std::size_t i = 0; i < regions.size(); ++i)
    // A kernel takes none of the host's time.
    if (const std::size_t parent = index.parent(i);
        parent != PathIndex::none && parent != i && !regions[i].kernel)
      children[parent].push_back(i);
  return children;
}

class TreeJudge {
 public:
  explicit TreeJudge(Profile& profile)
      : profile_(profile),
        children_(children_of(profile.regions)),
        judged_(profile.regions.size()) {
    if (model::no_machine(profile.machine)) {
      // The recording's notes say why there is none.
      share_ = profile.machine;
      share_->notes.insert(share_->notes.end(), profile.notes.begin(), profile.notes.end());
      return;
    }
    const auto& job = profile.program.ranks;
    if (job && job->rank && job->on_node.value_or(1) > 1) {
      ranks_on_node_ = *job->on_node;
      share_ = share_of(profile.machine, ranks_on_node_);
    }
  }

  void judge_all() {
    std::vector<std::size_t> order(profile_.regions.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return profile_.regions[a].path.size() > profile_.regions[b].path.size();
    });
    // The deepest first: a region needs its children's times, and nothing of its siblings.
    for (auto first = order.begin(); first != order.end();) {
      const std::size_t depth = profile_.regions[*first].path.size();
      const auto last = std::find_if(first, order.end(), [&](std::size_t index) {
        return profile_.regions[index].path.size() != depth;
      });
      judge_side_by_side({first, last});
      first = last;
    }
  }

 private:
  void judge_side_by_side(const std::vector<std::size_t>& indices) {
    constexpr std::size_t worth_a_thread = 2000;
    const std::size_t most = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t threads = std::clamp<std::size_t>(indices.size() / worth_a_thread, 1, most);
    const auto judge_share = [&](std::size_t share) {
      for (std::size_t i = share; i < indices.size(); i += threads) judge_one(indices[i]);
    };
    std::vector<std::jthread> helpers;  // joined at the end of their scope
    try {
      while (helpers.size() + 1 < threads) helpers.emplace_back(judge_share, helpers.size() + 1);
    } catch (const std::system_error&) {
      // No more threads here: their shares are done below.
    }
    judge_share(0);
    for (std::size_t share = helpers.size() + 1; share < threads; ++share) judge_share(share);
  }

  struct Times {
    Explained machine;
    std::optional<Explained> written;
    Explained evidence;
  };

  /// Children that run one after the other, and with the self time fill the region's time.
  bool has_serial_children(std::size_t index) const {
    const Region& region = profile_.regions[index];
    if (children_[index].empty() || !region.self.wall_s) return false;
    double sum = wall_of(region.self);
    for (const std::size_t child : children_[index]) sum += wall_of(profile_.regions[child].work);
    return sum <= wall_of(region.work) * model::thresholds().serial_children;
  }

  void sum_children(std::size_t index, const Case& self, Case& whole) const {
    whole.is_sum = true;
    whole.machine_time = self.machine_time;
    whole.written_time = self.written_time;
    whole.time = self.time;
    for (const std::size_t child : children_[index]) {
      const Times& times = judged_[child];
      add(whole.machine_time, times.machine);
      add(whole.time, times.evidence);
      if (!times.written || !whole.written_time)
        whole.written_time.reset();
      else
        add(*whole.written_time, *times.written);
    }
  }

  void judge_one(std::size_t index) {
    Region& region = profile_.regions[index];
    if (region.kernel) {
      region.rooflines = judge_on_gpu(region, profile_.machine);
      region.self_rooflines = region.rooflines;
      flag(region);
      return;
    }
    Case whole = leaf(region.work, region, machine(), memory());
    whole.waited_share = profile_.program.waited_share;
    if (children_[index].empty()) {
      region.rooflines = {conclude_shared(whole)};
      region.self_rooflines = region.rooflines;
    } else {
      Case self = leaf(region.self, region, machine(), memory());
      self.waited_share = profile_.program.waited_share;
      if (has_serial_children(index)) sum_children(index, self, whole);
      region.self_rooflines = {conclude_shared(self)};
      region.rooflines = {conclude_shared(whole)};
    }
    judged_[index] = {whole.machine_time, whole.written_time, whole.time};
    // The GPU has a roofline of its own, of all that the region had done there.
    for (Roofline& roofline : judge_on_gpu(region, profile_.machine))
      region.rooflines.push_back(std::move(roofline));
    flag(region);
  }

  model::MemoryOfProgram memory() const {
    const Program& program = profile_.program;
    return {program.large_page_share, program.memory_kind, program.remote_memory_share};
  }

  /// A rank's roof is its share of the node.
  const Machine& machine() const { return share_ ? *share_ : profile_.machine; }

  /// Ranks that wait leave others more than their share: what is above that is no error as long as
  /// the node could do it.
  Roofline conclude_shared(const Case& it) const {
    Roofline made = conclude(it);
    if (!share_ || made.verdict != Verdict::above_roof) return made;
    Case on_node = leaf(it.work, it.region, profile_.machine, memory());
    on_node.waited_share = it.waited_share;
    Roofline of_node = conclude(on_node);
    of_node.notes.push_back("It did more than a share of 1/" + std::to_string(ranks_on_node_) +
                            " of the node allows, since not all ranks ran all the time: the roof "
                            "is the whole node's.");
    return of_node;
  }

  static void flag(Region& region) {
    const auto is_above = [](const Roofline& roofline) {
      return roofline.verdict == Verdict::above_roof;
    };
    region.flags.erase("above_roof");
    if (std::any_of(region.rooflines.begin(), region.rooflines.end(), is_above) ||
        std::any_of(region.self_rooflines.begin(), region.self_rooflines.end(), is_above))
      region.flags.insert("above_roof");
  }

  Profile& profile_;
  std::uint64_t ranks_on_node_ = 1;
  std::optional<Machine> share_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<Times> judged_;
};

const Roofline* at_locus(const Region& region, const std::vector<Roofline>& rooflines,
                         const std::string& wanted) {
  const std::string locus = !wanted.empty() ? wanted
                            : region.kernel ? locus_of_device(region.kernel->device)
                                            : "cpu";
  for (const Roofline& roofline : rooflines)
    if (roofline.locus == locus) return &roofline;
  // Under one roof alone, whichever it is, a region is under that one: every format says the same.
  const bool one = rooflines.size() == 1 && wanted.empty();
  return one ? &rooflines.front() : nullptr;
}

}  // namespace

Roofline judge(const Region& region, const Machine& machine) {
  return conclude(leaf(region.work, region, machine));
}

void judge(Profile& profile) {
  TreeJudge(profile).judge_all();
}

bool judge_where_open(Profile& profile) {
  const auto is_open = [](const std::vector<Roofline>& rooflines) {
    return std::any_of(rooflines.begin(), rooflines.end(),
                       [](const Roofline& roofline) { return roofline.why.empty(); });
  };
  bool none = true, open = false;
  for (const Region& region : profile.regions) {
    none = none && region.rooflines.empty();
    open = open || is_open(region.rooflines) || is_open(region.self_rooflines);
  }
  if (none || open) judge(profile);
  return none || open;
}

Side side_at(const Roofline& roofline, const std::string& level) {
  const auto found = roofline.levels.find(level);
  if (found == roofline.levels.end()) return Side::unknown;
  const LevelPlacement& place = found->second;
  if (!(place.intensity > 0) || !(place.ridge > 0)) return Side::unknown;
  const double uncertainty = std::isfinite(roofline.uncertainty) ? roofline.uncertainty : 0;
  return side_of(Intensity{place.intensity}, Intensity{place.ridge},
                 std::max(uncertainty, model::thresholds().ridge_uncertainty));
}

const Roofline* self_roofline(const Region& region, const std::string& locus) {
  return at_locus(region, region.self_rooflines, locus);
}

const Roofline* inclusive_roofline(const Region& region, const std::string& locus) {
  return at_locus(region, region.rooflines, locus);
}

}  // namespace roofmark
