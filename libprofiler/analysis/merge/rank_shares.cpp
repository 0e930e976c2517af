#include <algorithm>
#include <analysis/merge/rank_shares.hpp>
#include <string>

namespace roofmark {
namespace {

constexpr std::size_t most_reasons = 8;

/// What several ranks count together is none of one's own.
bool is_own(const Count& count) {
  return count.scope != Scope::socket && count.scope != Scope::device;
}

WorkShare::Part part_of(const Work& work) {
  WorkShare::Part part;
  if (work.wall_s) part.wall_s = work.wall_s->value;
  for (const auto& [precision, count] : work.flop)
    if (is_own(count)) part.flop[precision] = count.value;
  for (const auto& [level, traffic] : work.bytes) {
    if (traffic.read && traffic.write && is_own(*traffic.read) && is_own(*traffic.write))
      part.bytes[level] = traffic.read->value + traffic.write->value;
    else if (traffic.total && is_own(*traffic.total))
      part.bytes[level] = traffic.total->value;
  }
  return part;
}

WorkShares::LeftOut why_not_counted(const Region& region) {
  for (const char* quantity : {"time.wall", "flop"})
    for (const Missing& missing : region.missing)
      if (missing.quantity.starts_with(quantity))
        return {1, "no " + missing.quantity + " in the rank's own file: " + missing.reason,
                missing.fix};
  return {1, "its own file has no FLOPs or no time of the region", ""};
}

/// The sum has no more than all ranks have.
void keep_known(WorkShare::Part& part, const Work& sum) {
  std::erase_if(part.flop, [&](const auto& one) { return sum.flop.count(one.first) == 0; });
  std::erase_if(part.bytes, [&](const auto& one) { return sum.bytes.count(one.first) == 0; });
}

}  // namespace

std::uint64_t step_of_ranks(std::uint64_t job_size) {
  return std::max<std::uint64_t>(1, (job_size + most_shares - 1) / most_shares);
}

void RankShares::add(const Region& region, std::uint64_t rank, std::uint64_t step, bool kept) {
  ++total_;
  if (!kept) {
    ++not_kept_;
    return;
  }
  if (rank % step != 0) {
    ++between_;
    return;
  }
  WorkShare share{rank, part_of(region.work), part_of(region.self)};
  if (!region.work.wall_s || !region.self.wall_s || share.work.flop.empty()) {
    WorkShares::LeftOut why = why_not_counted(region);
    for (WorkShares::LeftOut& known : left_out_)
      if (known.reason == why.reason) {
        ++known.count;
        return;
      }
    if (left_out_.size() == most_reasons)
      ++left_out_.back().count;
    else
      left_out_.push_back(std::move(why));
    return;
  }
  each_.push_back(std::move(share));
}

std::optional<WorkShares> RankShares::shares(const Region& sum) const {
  if (total_ < 2 || sum.work.flop.empty()) return std::nullopt;
  WorkShares shares;
  shares.of = WorkShares::Of::ranks;
  shares.total = total_;
  shares.each = each_;
  shares.left_out = left_out_;
  for (WorkShare& share : shares.each) {
    keep_known(share.work, sum.work);
    keep_known(share.self, sum.self);
  }
  std::sort(shares.each.begin(), shares.each.end(),
            [](const WorkShare& a, const WorkShare& b) { return a.number < b.number; });
  if (between_ > 0)
    shares.left_out.push_back({between_,
                               "at most " + std::to_string(most_shares) +
                                   " ranks of a job are kept, at even "
                                   "steps of their numbers",
                               ""});
  if (not_kept_ > 0)
    shares.left_out.push_back({not_kept_,
                               "a profile keeps " + std::to_string(most_shares_of_all) +
                                   " shares, those of the regions with the most time of their own "
                                   "in the first rank's file",
                               ""});
  return shares;
}

}  // namespace roofmark
