// Building the tree: rare, and always under the lock.
#include <string.h>

#include "counting.hpp"
#include "runtime.hpp"

namespace roofmark::runtime {
namespace {

uint64_t next_segment_bytes(const Thread* thread) {
  if (thread->segment_count == 0) return arena::first_segment_bytes;
  const uint64_t twice = thread->segments[thread->segment_count - 1]->bytes * 2;
  return twice < arena::largest_segment_bytes ? twice : arena::largest_segment_bytes;
}

bool add_segment(Thread* thread) {
  constexpr unsigned room = sizeof thread->segments / sizeof thread->segments[0];
  if (thread->segment_count == room || runtime.file.header() == nullptr) return false;
  arena::SegmentHeader* segment = runtime.file.add_segment(next_segment_bytes(thread));
  // A nearly full disk may still have room for the smallest one.
  if (segment == nullptr) segment = runtime.file.add_segment(arena::first_segment_bytes);
  if (segment == nullptr) return false;
  thread->segments[thread->segment_count] = segment;
  thread->segment_offsets[thread->segment_count] = runtime.file.last_segment_offset();
  ++thread->segment_count;
  return true;
}

// The name's item in the recording, written when the first node of this file needs it.
uint64_t name_offset(uint32_t name) {
  if (runtime.file.header() == nullptr) return 0;
  NameEntry* entry = runtime.names.entry(name);
  if (entry->generation == runtime.generation) return entry->file_offset;
  uint32_t bytes = static_cast<uint32_t>(offsetof(arena::Name, bytes)) + entry->length;
  bytes = (bytes + arena::item_alignment - 1) & ~(arena::item_alignment - 1);
  uint64_t offset = 0;
  auto* item = reinterpret_cast<arena::Name*>(take_shared_item(bytes, offset));
  if (item == nullptr) return 0;
  item->item = {arena::ItemKind::name, bytes};
  item->length = entry->length;
  memcpy(item->bytes, entry->bytes, entry->length);
  entry->file_offset = offset;
  entry->generation = runtime.generation;
  publish_shared_item();
  return offset;
}

bool grow_slots(Node* parent) {
  const uint32_t capacity = parent->slots == empty_slots ? 4 : (parent->mask + 1) * 2;
  Slot* slots = parent->thread->slot_pool.take_array<Slot>(capacity);
  if (slots == nullptr) return false;
  for (uint32_t i = 0; i < capacity; ++i) slots[i].name = no_name;
  const uint32_t mask = capacity - 1;
  if (parent->slots != empty_slots)
    for (uint32_t i = 0; i <= parent->mask; ++i) {
      const Slot& old = parent->slots[i];
      if (old.name == no_name) continue;
      uint32_t at = old.name & mask;
      while (slots[at].name != no_name) at = (at + 1) & mask;
      slots[at] = old;
    }
  parent->slots = slots;
  parent->mask = mask;
  return true;
}

bool insert_child(Node* parent, Node* child) {
  // At most half full; and up to an eighth full as long as that gives the child its own first slot,
  // the only one that the short path looks at.
  const auto crowded = [&] {
    return parent->slots == empty_slots || (parent->children + 1) * 2 > parent->mask + 1;
  };
  const auto taken = [&] { return parent->slots[child->name & parent->mask].name != no_name; };
  while (crowded() || (taken() && parent->mask + 1 < 8 * (parent->children + 1)))
    if (!grow_slots(parent)) break;
  if (parent->slots == empty_slots || parent->children > parent->mask - 1) return false;
  uint32_t at = child->name & parent->mask;
  while (parent->slots[at].name != no_name) at = (at + 1) & parent->mask;
  parent->slots[at] = {child->name, child};
  ++parent->children;
  return true;
}

arena::Record* take_record(Thread* thread, uint64_t parent, uint64_t name, uint64_t& offset) {
  auto* record = static_cast<arena::Record*>(
      take_item(thread, arena::ItemKind::record, sizeof(arena::Record), offset));
  if (record == nullptr) return nullptr;
  record->min_ticks = ~uint64_t{0};
  record->parent = parent;
  record->name = name;
  record->thread = thread->item_offset;
  return record;
}

}  // namespace

arena::ItemHeader* take_shared_item(uint32_t bytes, uint64_t& offset) {
  arena::SegmentHeader* segment = runtime.shared;
  if (segment == nullptr || segment->used + bytes > segment->bytes) {
    uint64_t wanted = segment == nullptr ? arena::first_segment_bytes : segment->bytes * 2;
    if (wanted > arena::largest_segment_bytes) wanted = arena::largest_segment_bytes;
    segment = runtime.file.add_segment(wanted);
    if (segment == nullptr) segment = runtime.file.add_segment(arena::first_segment_bytes);
    if (segment == nullptr) return nullptr;
    runtime.shared = segment;
    runtime.shared_offset = runtime.file.last_segment_offset();
  }
  offset = runtime.shared_offset + segment->used;
  return reinterpret_cast<arena::ItemHeader*>(reinterpret_cast<char*>(segment) + segment->used);
}

void publish_shared_item() {
  arena::SegmentHeader* segment = runtime.shared;
  const auto* item = reinterpret_cast<const arena::ItemHeader*>(
      reinterpret_cast<const char*>(segment) + segment->used);
  store_release(segment->used, segment->used + item->bytes);
}

void note_truncation() {
  arena::FileHeader* header = runtime.file.header();
  if (header != nullptr) __atomic_fetch_or(&header->flags, arena::file_truncated, __ATOMIC_RELAXED);
}

void* take_item(Thread* thread, arena::ItemKind kind, uint32_t bytes, uint64_t& offset) {
  for (;; ++thread->segment) {
    if (thread->segment >= thread->segment_count && !add_segment(thread)) {
      thread->segment = thread->segment_count == 0 ? 0 : thread->segment_count - 1;
      return nullptr;
    }
    arena::SegmentHeader* segment = thread->segments[thread->segment];
    if (segment->used + bytes > segment->bytes) continue;
    offset = thread->segment_offsets[thread->segment] + segment->used;
    auto* item =
        reinterpret_cast<arena::ItemHeader*>(reinterpret_cast<char*>(segment) + segment->used);
    *item = {kind, bytes};
    return item;
  }
}

void publish_item(Thread* thread) {
  arena::SegmentHeader* segment = thread->segments[thread->segment];
  const auto* item = reinterpret_cast<const arena::ItemHeader*>(
      reinterpret_cast<const char*>(segment) + segment->used);
  store_release(segment->used, segment->used + item->bytes);
}

Node* make_node(Thread* thread, Node* parent, uint32_t name) {
  arena::FileHeader* header = runtime.file.header();
  if (header == nullptr || load(header->records) >= arena::record_cap) return nullptr;
  const uint64_t name_at = name_offset(name);
  if (name_at == 0) return nullptr;
  auto* node = static_cast<Node*>(thread->pool.take(sizeof(Node) + counting.node_bytes));
  if (node == nullptr) return nullptr;
  node->slots = empty_slots;
  node->name = name;
  node->parent = parent;
  node->thread = thread;
  node->record = take_record(thread, parent->record_offset, name_at, node->record_offset);
  if (node->record == nullptr || !insert_child(parent, node)) return nullptr;
  publish_item(thread);
  if (counting.half != nullptr) give_events(node);
  (thread->last_node == nullptr ? thread->first_node : thread->last_node->next) = node;
  thread->last_node = node;
  store(header->records, header->records + 1);
  return node;
}

Node* find_or_make(Thread* thread, Node* parent, uint32_t name) {
  Node* known = child_of(parent, name);
  return known != nullptr ? known : make_node(thread, parent, name);
}

bool make_other(Thread* thread) {
  const uint32_t name = runtime.names.add(arena::other_name, sizeof arena::other_name - 1);
  if (name == Names::none) return false;
  const uint64_t name_at = name_offset(name);
  if (name_at == 0) return false;
  Node& other = thread->other;
  other = {};
  other.slots = empty_slots;
  other.name = no_name;
  other.thread = thread;
  other.record = take_record(thread, 0, name_at, other.record_offset);
  if (other.record == nullptr) return false;
  other.record->flags = arena::record_other;
  publish_item(thread);
  if (counting.half != nullptr) {
    thread->other_counts = static_cast<NodeCounts*>(thread->slot_pool.take(counting.node_bytes));
    give_events(&other);
  }
  give_histogram(&other);
  return true;
}

void give_histogram(Node* node) {
  uint64_t offset = 0;
  auto* histogram = static_cast<arena::Histogram*>(
      take_item(node->thread, arena::ItemKind::histogram, sizeof(arena::Histogram), offset));
  if (histogram == nullptr) return;
  publish_item(node->thread);
  // The first visit moves into it.
  arena::Record* record = node->record;
  const uint32_t sequence = record->sequence;
  store(record->sequence, sequence | 1u);
  fence_release();
  histogram->latest = arena::no_bucket;
  if (record->early_visits == 1) {
    histogram->latest = histogram_bucket(record->first_ticks);
    record->early_visits = 0;
  }
  record->histogram = offset;
  store_release(record->sequence, (sequence & 1u) != 0 ? sequence : sequence + 2);
  node->histogram = histogram;
}

}  // namespace roofmark::runtime
