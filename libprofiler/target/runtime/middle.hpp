// The middle path of entering: a known site below another node than the last time, or in a thread
// whose outermost regions are placed by what is open in others. Integers alone, like all of
// entering: quick.cpp makes code of it that touches no vector register.
#pragma once

#include "runtime.hpp"

namespace roofmark::runtime {

// So that the next entry from there takes the short path. Not from the gate: where that leads to
// hangs on other threads.
inline void came_from(Node* node, Node* outer) {
  Thread* thread = node->thread;
  const uint64_t tag = node == &thread->other ? 0 : tag_of(node->name);
  const bool gate = outer == &thread->gate;
  node->outer = outer;
  node->check = tag == 0 || gate ? 0 : check_of(tag, outer);
  node->gated = tag == 0 || !gate ? 0 : tag ^ thread->placement.key;
}

inline roofmark_token begin_visit(Line* line, Node* node) {
  set_current(line, node);
  const uint64_t now = ticks();
  store(node->record->entry, now);
  return {node, now};
}

inline void count_adoption(const Thread* thread, Node* node) {
  if (!thread->placement.adopted) return;
  store(node->record->adopted_visits, node->record->adopted_visits + 1);
}

template <class Long>
__attribute__((always_inline)) inline roofmark_token enter_known_or(roofmark_site* site,
                                                                    Long long_form) {
  Thread* thread = here.thread;
  Line* line = here.line;
  Node* current = load(line->current);
  const uint32_t name = load(site->id);
  // A child process, a place where nothing is to be recorded, an unknown site.
  if (current == nullptr || !is_real(thread) || name == Names::none) return long_form(site);
  const uintptr_t index = recent_index(name);
  Node* node = here.recent[index];
  if (current == &thread->gate) {
    if (node->gated != (tag_of(name) ^ thread->placement.key) || !thread->placement.holds())
      return long_form(site);
    count_adoption(thread, node);
  } else {
    node = child_of(current, name);
    if (node == nullptr) return long_form(site);
    came_from(node, current);
    if (index != 0) here.recent[index] = node;
  }
  return begin_visit(line, node);
}

}  // namespace roofmark::runtime
