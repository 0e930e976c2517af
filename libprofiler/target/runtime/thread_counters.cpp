// The counters of threads: opened when a thread starts, read by itself, and by others while it has
// no region of its own open.
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "counting.hpp"
#include "runtime.hpp"

namespace roofmark::runtime {
namespace {

int renewed_in = 0;  // the process whose counters these are, where it is a fork child

uint64_t words_bytes() {
  return counting.shape.words * sizeof(uint64_t);
}

void add_words(uint64_t* to, const uint64_t* from, uint64_t factor = 1) {
  for (uint32_t i = 0; i < counting.shape.words; ++i) to[i] += factor * from[i];
}
constexpr uint64_t minus = ~uint64_t{0};

// What a thread tells: others read it while it may be written.
void add_told(uint64_t* to, const uint64_t* told, uint64_t factor = 1) {
  for (uint32_t i = 0; i < counting.shape.words; ++i) to[i] += factor * load(told[i]);
}

/// Empty counters for a thread, its arrays behind them; null: no memory.
Counters* empty_counters(Thread* thread) {
  Counters* counters = thread->counters;
  const size_t head = (sizeof(Counters) + 63) & ~size_t{63};
  const size_t state = (counting.shape.state_bytes + 63u) & ~size_t{63};
  constexpr unsigned arrays = 5;
  if (counters == nullptr) {
    auto* room = static_cast<char*>(runtime.pool.take(head + state + arrays * words_bytes()));
    if (room == nullptr) return nullptr;
    counters = reinterpret_cast<Counters*>(room);
  }
  auto* room = reinterpret_cast<char*>(counters);
  memset(room, 0, head + state + arrays * words_bytes());
  counters->state = room + head;
  auto* words = reinterpret_cast<uint64_t*>(room + head + state);
  uint64_t** const at[arrays] = {&counters->ended, &counters->told[0], &counters->told[1],
                                 &counters->in_regions, &counters->scratch};
  for (uint64_t** array : at) {
    *array = words;
    words += counting.shape.words;
  }
  counters->ended_groups = counters->in_regions_groups = ~uint64_t{0};
  counters->told_groups[0] = counters->told_groups[1] = ~uint64_t{0};
  return counters;
}

bool is_open(const Thread* thread) {
  return thread->counters != nullptr && thread->counters->tid != 0;
}

void set_parent(Thread* thread, Thread* parent) {
  Counters* counters = thread->counters;
  if (Thread* before = counters->parent; before != nullptr)
    store_release(before->counters->below, before->counters->below - 1);
  counters->parent = parent;
  if (parent != nullptr) store(parent->counters->below, parent->counters->below + 1);
}

void open_of(Thread* thread, int tid, bool own) {
  Counters* counters = empty_counters(thread);
  thread->counters = counters;
  if (counters == nullptr) return;
  roofmark_counting_refusal refusal;
  counters->open_groups =
      counting.half->open(counters->state, own ? int{roofmark_this_thread} : tid, &refusal);
  counters->refusal = {refusal.error, static_cast<uint16_t>(refusal.group),
                       static_cast<uint16_t>(refusal.event)};
  note_refusal(refusal);
  counters->tid = tid;
  counters->own = own;
}

void tell_thread(Thread* thread) {
  const Counters* counters = thread->counters;
  if (counters == nullptr || thread->item == nullptr) return;
  thread->item->open_groups = counters->open_groups;
  thread->item->refusal = counters->refusal;
}

// Whose regions the work of a thread goes to while it has none open itself.
Thread* find_parent(Thread* thread) {
  if (thread->is_main || thread->detached) return nullptr;
  const Origin& origin = thread->origin;
  Thread* creator = origin.creator;
  if (creator != nullptr && load_acquire(creator->serial) == origin.creator_serial &&
      creator != thread && is_open(creator))
    return creator;
  Thread* main = runtime.main;
  return main != nullptr && main != thread && is_open(main) ? main : nullptr;
}

// Work of a thread outside of its own regions, also of those below it; needs the lock.
uint64_t outside_regions(Thread* thread, uint64_t* words);

uint64_t add_below(Thread* thread, uint64_t* words) {
  Counters* counters = thread->counters;
  uint64_t groups = ~uint64_t{0};
  for (Thread* each = runtime.all; each != nullptr; each = each->next_all) {
    if (each == thread || !is_open(each) || each->counters->parent != thread) continue;
    groups &= outside_regions(each, each->counters->scratch);
    add_words(words, each->counters->scratch);
  }
  add_words(words, counters->ended);
  return groups & counters->ended_groups;
}

uint64_t outside_regions(Thread* thread, uint64_t* words) {
  Counters* counters = thread->counters;
  uint64_t groups = 0;
  // It may enter or leave a region meanwhile: then again. One that does so all the time is taken as
  // it was last.
  for (unsigned attempt = 0; attempt < 64; ++attempt) {
    const uint64_t published = load_acquire(counters->published);
    const uint64_t* told = counters->told[published & 1];
    groups = load(counters->told_groups[published & 1]);
    memset(words, 0, words_bytes());
    if ((published & 1) != 0) {
      add_told(words, told);
    } else {
      groups &= counting.half->read(counters->state, 0, words);
      groups &= add_below(thread, words);
      add_told(words, told, minus);
    }
    fence_acquire();
    if (load(counters->published) == published) break;
  }
  return groups;
}

void add_shared(Thread* thread, uint64_t* words, NodeCounts* node) {
  const uint64_t before = ticks();
  Locked lock;
  const uint64_t thread_groups = ~counting.package_groups;
  const uint64_t every =
      counting.shape.groups == 64 ? ~uint64_t{0} : (uint64_t{1} << counting.shape.groups) - 1;
  uint64_t groups = every;
  if (counting.shape.reads_others != 0) {
    groups = add_below(thread, words);
  } else {
    add_words(words, thread->counters->ended);
    groups = load(thread->counters->below) != 0 ? 0 : thread->counters->ended_groups;
  }
  node->shared = 1;
  if ((groups & thread_groups & every) != (thread_groups & every)) node->blind = 1;
  node->shared_ticks += ticks() - before;
}

uint64_t read_all(Thread* thread, bool own, uint64_t* words, NodeCounts* node) {
  Counters* counters = thread->counters;
  if (counters->tid == 0) return 0;
  uint64_t groups = counting.half->read(counters->state, own ? 1 : 0, words);
  if (counting.open_packages != 0 && thread->is_main)
    groups |= counting.half->read(counting.packages, 0, words);
  if (load_acquire(counters->below) != 0) {
    add_shared(thread, words, node);
  } else if (counters->had_below) {
    // Nobody is left who could change it.
    add_words(words, counters->ended);
    if ((counters->ended_groups & groups) != groups) node->blind = 1;
  }
  return groups;
}

}  // namespace

uint64_t read_total(Thread* thread, uint64_t* words, NodeCounts* node) {
  return read_all(thread, true, words, node);
}
uint64_t read_total_of(Thread* thread, uint64_t* words, NodeCounts* node) {
  return read_all(thread, false, words, node);
}

void publish_entry(Thread* thread, const NodeCounts* node) {
  Counters* counters = thread->counters;
  if (counters->parent == nullptr || (counters->published & 1) != 0) return;
  fence_release();  // whoever sees a new word sees that the old number is out of date
  for (uint32_t i = 0; i < counting.shape.words; ++i)
    store(counters->told[1][i], node->words[i] - counters->in_regions[i]);
  store(counters->told_groups[1], node->entry_groups & counters->in_regions_groups);
  store_release(counters->published, counters->published + 1);
}

void publish_exit(Thread* thread, const NodeCounts* node) {
  Counters* counters = thread->counters;
  if (counters->parent == nullptr || (counters->published & 1) == 0) return;
  const uint64_t* entry = node->words;
  const uint64_t* exit = node->words + counting.shape.words;
  counters->in_regions_groups &= node->entry_groups & node->exit_groups;
  fence_release();
  for (uint32_t i = 0; i < counting.shape.words; ++i) {
    counters->in_regions[i] += exit[i] - entry[i];
    store(counters->told[0][i], counters->in_regions[i]);
  }
  store(counters->told_groups[0], counters->in_regions_groups);
  store_release(counters->published, counters->published + 1);
}

Thread* thread_opened_for(int tid) {
  if (counting.half == nullptr) return nullptr;
  for (Thread* each = runtime.all; each != nullptr; each = each->next_all)
    if (is_open(each) && each->counters->tid == tid && !each->counters->own) return each;
  return nullptr;
}

void open_counters(Thread* thread, int tid) {
  if (counting.half == nullptr || thread->is_folded) return;
  if (is_open(thread) && thread->counters->tid == tid)
    thread->counters->own = true;  // by another thread, or by renew_counters_in_child()
  else
    open_of(thread, tid, true);
  tell_thread(thread);
  if (!is_open(thread)) return;
  set_parent(thread, find_parent(thread));
  if (!thread->is_main) return;
  for (Thread* each = runtime.all; each != nullptr; each = each->next_all)
    if (each != thread && is_open(each) && each->counters->parent == nullptr && !each->detached)
      set_parent(each, thread);
}

void detach_counters(Thread* thread) {
  if (is_open(thread)) set_parent(thread, nullptr);
}

// getdents64 and not opendir, which allocates.
void open_counters_of_others(int own_tid) {
  if (counting.half == nullptr || counting.shape.reads_others == 0) return;
  struct Entry {
    uint64_t inode;
    int64_t next;
    unsigned short bytes;
    unsigned char type;
    char name[1];
  };
  const int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  alignas(8) static char room[4096];  // under the lock
  for (long got; (got = syscall(SYS_getdents64, folder, room, sizeof room)) > 0;)
    for (long at = 0; at < got;) {
      const auto* entry = reinterpret_cast<const Entry*>(room + at);
      at += entry->bytes;
      int tid = 0;
      for (const char* digit = entry->name; *digit >= '0' && *digit <= '9'; ++digit)
        tid = tid * 10 + (*digit - '0');
      if (tid == 0 || tid == own_tid) continue;
      Thread* thread = new_thread_struct();
      if (thread == nullptr) continue;
      thread->item = nullptr;
      thread->is_main = tid == runtime.pid;
      thread->detached = thread->is_folded = false;
      thread->origin = {};
      open_of(thread, tid, false);
      if (thread->counters == nullptr || thread->counters->open_groups == 0) {
        if (thread->counters != nullptr) thread->counters->tid = 0;
        give_back(thread);
      }
    }
  close(folder);
}

// What the thread has done outside of its regions stays with its parent, and so do its children.
void close_counters(Thread* thread) {
  if (!is_open(thread)) return;
  Counters* counters = thread->counters;
  Thread* parent = counters->parent;
  if (parent != nullptr) {
    uint64_t* words = counters->scratch;
    memset(words, 0, words_bytes());
    uint64_t groups = counting.half->read(counters->state, 1, words);
    add_words(words, counters->ended);
    add_words(words, counters->in_regions, minus);
    groups &= counters->ended_groups & counters->in_regions_groups;
    add_words(parent->counters->ended, words);
    parent->counters->ended_groups &= groups | counting.package_groups;
    parent->counters->had_below = true;
  }
  if (counters->below != 0)
    for (Thread* each = runtime.all; each != nullptr; each = each->next_all)
      if (is_open(each) && each->counters->parent == thread) set_parent(each, parent);
  set_parent(thread, nullptr);
  counting.half->close(counters->state, 0);
  counters->tid = 0;
}

void renew_counters_in_child(Thread* thread) {
  if (counting.half == nullptr || renewed_in == getpid()) return;
  renewed_in = getpid();
  for (Thread* each = runtime.all; each != nullptr; each = each->next_all) {
    if (!is_open(each)) continue;
    counting.half->close(each->counters->state, 1);
    each->counters->tid = 0;
  }
  if (counting.packages != nullptr) {
    counting.half->close(counting.packages, 1);
    roofmark_counting_refusal refusal;
    counting.open_packages = counting.half->open(counting.packages, roofmark_packages, &refusal);
  }
  if (thread != nullptr) open_of(thread, renewed_in, true);
}

}  // namespace roofmark::runtime
