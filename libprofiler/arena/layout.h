// The layout of a recording in memory: what the runtime in the target writes and the analysis
// reads. Freestanding; all numbers in the byte order of the machine (the header tells which), all
// times in ticks of the clock that the header names, all references are offsets from the start of
// the file.
//
// A file is one FileHeader and then segments, one after the other without a gap. A segment is one
// SegmentHeader and then items, one after the other; an item begins with its kind and its size. A
// segment belongs to one thread at a time, so items are appended without a lock; its `used` grows
// after the item is whole. Records are never moved or removed; when a thread ends, its records are
// added to the folded tree (thread kind `folded`) and its segments serve the next thread.
//
// A reader may look at any moment. A record is being changed when its last visit is being closed
// (`closing` is that visit and `last_exit` is still before it) or when `sequence` is odd;
// `SegmentHeader::owner_sequence` is odd while the segment changes hands.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace roofmark::arena {

inline constexpr uint64_t file_magic = 0x314e5241464d5252;     // "RRMFARN1", little-endian
inline constexpr uint64_t segment_magic = 0x315347534d464d52;  // "RMFMSGS1"
inline constexpr uint32_t layout_version = 2;
inline constexpr uint32_t byte_order_mark = 0x01020304;

inline constexpr uint64_t first_segment_bytes = 64 * 1024;  // per thread; doubles
inline constexpr uint64_t largest_segment_bytes = 64 * 1024 * 1024;
inline constexpr uint32_t name_bytes_cap = 4096;
inline constexpr uint64_t record_cap = 1000000;  // paths per process
inline constexpr uint32_t item_alignment = 64;   // a record's hot fields share one cache line
inline constexpr char other_name[] = "(other)";  // where paths go that could not be kept

enum class Clock : uint32_t { tsc = 1, monotonic_raw = 2, counter = 3 };

enum FileFlag : uint32_t {
  file_truncated = 1u << 0,  // paths or threads could not be kept; see grow_errno
  file_ended = 1u << 1,      // the process left by itself: exit(), _exit()
  file_forked = 1u << 2,     // the process is a fork of another that was recorded
};

// Two readings of both clocks as close together as possible. Written under the runtime's lock;
// `last_sequence` is odd while `last_*` change.
struct Calibration {
  uint64_t first_ticks, first_raw_ns;
  uint64_t last_ticks, last_raw_ns;
  uint32_t last_sequence;
  Clock clock;
};

// Why a group of counters was not opened; a collector's own numbers are below 0.
struct Refusal {
  int32_t error;  // errno
  uint16_t group, event;
};

struct FileHeader {
  uint64_t magic;
  uint32_t version;
  uint32_t byte_order;
  uint32_t header_bytes;  // where the first segment begins
  uint32_t flags;         // FileFlag, atomic
  int32_t pid, ppid;
  uint64_t process_start;  // field 22 of /proc/self/stat
  uint64_t realtime_ns;    // wall clock when recording began
  uint32_t file_sequence;  // exec keeps the pid: the nth file of this pid
  int32_t grow_errno;      // why the file could not grow when it last could not; 0: it could
  uint64_t file_bytes;     // reserved so far
  uint64_t records;        // in use
  uint64_t lost_visits;    // of threads for which there was no room at all
  uint64_t stale_exits;    // exits of visits that were not open any more
  Calibration calibration;
  uint64_t marker_ticks;        // what one visit adds to the time of the region around it
  uint64_t marker_inner_ticks;  // what an empty visit measures as its own time
  int32_t parent_pid;           // of the recorded process that this one is a fork of
  uint32_t parent_sequence;
  uint64_t fork_ticks;  // 0: unknown
  uint32_t host_bytes, executable_bytes;
  char host[256];
  char executable[1024];
  // Hardware counters. The costs above are then those of markers that read them.
  uint64_t counting;  // Counting; 0: none were asked for, or `counting_refusal` says why not
  char counting_refusal[128];
  uint64_t refused_threads;  // of which a group could not be opened, atomic
  Refusal first_refusal;     // of those
  // Of a parallel job, as its launcher numbers them (rank.h).
  uint32_t rank;
  uint32_t ranks;  // in the job; 0: this is no rank of one
  // Visits that were to be kept by themselves and were not (trace_layout.h), atomic; and why there
  // was no room for them, 0: the limit that was asked for.
  uint64_t untraced;
  int32_t trace_errno;
  uint32_t unused;
  uint64_t reserved[10];
};

struct SegmentHeader {
  uint64_t magic;
  uint64_t bytes;           // header included
  uint64_t used;            // header included, atomic
  uint32_t owner_sequence;  // odd while the segment changes hands
  uint32_t unused;
  uint64_t reserved[4];
};

enum class ItemKind : uint32_t {
  none = 0,
  name = 1,
  thread = 2,
  record = 3,
  histogram = 4,
  events = 5,
  counting = 6
};

struct ItemHeader {
  ItemKind kind;
  uint32_t bytes;  // this header included, a multiple of item_alignment
};

struct Name {
  ItemHeader item;
  uint32_t length;
  uint32_t unused;
  char bytes[48];  // at least; as many as item.bytes leaves room for
};

enum ThreadFlag : uint32_t {
  thread_main = 1u << 0,
  thread_detached = 1u << 1,
  thread_folded = 1u << 2,          // no thread, but the sum of those that ended
  thread_unknown_parent = 1u << 3,  // nobody saw it being created
  thread_other_full = 1u << 4,      // some of its regions are in "(other)"
  thread_mismatched = 1u << 5,      // it saw an exit without an entry
};

