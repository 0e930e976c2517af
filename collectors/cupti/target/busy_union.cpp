#include "busy_union.hpp"

#include <algorithm>

namespace roofmark::cupti {

void BusyUnion::add(std::int64_t start, std::int64_t end) {
  if (end < start) return;
  first_ = empty_ ? start : std::min(first_, start);
  last_ = empty_ ? end : std::max(last_, end);
  empty_ = false;
  if (any_settled_ && start < settled_until_) {
    exact_ = false;
    if (end <= settled_until_) return;
    start = settled_until_;
  }
  if (open_.empty() || start > open_.back().end) {
    open_.push_back({start, end});
  } else {
    // The first that reaches the new one, up to the first that begins behind it.
    const auto from = std::lower_bound(
        open_.begin(), open_.end(), start,
        [](const Interval& interval, std::int64_t at) { return interval.end < at; });
    auto to = from;
    Interval whole{start, end};
    for (; to != open_.end() && to->start <= end; ++to) {
      whole.start = std::min(whole.start, to->start);
      whole.end = std::max(whole.end, to->end);
    }
    if (from == to) {
      open_.insert(from, whole);
    } else {
      *from = whole;
      open_.erase(from + 1, to);
    }
  }
  if (open_.size() > kept_) settle(kept_ / 2);
}

void BusyUnion::shrink(std::size_t keep) {
  if (open_.size() > keep) settle(open_.size() - keep);
  open_.shrink_to_fit();
}

void BusyUnion::settle(std::size_t count) {
  if (count == 0) return;
  const auto end = open_.begin() + static_cast<std::ptrdiff_t>(count);
  for (auto at = open_.begin(); at != end; ++at)
    settled_ += static_cast<std::uint64_t>(at->end - at->start);
  settled_until_ = (end - 1)->end;
  any_settled_ = true;
  open_.erase(open_.begin(), end);
}

std::uint64_t BusyUnion::busy() const {
  std::uint64_t sum = settled_;
  for (const Interval& interval : open_)
    sum += static_cast<std::uint64_t>(interval.end - interval.start);
  return sum;
}

}  // namespace roofmark::cupti
