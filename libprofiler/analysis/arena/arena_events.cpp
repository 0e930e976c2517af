#include "arena_events.hpp"

#include <cmath>
#include <cstring>

namespace roofmark {
namespace {

/// What follows the head of an item, from its start on.
struct Rest {
  const char* at;
  std::uint64_t bytes;

  template <class T>
  bool take(T* to, std::size_t count) {
    if (count > bytes / sizeof(T)) return false;
    if (count != 0) std::memcpy(to, at, count * sizeof(T));
    at += count * sizeof(T);
    bytes -= count * sizeof(T);
    return true;
  }
};

template <class Head>
Rest rest_of(const Head* head, const ArenaImage::Item& item) {
  return {reinterpret_cast<const char*>(head + 1), item.bytes - sizeof(Head)};
}

bool take_costs(Rest& rest, const RawCounting& counting, std::vector<std::vector<double>>& costs) {
  for (const RawCounting::Group& group : counting.groups) {
    std::vector<double> words(2 + group.values);
    if (!rest.take(words.data(), words.size())) return false;
    for (double& word : words)
      if (!std::isfinite(word)) word = 0;
    costs.push_back(std::move(words));
  }
  return true;
}

}  // namespace

std::optional<RawCounting> read_counting(const ArenaImage& image, const ArenaImage::Item& item) {
  const auto* head = image.as<arena::Counting>(item);
  if (head == nullptr) return std::nullopt;
  Rest rest = rest_of(head, item);
  RawCounting counting;
  counting.blind = (head->flags & arena::counting_blind) != 0;
  std::uint64_t words = 0;
  for (std::uint32_t i = 0; i < head->groups; ++i) {
    arena::CountingGroup group;
    if (!rest.take(&group, 1)) return std::nullopt;
    counting.groups.push_back({group.values, group.of_package != 0, group.always_runs != 0});
    words += 2 + std::uint64_t{group.values};
  }
  if (words != head->words || words > rest.bytes / sizeof(double)) return std::nullopt;
  if (!take_costs(rest, counting, counting.inner) || !take_costs(rest, counting, counting.whole) ||
      !take_costs(rest, counting, counting.scatter))
    return std::nullopt;
  counting.plan.resize(std::min<std::uint64_t>(head->plan_bytes, rest.bytes));
  if (counting.plan.size() != head->plan_bytes) return std::nullopt;
  rest.take(counting.plan.data(), counting.plan.size());
  return counting;
}

std::optional<RawEvents> read_events(const ArenaImage& image, const ArenaImage::Item& item,
                                     const RawCounting& counting) {
  const auto* head = image.as<arena::Events>(item);
  if (head == nullptr || head->groups != counting.groups.size()) return std::nullopt;
  Rest rest = rest_of(head, item);
  RawEvents events;
  events.shared_visits = head->shared_visits;
  events.shared_ticks = head->shared_ticks;
  events.blind_visits = head->blind_visits;
  for (const RawCounting::Group& group : counting.groups) {
    std::uint64_t words[arena::event_group_words];
    RawEventGroup sums;
    sums.values.resize(group.values);
    if (!rest.take(words, arena::event_group_words) ||
        !rest.take(sums.values.data(), sums.values.size()))
      return std::nullopt;
    sums.whole = words[0];
    sums.part = words[1];
    sums.missed = words[2];
    sums.unread = words[3];
    sums.enabled = words[4];
    sums.running = words[5];
    events.groups.push_back(std::move(sums));
  }
  return events;
}

}  // namespace roofmark