inline constexpr unsigned cpu_words = 16;  // CPUs 0 .. 1023

struct Thread {
  ItemHeader item;
  int32_t tid, creator_tid;  // creator_tid 0: unknown
  uint32_t flags;            // ThreadFlag, atomic
  uint32_t ended_threads;    // folded only: how many
  uint64_t serial;           // the nth recorded thread of the process
  uint64_t created_ticks;
  uint64_t cpu_samples;      // how often the CPU was looked at
  uint64_t open_groups;      // of counters, a bit each; folded: that all of them had
  Refusal refusal;           // why not the others
  uint64_t cpus[cpu_words];  // bit set: was seen there when it opened or closed a region
};

enum RecordFlag : uint32_t {
  record_mismatched = 1u << 0,    // a visit was closed by the exit of a region around it
  record_wrong_thread = 1u << 1,  // a visit was closed by another thread
  record_inherited = 1u << 2,     // open when the process was forked: its time counts from the fork
  record_other = 1u << 3,         // "(other)"
  record_unclosed = 1u << 4,      // folded only: a thread ended inside a visit
  record_folded = 1u << 5,        // already added to the folded tree: not to be counted again
  record_other_inside = 1u << 6,  // regions inside it are in "(other)"
};

// Histogram of visit times: 4 buckets per power of two, from 2^3 to 2^41 ticks. The bucket of a
// duration is the exponent and the first two bits of the mantissa of the duration as a double. The
// visit that was closed last is not among the counts yet: `latest` is its bucket.
inline constexpr unsigned histogram_first_octave = 3;
inline constexpr unsigned histogram_octaves = 38;
inline constexpr unsigned histogram_buckets = histogram_octaves * 4;

inline constexpr uint64_t no_bucket = histogram_buckets;  // in `latest`: no visit yet

struct Histogram {
  ItemHeader item;
  uint64_t latest;
  uint64_t counts[histogram_buckets + 1];  // the last is where `no_bucket` is counted: nobody's
  uint64_t unused[5];
};

// One region on one call path of one thread. The first two lines are what a visit changes. Every
// visit is in the histogram once there is one; before that (one visit, or no room) it is counted in
// `early_visits`.
struct Record {
  ItemHeader item;
  uint64_t entry;    // when the last visit began; it is open if last_exit is before it; 0: never
  uint64_t closing;  // entry of the visit that is or was last being closed
  uint64_t last_exit;
  uint64_t sum_ticks;
  double sum_of_squares;
  uint64_t min_ticks, max_ticks;
  // Second line.
  uint64_t early_visits;
  uint32_t sequence;  // odd while something other than a visit changes the record
  uint32_t flags;     // RecordFlag, atomic
  uint64_t first_entry;
  uint64_t first_ticks;  // duration of the first visit
  uint64_t parent;       // Record; 0: a root
  uint64_t name;         // Name
  uint64_t thread;       // Thread
  uint64_t histogram;    // Histogram; 0: none
  // Third line.
  double declared_flop, declared_bytes;
  uint64_t declarations;
  uint64_t adopted_visits;    // outermost visits whose place was not known for sure
  uint64_t threads;           // folded only: how many threads' records were added up
  uint64_t max_thread_ticks;  // folded only: the largest sum_ticks among them
  uint64_t events;            // raw event sums of hardware collectors; 0: none
  uint64_t reserved[1];
};

// Counts of a record's visits by hardware counters: this, then for each group of the plan an
// EventGroup and its sums. They change in the bracket that `closing` and `last_exit` of the record
// form. A visit's counts hold the work of its thread and, while that has others below it, the work
// that those do outside of regions of their own.
struct Events {
  ItemHeader item;
  uint32_t groups;
  uint32_t unused;
  uint64_t shared_visits;  // to which others' work was added
  uint64_t shared_ticks;   // what reading them took, outside of the visits' own time
  uint64_t blind_visits;   // whose thread had others below it that could not be read
  uint64_t reserved[3];
};
struct EventGroup {
  uint64_t whole;   // visits that it counted from end to end
  uint64_t part;    // in which it ran for a part of the time
  uint64_t missed;  // in which it did not run at all
  uint64_t unread;  // in which it was not open or could not be read
  // Sums over the first three, and over what an inherited visit did after the fork.
  uint64_t enabled, running;
  uint64_t values[1];  // as many as the group has
};
inline constexpr uint32_t event_group_words = 6;  // before its values

// What is counted in this process: this, then a CountingGroup for each group of the plan, then
// `words` doubles that say what an empty visit counts itself, as many that say what a visit adds to
// the region around it and as many for how much that scatters from visit to visit (for each group
// enabled, running and its values), then the plan's text.
struct Counting {
  ItemHeader item;
  uint32_t groups;
  uint32_t words;
  uint32_t plan_bytes;
  uint32_t flags;  // CountingFlag
  uint64_t reserved[5];
};
enum CountingFlag : uint32_t {
  counting_blind = 1u << 0,  // other threads' counters can't be read
};
struct CountingGroup {
  uint32_t values;
  uint16_t of_package;   // 1: counts whoever works there
  uint16_t always_runs;  // 1: enabled and running stay 0
};

static_assert(sizeof(SegmentHeader) == 64);
static_assert(sizeof(Name) == item_alignment);
static_assert(sizeof(Thread) % item_alignment == 0);
static_assert(sizeof(Record) == 3 * item_alignment);
static_assert(sizeof(Histogram) % item_alignment == 0);
static_assert(sizeof(Events) == item_alignment && sizeof(Counting) == item_alignment);
static_assert(sizeof(FileHeader) <= 4096);

}  // namespace roofmark::arena
