#include "counting.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime.hpp"

namespace roofmark::runtime {

constinit Counting counting;
constinit FindHalf* find_counting_half = nullptr;

namespace {

constexpr size_t most_plan_bytes = size_t{48} * 1024;  // its item fits the first segment

void refuse(const char* sentence) {
  arena::FileHeader* header = runtime.file.header();
  if (header == nullptr) return;
  const size_t length = strnlen(sentence, sizeof header->counting_refusal - 1);
  memcpy(header->counting_refusal, sentence, length);
}

/// The file's text; null where it can't be read or is too long.
char* read_plan(const char* path, size_t& length) {
  auto* text = static_cast<char*>(map_pages(most_plan_bytes));
  const int file = text == nullptr ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return nullptr;
  length = 0;
  ssize_t got = 0;
  while (length < most_plan_bytes &&
         (got = read(file, text + length, most_plan_bytes - length)) > 0)
    length += static_cast<size_t>(got);
  close(file);
  return got < 0 || length == most_plan_bytes ? nullptr : text;
}

/// NAME of `roofmark-NAME/1`.
size_t half_name(const char* plan, size_t length, const char*& name) {
  constexpr char prefix[] = "roofmark-";
  constexpr size_t prefix_length = sizeof prefix - 1;
  if (length < prefix_length || memcmp(plan, prefix, prefix_length) != 0) return 0;
  name = plan + prefix_length;
  size_t end = prefix_length;
  while (end < length && plan[end] >= 'a' && plan[end] <= 'z') ++end;
  return end < length && plan[end] == '/' ? end - prefix_length : 0;
}

bool is_sound(const roofmark_counting_shape& shape) {
  if (shape.groups == 0 || shape.groups > roofmark_most_counting_groups ||
      shape.words > roofmark_most_counting_words)
    return false;
  uint32_t words = 0;
  for (uint32_t i = 0; i < shape.groups; ++i) {
    const uint32_t values = shape.group[i].values;
    if (shape.group[i].first_word != words || values > roofmark_most_counting_words) return false;
    words += 2 + values;
  }
  return words == shape.words;
}

void take_shape() {
  const roofmark_counting_shape& shape = counting.shape;
  counting.node_bytes =
      static_cast<uint32_t>(sizeof(NodeCounts) + 2 * shape.words * sizeof(uint64_t));
  counting.event_bytes = static_cast<uint32_t>(sizeof(arena::Events));
  for (uint32_t i = 0; i < shape.groups; ++i) {
    const roofmark_counting_group& group = shape.group[i];
    counting.groups[i] = {group.values, static_cast<uint16_t>(group.of_package),
                          static_cast<uint16_t>(group.always_runs)};
    counting.event_bytes +=
        static_cast<uint32_t>((arena::event_group_words + group.values) * sizeof(uint64_t));
    if (group.of_package != 0) counting.package_groups |= uint64_t{1} << i;
  }
  constexpr uint32_t alignment = arena::item_alignment;
  counting.event_bytes = (counting.event_bytes + alignment - 1) & ~(alignment - 1);
}

}  // namespace

NodeCounts* counts_of(Node* node) {
  Thread* thread = node->thread;
  return node == &thread->other ? thread->other_counts : reinterpret_cast<NodeCounts*>(node + 1);
}

void begin_counting() {
  const char* path = secure_getenv("ROOFMARK_COUNTERS");
  if (path == nullptr || path[0] != '/') return;
  size_t length = 0;
  char* plan = read_plan(path, length);
  if (plan == nullptr) return refuse("the plan of what to count can't be read");
  const char* name = nullptr;
  const size_t name_length = half_name(plan, length, name);
  const roofmark_counting_half* half = nullptr;
  if (name_length == 4 && memcmp(name, "perf", 4) == 0)
    half = &roofmark_perf_counting_half;
  else if (name_length != 0 && find_counting_half != nullptr)
    half = find_counting_half(name, name_length);
  if (half == nullptr) return refuse("the library that would count is not beside the runtime");
  if (half->abi != ROOFMARK_COUNTING_HALF_ABI || half->size < sizeof *half)
    return refuse("the library that would count is of another version");
  if (const char* wrong = half->begin(plan, length, &counting.shape)) return refuse(wrong);
  if (!is_sound(counting.shape)) return refuse("the plan is larger than the runtime can count");
  counting.plan = plan;
  counting.plan_bytes = static_cast<uint32_t>(length);
  take_shape();
  counting.half = half;
  if (counting.package_groups == 0) return;
  counting.packages = runtime.pool.take(counting.shape.state_bytes);
  if (counting.packages == nullptr) return;
  roofmark_counting_refusal refusal;
  counting.open_packages = half->open(counting.packages, roofmark_packages, &refusal);
  note_refusal(refusal);
}

void note_refusal(const roofmark_counting_refusal& refusal) {
  arena::FileHeader* header = runtime.file.header();
  if (refusal.error == 0 || header == nullptr) return;
  if (header->first_refusal.error == 0)
    header->first_refusal = {refusal.error, static_cast<uint16_t>(refusal.group),
                             static_cast<uint16_t>(refusal.event)};
  store(header->refused_threads, header->refused_threads + 1);
}

void tell_counting() {
  if (counting.half == nullptr) return;
  const uint32_t groups = counting.shape.groups, words = counting.shape.words;
  const size_t group_bytes = groups * sizeof(arena::CountingGroup);
  const size_t cost_bytes = words * sizeof(double);
  size_t bytes = sizeof(arena::Counting) + group_bytes + 3 * cost_bytes + counting.plan_bytes;
  constexpr size_t alignment = arena::item_alignment;
  bytes = (bytes + alignment - 1) & ~(alignment - 1);
  uint64_t offset = 0;
  auto* item =
      reinterpret_cast<arena::Counting*>(take_shared_item(static_cast<uint32_t>(bytes), offset));
  if (item == nullptr) return;
  item->item = {arena::ItemKind::counting, static_cast<uint32_t>(bytes)};
  item->groups = groups;
  item->words = words;
  item->plan_bytes = counting.plan_bytes;
  item->flags = counting.shape.reads_others != 0 ? 0 : uint32_t{arena::counting_blind};
  char* at = reinterpret_cast<char*>(item + 1);
  memcpy(at, counting.groups, group_bytes);
  memcpy(at += group_bytes, counting.inner, cost_bytes);
  memcpy(at += cost_bytes, counting.whole, cost_bytes);
  memcpy(at += cost_bytes, counting.scatter, cost_bytes);
  memcpy(at + cost_bytes, counting.plan, counting.plan_bytes);
  publish_shared_item();
  store_release(runtime.file.header()->counting, offset);
}

bool give_events(Node* node) {
  NodeCounts* counts = counts_of(node);
  if (counts == nullptr) return false;
  uint64_t offset = 0;
  auto* events = static_cast<arena::Events*>(
      take_item(node->thread, arena::ItemKind::events, counting.event_bytes, offset));
  if (events == nullptr) return false;
  events->groups = counting.shape.groups;
  publish_item(node->thread);
  counts->events = events;
  store_release(node->record->events, offset);
  return true;
}

void read_entry(Thread* thread, Node* node) {
  NodeCounts* counts = counts_of(node);
  if (counts == nullptr || thread->counters == nullptr) return;
  counts->shared = counts->blind = 0;
  counts->shared_ticks = 0;
  counts->entry_groups = read_total(thread, counts->words, counts);
  if (is_idle(thread, node->outer)) publish_entry(thread, counts);
}

void read_exit(Thread* thread, Node* node) {
  NodeCounts* counts = counts_of(node);
  if (counts == nullptr || thread->counters == nullptr) return;
  counts->exit_groups = read_total(thread, counts->words + counting.shape.words, counts);
}

void read_elsewhere(Node* node) {
  NodeCounts* counts = counting.half == nullptr ? nullptr : counts_of(node);
  if (counts == nullptr || node->thread->counters == nullptr) return;
  counts->exit_groups = 0;
  if (counting.shape.reads_others == 0) return;
  counts->exit_groups = read_total_of(node->thread, counts->words + counting.shape.words, counts);
}

void inherit_entry(Thread* thread, Node* node) {
  NodeCounts* counts = counting.half == nullptr ? nullptr : counts_of(node);
  if (counts == nullptr || thread->counters == nullptr) return;
  // The counters were opened in the child and began at 0.
  memset(counts->words, 0, counting.shape.words * sizeof(uint64_t));
  counts->entry_groups = thread->counters->open_groups;
}

namespace {

// Of one group, between two readings; the rules of perf::difference().
void add_group(arena::EventGroup& sum, const arena::CountingGroup& group, const uint64_t* entry,
               const uint64_t* exit, bool is_visit) {
  const auto forward = [](uint64_t earlier, uint64_t later) {
    return later > earlier ? later - earlier : 0;
  };
  const uint64_t enabled = forward(entry[0], exit[0]), running = forward(entry[1], exit[1]);
  bool whole = group.always_runs != 0 || (running != 0 && running >= enabled);
  if (unlikely(!whole)) {
    bool silent = enabled == 0;
    for (uint32_t i = 0; i < group.values; ++i) silent = silent && entry[2 + i] == exit[2 + i];
    whole = silent;
  }
  sum.enabled += enabled;
  sum.running += running;
  if (!whole && running == 0) {
    sum.missed += is_visit ? 1 : 0;
    return;
  }
  for (uint32_t i = 0; i < group.values; ++i) sum.values[i] += exit[2 + i] - entry[2 + i];
  (whole ? sum.whole : sum.part) += is_visit ? 1 : 0;
}

arena::EventGroup* first_group(arena::Events* events) {
  return reinterpret_cast<arena::EventGroup*>(events + 1);
}
arena::EventGroup* next_group(arena::EventGroup* group, uint32_t values) {
  return reinterpret_cast<arena::EventGroup*>(group->values + values);
}

}  // namespace

void add_events(Thread* thread, Node* node, bool is_visit) {
  NodeCounts* counts = counts_of(node);
  if (counts == nullptr) return;
  const uint64_t both = counts->entry_groups & counts->exit_groups;
  const uint64_t* entry = counts->words;
  const uint64_t* exit = counts->words + counting.shape.words;
  if (arena::Events* events = counts->events; events != nullptr) {
    arena::EventGroup* sum = first_group(events);
    for (uint32_t i = 0; i < counting.shape.groups; ++i) {
      const uint32_t values = counting.groups[i].values;
      if ((both >> i & 1) != 0)
        add_group(*sum, counting.groups[i], entry, exit, is_visit);
      else
        sum->unread += is_visit ? 1 : 0;
      sum = next_group(sum, values);
      entry += 2 + values;
      exit += 2 + values;
    }
    events->shared_visits += counts->shared;
    events->shared_ticks += counts->shared_ticks;
    events->blind_visits += counts->blind;
  }
  if (is_idle(thread, node->outer) && thread->counters != nullptr) publish_exit(thread, counts);
  counts->entry_groups = counts->exit_groups = 0;
}

void add_folded_events(Node* to, Node* from) {
  NodeCounts* sums = counts_of(to);
  const NodeCounts* counts = counts_of(from);
  if (sums == nullptr || counts == nullptr || sums->events == nullptr || counts->events == nullptr)
    return;
  sums->events->shared_visits += counts->events->shared_visits;
  sums->events->shared_ticks += counts->events->shared_ticks;
  sums->events->blind_visits += counts->events->blind_visits;
  arena::EventGroup* sum = first_group(sums->events);
  arena::EventGroup* one = first_group(counts->events);
  for (uint32_t i = 0; i < counting.shape.groups; ++i) {
    const uint32_t values = counting.groups[i].values;
    sum->whole += one->whole;
    sum->part += one->part;
    sum->missed += one->missed;
    sum->unread += one->unread;
    sum->enabled += one->enabled;
    sum->running += one->running;
    for (uint32_t value = 0; value < values; ++value) sum->values[value] += one->values[value];
    sum = next_group(sum, values);
    one = next_group(one, values);
  }
}

}  // namespace roofmark::runtime
