#include <algorithm>
#include <analysis/merge/work_sum.hpp>
#include <analysis/profile/count_sum.hpp>

namespace roofmark {
namespace {

constexpr std::size_t most_caveats = 8;

/// The less certain of two sources stands for the sum.
void add_part(Count& sum, const Count& part) {
  add_values(sum, part);
  sum.source = std::max(sum.source, part.source);
  sum.scope = std::max(sum.scope, part.scope);
  if (sum.collector != part.collector) sum.collector = "several";
  for (const std::string& caveat : part.caveats)
    if (sum.caveats.size() < most_caveats &&
        std::find(sum.caveats.begin(), sum.caveats.end(), caveat) == sum.caveats.end())
      sum.caveats.push_back(caveat);
}

void add_part(std::optional<Count>& sum, const std::optional<Count>& part) {
  if (!part) return;
  if (sum)
    add_part(*sum, *part);
  else
    sum = part;
}

template <class Key>
void add_part(std::map<Key, Count>& sum, const std::map<Key, Count>& parts) {
  for (const auto& [key, part] : parts)
    if (const auto [found, is_new] = sum.try_emplace(key, part); !is_new)
      add_part(found->second, part);
}

template <class Key>
void keep_whole(std::map<Key, Count>& sum, const std::map<Key, std::uint64_t>& seen,
                std::uint64_t ranks) {
  std::erase_if(sum, [&](const auto& entry) {
    const auto found = seen.find(entry.first);
    return found == seen.end() || found->second != ranks;
  });
}

}  // namespace

void add_reasons(std::vector<Missing>& sum, const std::vector<Missing>& more) {
  constexpr std::size_t most = 24;  // of one region, kernel or share
  for (const Missing& missing : more)
    if (sum.size() < most && std::find(sum.begin(), sum.end(), missing) == sum.end())
      sum.push_back(missing);
}

bool WorkSum::adds_up(const Count& count) const {
  return count.scope != Scope::socket && (count.scope != Scope::device || of_ == Of::device);
}

void WorkSum::add(const Work& work, bool tensor_known) {
  ++ranks_;
  const auto adds_up = [&](const std::optional<Count>& count) {
    return count && this->adds_up(*count);
  };
  const auto tally = [&](auto& seen, const auto& parts) {
    for (const auto& [key, part] : parts)
      if (adds_up(part)) ++seen[key];
  };
  roofmark::add_part(sum_.flop, work.flop);
  for (const auto& [level, traffic] : work.bytes) {
    Traffic& mine = sum_.bytes[level];
    roofmark::add_part(mine.read, traffic.read);
    roofmark::add_part(mine.write, traffic.write);
    roofmark::add_part(mine.total, traffic.total);
  }
  roofmark::add_part(sum_.operations, work.operations);
  roofmark::add_part(sum_.events, work.events);
  roofmark::add_part(sum_.tensor, work.tensor);
  tensor_known_ = tensor_known_ && tensor_known;
  for (const ComputeClass& part : work.mix) {
    const auto known = std::find_if(sum_.mix.begin(), sum_.mix.end(), [&](const ComputeClass& one) {
      return one.precision == part.precision && one.width_bits == part.width_bits &&
             one.operation == part.operation;
    });
    if (known != sum_.mix.end())
      known->flop += part.flop;
    else
      sum_.mix.push_back(part);
  }
  // What somebody declared is there whoever declared it.
  roofmark::add_part(sum_.declared_flop, work.declared_flop);
  roofmark::add_part(sum_.declared_bytes, work.declared_bytes);
  tally(flop_seen_, work.flop);
  tally(operations_seen_, work.operations);
  tally(events_seen_, work.events);
  for (const auto& [level, traffic] : work.bytes) {
    BytesSeen& seen = bytes_seen_[level];
    seen.read += adds_up(traffic.read) ? 1 : 0;
    seen.write += adds_up(traffic.write) ? 1 : 0;
    seen.total += adds_up(traffic.total) ? 1 : 0;
  }
  const bool no_flop =
      !work.flop.empty() && std::all_of(work.flop.begin(), work.flop.end(),
                                        [](const auto& entry) { return entry.second.value == 0; });
  if (!work.mix.empty() || no_flop) ++mix_seen_;
}

Work WorkSum::work() const {
  Work work = sum_;
  // A sum over some ranks is no sum over all: what one lacks, though others have it, is not known.
  keep_whole(work.flop, flop_seen_, ranks_);
  keep_whole(work.operations, operations_seen_, ranks_);
  keep_whole(work.events, events_seen_, ranks_);
  if (!tensor_known_) work.tensor.clear();
  for (auto& [level, traffic] : work.bytes) {
    const BytesSeen& seen = bytes_seen_.at(level);
    if (seen.read != ranks_) traffic.read.reset();
    if (seen.write != ranks_) traffic.write.reset();
    if (seen.total != ranks_) traffic.total.reset();
  }
  std::erase_if(work.bytes, [](const auto& entry) {
    return !entry.second.read && !entry.second.write && !entry.second.total;
  });
  if (mix_seen_ != ranks_) work.mix.clear();
  return work;
}

}  // namespace roofmark
