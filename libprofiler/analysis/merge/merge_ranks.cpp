#include <algorithm>
#include <analysis/machine/scaled.hpp>
#include <analysis/merge/merge_ranks.hpp>
#include <iterator>
#include <limits>
#include <set>

namespace roofmark {
namespace {

constexpr std::uint64_t most_ranks = 100'000'000;  // a bit each
constexpr std::size_t most_named = 12;             // runs of ranks that are missing

double value_of(const std::optional<Measure>& measure) {
  return measure ? measure->value : 0;
}

/// "Intel Xeon, 64 cores": nodes of which this differs have other ceilings.
std::string kind_of(const Machine& machine) {
  const auto model = machine.identity.find("cpu_model");
  return (model != machine.identity.end() ? model->second : "an unknown processor") + ", " +
         std::to_string(machine.topology.cores) + " cores";
}

}  // namespace

std::optional<Problem> RankMerge::add(const Profile& profile, const std::string& name) {
  const auto& job = profile.program.ranks;
  if (!job || !job->rank)
    return Problem{"it is no recording of one rank of a job", name,
                   "record the ranks with mpirun -n N roofmark record -o FOLDER -- PROGRAM"};
  const std::uint64_t rank = *job->rank;
  if (job->size > most_ranks || rank >= job->size)
    return Problem{
        "it says that it is rank " + std::to_string(rank) + " of " + std::to_string(job->size),
        name, "record it again"};
  if (recorded_ > 0 && job->size != program_.ranks->size)
    return Problem{"it is of a job of " + std::to_string(job->size) +
                       " ranks, the files before of one of " + std::to_string(program_.ranks->size),
                   name, "name the files of one job only"};
  if (recorded_ > 0 && seen_[rank])
    return Problem{"rank " + std::to_string(rank) + " is there already", name,
                   "name the files of one job only; an empty folder for each recording helps"};
  if (recorded_ == 0) {
    program_ = profile.program;
    seen_.resize(job->size);
    lowest_ = rank;
    machine_ = profile.machine;
    choose_shared(profile);
  } else {
    if (rank < lowest_) {
      lowest_ = rank;
      program_.command = profile.program.command;
    }
    if (profile.program.started < program_.started) program_.started = profile.program.started;
    if (program_.exit_status == 0) program_.exit_status = profile.program.exit_status;
    if (kind_of(profile.machine) != kind_of(machine_) && !unequal_node_)
      unequal_node_ = profile.program.host + " (" + kind_of(profile.machine) + ")";
  }
  seen_[rank] = true;
  ++recorded_;
  nodes_.insert(profile.program.host);
  if (profile.program.waited_share) {
    waited_ += *profile.program.waited_share;
    ++waited_known_;
  }
  if (profile.program.large_page_share) {
    large_pages_ += *profile.program.large_page_share;
    ++large_pages_known_;
  }
  if (profile.program.remote_memory_share) {
    remote_memory_ += *profile.program.remote_memory_share;
    ++remote_memory_known_;
  }
  memory_kinds_.insert(profile.program.memory_kind);
  add_passes(profile);
  add_notes(profile, rank);
  processor_s_ = std::numeric_limits<double>::infinity();
  for (const Region& one : profile.regions)
    if (one.path.empty() && one.work.thread_s) processor_s_ = one.work.thread_s->value;
  gpus_.begin_rank(profile.machine);
  for (const Region& one : profile.regions)
    if (one.kernel && !one.path.empty())
      gpus_.add_kernel(place_of({one.path.begin(), std::prev(one.path.end())}), one);
    else
      add_region(one, rank);
  return std::nullopt;
}

std::size_t RankMerge::place_of(const std::vector<std::string>& path) {
  std::size_t index = 0;
  for (const std::string& name : path) {
    const auto [found, is_new] = by_name_[index].try_emplace(name, regions_.size());
    const std::size_t child = found->second;
    if (is_new) {
      regions_[index].children.push_back(child);
      regions_.emplace_back().name = name;
      by_name_.emplace_back();
    }
    index = child;
  }
  return index;
}

/// Which regions keep single ranks must be said before the others are read: those on which the
/// first rank spent the most time of its own.
void RankMerge::choose_shared(const Profile& first) {
  const std::uint64_t size = seen_.size();
  const std::uint64_t of_each = (size + step_of_ranks(size) - 1) / step_of_ranks(size);
  std::vector<const Region*> order;
  for (const Region& one : first.regions)
    if (!one.path.empty() && !one.kernel) order.push_back(&one);
  std::stable_sort(order.begin(), order.end(), [](const Region* a, const Region* b) {
    return value_of(a->self.wall_s) > value_of(b->self.wall_s);
  });
  most_shared_ = most_shares_of_all / of_each;
  order.resize(std::min<std::size_t>(order.size(), most_shared_));
  shared_ = order.size();
  const std::set<const Region*> shared(order.begin(), order.end());
  for (const Region& one : first.regions)  // rows keep the file's order
    if (!one.kernel) regions_[place_of(one.path)].with_shares = shared.count(&one) > 0;
}

void RankMerge::add_region(const Region& one, std::uint64_t rank) {
  const std::size_t place = place_of(one.path);
  gpus_.add_region(place, one);
  RegionSum& sum = regions_[place];
  // A region that the first rank has not, while there is room.
  if (sum.ranks == 0 && !one.path.empty() && !sum.with_shares && shared_ < most_shared_) {
    sum.with_shares = true;
    ++shared_;
  }
  if (!one.path.empty()) sum.shares.add(one, rank, step_of_ranks(seen_.size()), sum.with_shares);
  if (one.path.empty()) has_whole_ = true;
  ++sum.ranks;
  sum.visits += one.visits;
  sum.visits_source = std::max(sum.visits_source, one.visits_source);
  sum.threads += one.threads;
  sum.flags.insert(one.flags.begin(), one.flags.end());
  sum.marker_s += one.marker_s;
  const double cores = value_of(one.cores_used);
  const auto add_time = [&](const std::optional<Measure>& wall, RankTimes& times, double& busy_s,
                            MeasureEnds& longest, bool& all) {
    if (!wall) {
      all = false;
      return;
    }
    times.add(rank, wall->value);
    longest.add(*wall, [](double most, double end) { return std::max(most, end); });
    // Cores that waiting threads seem to keep busy have no more time than the rank had of them.
    busy_s += std::min(wall->value * cores, processor_s_);
  };
  add_time(one.work.wall_s, sum.wall, sum.busy_s, sum.longest, sum.all_timed);
  add_time(one.self.wall_s, sum.self_wall, sum.self_busy_s, sum.self_longest, sum.all_self_timed);
  // A rank that made no MPI call there has waited for none.
  sum.mpi_time.add(one.mpi_s);
  sum.mpi.add(rank, value_of(one.mpi_s));
  sum.off_cpu.add(one.off_cpu_s);  // a rank without it was not seen to sleep there
  sum.thread_time.add(one.work.thread_s);
  sum.self_thread_time.add(one.self.thread_s);
  if (!one.work.thread_s || !one.self.thread_s) sum.all_thread_timed = false;
  sum.work.add(one.work);
  sum.self.add(one.self);
  std::vector<Missing> lacking = one.missing;
  for (const auto& [level, traffic] : one.work.bytes)
    for (const auto* count : {&traffic.read, &traffic.write, &traffic.total})
      if (*count && ((*count)->scope == Scope::socket || (*count)->scope == Scope::device))
        lacking.push_back({"bytes." + level,
                           "it was counted for whole sockets, which ranks share: a sum over ranks "
                           "would hold it several times",
                           "record around the job: roofmark record -- mpirun ..."});
  add_reasons(sum.missing, lacking);
}

void RankMerge::add_passes(const Profile& profile) {
  for (const Pass& pass : profile.passes) {
    const auto same = std::find_if(passes_.begin(), passes_.end(), [&](const Pass& known) {
      return known.purpose == pass.purpose && known.collector == pass.collector;
    });
    if (same == passes_.end()) {
      passes_.push_back(pass);
      continue;
    }
    same->wall_s = std::max(same->wall_s, pass.wall_s);
    same->coverage = std::min(same->coverage, pass.coverage);
    if (same->exit_status.value_or(0) == 0) same->exit_status = pass.exit_status;
  }
}

void RankMerge::add_notes(const Profile& profile, std::uint64_t rank) {
  for (const std::string& note : profile.notes) {
    // What a rank says of itself alone is not said of the job.
    if (!note.starts_with("Its roof is this rank's share")) notes_.add(rank, note);
  }
}

Region RankMerge::row_of(const RegionSum& sum, std::vector<std::string> path) const {
  Region row;
  row.path = std::move(path);
  row.visits = sum.visits;
  row.visits_source = sum.visits_source;
  row.threads = sum.threads;
  row.flags = sum.flags;
  row.marker_s = sum.marker_s;
  row.work = sum.work.work();
  row.self = sum.self.work();
  row.missing = sum.missing;
  const double cores = static_cast<double>(std::max(1U, machine_.topology.cores)) *
                       static_cast<double>(nodes_.size());
  // As if all ranks were in it at the same time: as long as the slowest, and no shorter than their
  // work keeps all cores busy. Where ranks took turns it was longer, and the rate is lower.
  const auto wall = [&](const RankTimes& times, double busy_s, const MeasureEnds& longest) {
    return longest.around(std::max(times.max_s(), busy_s / cores),
                          times.ranks() > 1 ? Source::estimated : longest.source());
  };
  if (sum.all_timed && sum.wall.ranks() > 0) {
    row.work.wall_s = wall(sum.wall, sum.busy_s, sum.longest);
    row.ranks = sum.wall.spread();
    if (row.ranks && row.ranks->mean_s > 0) row.imbalance = row.ranks->max_s / row.ranks->mean_s;
    if (sum.busy_s > 0 && row.work.wall_s->value > 0)
      row.cores_used = Measure{sum.busy_s / row.work.wall_s->value, Source::estimated, {}, {}};
  }
  row.shares = sum.shares.shares(row);
  const double ranks = static_cast<double>(sum.ranks);
  row.mpi_s = sum.mpi_time.over(ranks);
  if (row.mpi_s) row.mpi_ranks = sum.mpi.spread();
  row.off_cpu_s = sum.off_cpu.over(ranks);
  if (sum.all_self_timed && sum.self_wall.ranks() > 0)
    row.self.wall_s = wall(sum.self_wall, sum.self_busy_s, sum.self_longest);
  if (sum.all_thread_timed) {
    row.work.thread_s = sum.thread_time.over(1);
    row.self.thread_s = sum.self_thread_time.over(1);
  }
  return row;
}

std::vector<std::size_t> RankMerge::append_rows(Profile& job) const {
  std::vector<std::size_t> places;
  std::vector<std::string> path;
  const auto append = [&](std::size_t index) {
    const bool seen = index == 0 ? has_whole_ : regions_[index].ranks > 0;
    if (!seen && !gpus_.has_kernels(index)) return;
    job.regions.push_back(row_of(regions_[index], path));
    if (!seen)
      job.regions.back().missing.push_back(
          {"time.wall", "no rank's file has a row of it", "record the ranks again"});
    places.push_back(index);
  };
  // Depth first, without a stack frame for each level: recursions are thousands deep.
  struct Step {
    std::size_t region, next_child;
  };
  std::vector<Step> steps{{0, 0}};
  append(0);
  while (!steps.empty()) {
    Step& step = steps.back();
    const std::vector<std::size_t>& children = regions_[step.region].children;
    if (step.next_child == children.size()) {
      steps.pop_back();
      if (!path.empty()) path.pop_back();
      continue;
    }
    const std::size_t child = children[step.next_child++];
    path.push_back(regions_[child].name);
    append(child);
    steps.push_back({child, 0});
  }
  return places;
}

std::string RankMerge::missing_ranks() const {
  std::string text;
  std::size_t runs = 0;
  for (std::size_t rank = 0; rank < seen_.size(); ++rank) {
    if (seen_[rank]) continue;
    const std::size_t first = rank;
    while (rank + 1 < seen_.size() && !seen_[rank + 1]) ++rank;
    if (++runs > most_named) return text + " and others";
    text += (text.empty() ? "" : ", ") + std::to_string(first) +
            (rank > first ? "-" + std::to_string(rank) : "");
  }
  return text;
}

Result<Profile> RankMerge::finish() const {
  if (recorded_ == 0)
    return tl::unexpected(
        Problem{"there is no recording of a rank", "",
                "name the files of a job's ranks, or the folder that holds them"});
  Profile job;
  job.program = program_;
  if (nodes_.size() > 1) job.program.host = std::to_string(nodes_.size()) + " nodes";
  job.program.ranks->rank.reset();
  job.program.ranks->on_node.reset();
  job.program.ranks->recorded = recorded_;
  job.program.ranks->nodes = nodes_.size();
  // Of ranks of about the same size.
  const auto mean = [](double sum, std::uint64_t known) {
    return known > 0 ? std::optional(sum / static_cast<double>(known)) : std::nullopt;
  };
  job.program.waited_share = mean(waited_, waited_known_);
  job.program.large_page_share = mean(large_pages_, large_pages_known_);
  job.program.remote_memory_share = mean(remote_memory_, remote_memory_known_);
  job.program.memory_kind = memory_kinds_.size() == 1 ? *memory_kinds_.begin() : "";
  job.passes = passes_;
  if (recorded_ < seen_.size()) {
    const std::uint64_t missing = seen_.size() - recorded_;
    job.notes.push_back((missing == 1 ? "Rank " : "Ranks ") + missing_ranks() + " of " +
                        std::to_string(seen_.size()) + (missing == 1 ? " is" : " are") +
                        " not in here: its work is missing from every row, and its time from the "
                        "imbalance.");
    if (missing > 1) {
      std::string& note = job.notes.back();
      note.replace(note.find("its work"), 8, "their work");
      note.replace(note.find("its time"), 8, "their times");
    }
  }
  if (unequal_node_) {
    job.notes.push_back("No roof: the nodes are not alike, as " + *unequal_node_ +
                        " differs from the first (" + kind_of(machine_) +
                        "); merge the ranks of each kind apart.");
  } else {
    job.machine = of_nodes(machine_, nodes_.size());
    if (nodes_.size() > 1)
      job.notes.push_back("The ceilings are those of " + std::to_string(nodes_.size()) +
                          " nodes: " + std::to_string(nodes_.size()) +
                          " times what the first one measured.");
  }
  if (recorded_ > 1)
    job.notes.push_back(
        "Times are joined as if ranks were in a region at the same time: it lasts as long as its "
        "slowest rank, and no less than its work keeps all cores busy. Where ranks took turns its "
        "rate was lower.");
  gpus_.put(append_rows(job), job);
  for (std::string& note : notes_.sentences(recorded_)) job.notes.push_back(std::move(note));
  return job;
}

}  // namespace roofmark
