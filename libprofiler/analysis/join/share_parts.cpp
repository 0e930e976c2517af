#include <algorithm>
#include <analysis/join/share_parts.hpp>
#include <utility>

namespace roofmark {

CountedRow counted_row(const RegionCounts& row) {
  CountedRow made;
  made.visits = row.visits;
  for (const std::string& flag : row.flags)
    made.in_part = made.in_part || flag == "unclosed" || flag == "partial" || flag == "passed_over";
  made.counts.flop = {{Precision::f64, 0}, {Precision::f32, 0}, {Precision::x87, 0}};
  for (const ComputeClass& part : row.mix) made.counts.flop[part.precision] += part.flop;
  for (const auto& [level, traffic] : row.bytes)
    made.counts.bytes[level] = traffic.read.value + traffic.write.value;
  made.worked = row.visits > 0 || std::any_of(row.mix.begin(), row.mix.end(),
                                              [](const auto& c) { return c.flop > 0; });
  return made;
}

void add(WorkShare::Part& sum, const WorkShare::Part& part) {
  for (const auto& [precision, flop] : part.flop) sum.flop[precision] += flop;
  std::erase_if(sum.bytes, [&](const auto& level) { return part.bytes.count(level.first) == 0; });
  for (auto& [level, bytes] : sum.bytes) bytes += part.bytes.at(level);
}

void keep_counted(WorkShare::Part& part, const Work& work, const std::string& collector) {
  std::erase_if(part.flop, [&](const auto& flop) {
    const auto known = work.flop.find(flop.first);
    return known == work.flop.end() || known->second.collector != collector;
  });
  std::erase_if(part.bytes, [&](const auto& bytes) {
    const auto known = work.bytes.find(bytes.first);
    if (known == work.bytes.end()) return true;
    const Traffic& traffic = known->second;
    return !traffic.read || !traffic.write || traffic.read->collector != collector ||
           traffic.write->collector != collector;
  });
}

bool any_flop(const Work& work, const std::string& collector) {
  return std::any_of(work.flop.begin(), work.flop.end(), [&](const auto& flop) {
    return flop.second.value > 0 && flop.second.collector == collector;
  });
}

void leave_out(WorkShares& shares, std::uint64_t count, WorkShares::LeftOut reason) {
  if (count == 0) return;
  for (WorkShares::LeftOut& known : shares.left_out)
    if (known.reason == reason.reason) {
      known.count += count;
      return;
    }
  reason.count = count;
  shares.left_out.push_back(std::move(reason));
}

const WorkShares::LeftOut other_visits{
    0, "it entered the region another number of times in the counted run than in the timed one",
    ""};
const WorkShares::LeftOut in_part{0, "the counted run saw only a part of its visits", ""};

namespace {

/// What it did in the regions inside; false where that is not known.
bool add_inside(const RegionTree& tree, std::size_t index, const CountsOfOne& counts_in,
                const VisitsOfOne& visits_in, WorkShare::Part& sum) {
  std::vector<std::size_t> waiting = tree[index].children;
  while (!waiting.empty()) {
    const std::size_t inside = waiting.back();
    waiting.pop_back();
    const std::vector<std::size_t>& children = tree[inside].children;
    waiting.insert(waiting.end(), children.begin(), children.end());
    const CountedRow* const row = counts_in(inside);
    if ((row != nullptr ? row->visits : 0) != visits_in(inside)) return false;
    if (row == nullptr) continue;
    if (row->in_part) return false;
    add(sum, row->counts);
  }
  return true;
}

}  // namespace

WorkShare share_of(const RegionTree& tree, std::size_t index, const CountedRow& own,
                   const CountsOfOne& counts_in, const VisitsOfOne& visits_in) {
  WorkShare share;
  share.self = own.counts;
  share.work = own.counts;
  if (!add_inside(tree, index, counts_in, visits_in, share.work)) {
    share.work.flop.clear();
    share.work.bytes.clear();
  }
  return share;
}

}  // namespace roofmark
