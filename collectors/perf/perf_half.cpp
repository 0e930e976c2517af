// The counting half of perf_event for the runtime in the target: roofmark/collector.h.
#include <roofmark/collector.h>
#include <unistd.h>

#include "group.hpp"

namespace roofmark::perf {
namespace {

FlatPlan plan;  // of this process; constant once begin() has returned

bool is_of(const GroupPlan& group, bool packages) {
  return (group.cpu >= 0) == packages;
}

const char* begin(const char* text, std::size_t length, roofmark_counting_shape* shape) {
  unsigned line = 0;
  if (const char* const wrong = parse_plan(text, length, plan, line)) return wrong;
  *shape = {};
  shape->groups = plan.group_count;
  shape->state_bytes = static_cast<std::uint32_t>(plan.group_count * sizeof(Group));
  shape->reads_others = 1;
  for (unsigned i = 0; i < plan.group_count; ++i) {
    shape->group[i] = {shape->words, plan.groups[i].count, plan.groups[i].cpu >= 0 ? 1u : 0u, 0};
    shape->words += 2u + plan.groups[i].count;
  }
  return nullptr;
}

std::uint64_t open(void* state, int thread, roofmark_counting_refusal* first) {
  auto* const groups = static_cast<Group*>(state);
  std::uint64_t opened = 0;
  *first = {};
  for (unsigned i = 0; i < plan.group_count; ++i) {
    groups[i].count = 0;
    if (!is_of(plan.groups[i], thread == roofmark_packages)) continue;
    const Refusal refusal = open_group(plan, i, thread, groups[i], Descriptors::out_of_the_way);
    if (!refusal)
      opened |= std::uint64_t{1} << i;
    else if (first->error == 0)
      *first = {refusal.error, i, refusal.event};
  }
  return opened;
}

std::uint64_t read(void* state, int own, std::uint64_t* words) {
  const auto* const groups = static_cast<const Group*>(state);
  std::uint64_t counted = 0;
  for (unsigned i = 0; i < plan.group_count; ++i) {
    const Group& group = groups[i];
    std::uint64_t* const to = words;
    words += 2 + plan.groups[i].count;
    if (group.count == 0) continue;
    bool by_page = false;
    if (read_words(group, own != 0, to, by_page) != 0) continue;
    counted |= std::uint64_t{1} << i;
  }
  return counted;
}

void close(void* state, int in_child) {
  auto* const groups = static_cast<Group*>(state);
  for (unsigned i = 0; i < plan.group_count; ++i) {
    if (in_child != 0)
      forget_group(groups[i]);
    else
      close_group(groups[i]);
  }
}

}  // namespace
}  // namespace roofmark::perf

extern "C" __attribute__((visibility("hidden")))
const roofmark_counting_half roofmark_perf_counting_half = {
    ROOFMARK_COUNTING_HALF_ABI, sizeof(roofmark_counting_half), roofmark::perf::begin,
    roofmark::perf::open,       roofmark::perf::read,           roofmark::perf::close};
