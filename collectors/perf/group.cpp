#include "group.hpp"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "descriptor_room.hpp"
#include "hardware_counter.hpp"
#include "user_read.hpp"

namespace roofmark::perf {
namespace {

constexpr std::size_t page_bytes_least = 4096;

std::size_t page_bytes() {
  const long size = sysconf(_SC_PAGESIZE);
  return size > 0 ? static_cast<std::size_t>(size) : page_bytes_least;
}

/// A thread; a program with all that it starts; a thread that runs already, with the same.
enum class Target { thread, program, running };

perf_event_attr attributes(const Event& event, bool leads, Target target) {
  perf_event_attr attr;
  std::memset(&attr, 0, sizeof attr);
  attr.size = sizeof attr;
  attr.type = event.type;
  attr.config = event.config;
  attr.config1 = event.config1;  // bp_addr and bp_len share these words
  attr.config2 = event.config2;
  if (event.type == PERF_TYPE_BREAKPOINT) attr.bp_type = event.breakpoint;
  attr.exclude_kernel = (event.exclude & exclude_kernel) != 0;
  attr.exclude_hv = (event.exclude & exclude_hypervisor) != 0;
  attr.exclude_user = (event.exclude & exclude_user) != 0;
  attr.read_format =
      PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  // All members begin to count at one moment: when the leader is enabled.
  attr.disabled = leads;
  attr.inherit = target != Target::thread;
  attr.enable_on_exec = target == Target::program;
  return attr;
}

int open_event(const Event& event, pid_t thread, int cpu, int leader, Target target) {
  perf_event_attr attr = attributes(event, leader < 0, target);
  return static_cast<int>(
      syscall(SYS_perf_event_open, &attr, thread, cpu, leader, PERF_FLAG_FD_CLOEXEC));
}

void unmap(Group& group) {
  for (unsigned i = 0; i < group.count; ++i)
    if (group.pages[i] != nullptr) munmap(group.pages[i], page_bytes());
  for (void*& page : group.pages) page = nullptr;
  group.by_page = false;
}

/// Maps the page of every counter, or of none: a group is read in one way.
void map(Group& group) {
#if defined(__x86_64__) || defined(__aarch64__)
  for (unsigned i = 0; i < group.count; ++i) {
    void* const page = mmap(nullptr, page_bytes(), PROT_READ, MAP_SHARED, group.descriptors[i], 0);
    if (page == MAP_FAILED) return unmap(group);
    group.pages[i] = page;
    const auto* const shared = static_cast<const volatile perf_event_mmap_page*>(page);
    perf_event_mmap_page copy;
    copy.capabilities = shared->capabilities;
    if (!copy.cap_user_rdpmc || !copy.cap_user_time) return unmap(group);
  }
  group.by_page = true;
#else
  (void)group;
#endif
}

bool read_pages(const Group& group, std::uint64_t* words) {
#if defined(__x86_64__) || defined(__aarch64__)
  const auto page = [&](unsigned event) {
    return static_cast<const volatile perf_event_mmap_page*>(group.pages[event]);
  };
  // Not as pointers to functions: a compiler would call them.
  const auto counter = [](std::uint32_t index) { return hardware_counter(index); };
  const auto clock = [] { return hardware_clock(); };
  UserValue first;
  if (!read_by_page(page(0), counter, clock, first)) return false;
  words[0] = first.enabled_ns;
  words[1] = first.running_ns;
  words[2] = first.value;
  for (unsigned i = 1; i < group.count; ++i)
    if (!read_by_page(page(i), counter, words[2 + i])) return false;
  return true;
#else
  (void)group;
  (void)words;
  return false;
#endif
}

}  // namespace

namespace {

Refusal open_group(const FlatPlan& plan, unsigned index, pid_t thread, Group& group,
                   const DescriptorRoom* room, Target target) {
  group = Group{};
  for (int& descriptor : group.descriptors) descriptor = -1;
  for (void*& page : group.pages) page = nullptr;
  if (index >= plan.group_count) return {EINVAL, Step::open, 0};
  const GroupPlan& planned = plan.groups[index];
  group.cpu = planned.cpu;
  const pid_t whom = planned.cpu < 0 ? thread : -1;
  for (unsigned i = 0; i < planned.count; ++i) {
    const int leader = i == 0 ? -1 : group.descriptors[0];
    int descriptor = open_event(plan.events[planned.first + i], whom, planned.cpu, leader, target);
    if (room != nullptr) descriptor = room->move(descriptor);
    if (descriptor < 0) {
      const int error = errno;
      close_group(group);
      return {error, Step::open, i};
    }
    group.descriptors[group.count++] = descriptor;
  }
  if (target != Target::thread) return {};  // its exec enables it, or switch_group()
  if (ioctl(group.descriptors[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) != 0) {
    const int error = errno;
    close_group(group);
    return {error, Step::enable, 0};
  }
  // Another CPU's or thread's counters can't be read by rdpmc.
  if (planned.cpu < 0) map(group);
  return {};
}

bool is_perf_event(int descriptor) {
  std::uint64_t number = 0;
  return ioctl(descriptor, PERF_EVENT_IOC_ID, &number) == 0;
}

}  // namespace

Refusal open_group(const FlatPlan& plan, unsigned index, pid_t thread, Group& group,
                   Descriptors numbers) {
  if (numbers == Descriptors::as_given)
    return open_group(plan, index, thread, group, nullptr, Target::thread);
  const DescriptorRoom room;
  return open_group(plan, index, thread, group, &room, Target::thread);
}

Refusal open_program_group(const FlatPlan& plan, unsigned index, Group& group) {
  return open_group(plan, index, 0, group, nullptr, Target::program);
}

Refusal open_running_group(const FlatPlan& plan, unsigned index, pid_t thread, Group& group) {
  const DescriptorRoom room;
  return open_group(plan, index, thread, group, &room, Target::running);
}

int switch_group(const Group& group, bool on) {
  if (group.count == 0) return EBADF;
  const unsigned long request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
  // Twice: a thread that is born during the first may have inherited what was before it.
  for (unsigned time = 0; time < 2; ++time)
    if (ioctl(group.descriptors[0], request, PERF_IOC_FLAG_GROUP) != 0) return errno;
  return 0;
}

void forget_group(Group& group) {
  for (unsigned i = group.count; i > 0; --i)
    if (is_perf_event(group.descriptors[i - 1])) close(group.descriptors[i - 1]);
  group.count = 0;
  group.by_page = false;
  for (void*& page : group.pages) page = nullptr;
}

void close_group(Group& group) {
  unmap(group);
  // The leader last: a member that loses its leader becomes a group of its own for a moment.
  for (unsigned i = group.count; i > 0; --i) close(group.descriptors[i - 1]);
  group.count = 0;
}

int read_words(const Group& group, bool own, std::uint64_t* words, bool& by_page) {
  by_page = false;
  if (group.count == 0) return EBADF;
  if (own && group.by_page && read_pages(group, words)) {
    by_page = true;
    return 0;
  }
  // {number, enabled, running, values...}
  std::uint64_t told[1 + most_words_of_group];
  const std::size_t wanted = (3 + group.count) * sizeof told[0];
  ssize_t got = 0;
  do {
    got = read(group.descriptors[0], told, wanted);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return errno;
  // An event in error state (a pinned one that lost its counter) reads as an end of file.
  if (static_cast<std::size_t>(got) != wanted || told[0] != group.count) return EINVAL;
  for (unsigned i = 0; i < 2 + group.count; ++i) words[i] = told[1 + i];
  return 0;
}

int read_group(const Group& group, bool own, Reading& reading) {
  reading.count = 0;
  std::uint64_t words[most_words_of_group];
  if (const int error = read_words(group, own, words, reading.by_page)) return error;
  reading.count = group.count;
  reading.enabled_ns = words[0];
  reading.running_ns = words[1];
  std::memcpy(reading.values, words + 2, group.count * sizeof words[0]);
  return 0;
}

Difference difference(const Reading& earlier, const Reading& later) {
  Difference result;
  result.count = earlier.count < later.count ? earlier.count : later.count;
  // A clock that seems to go backwards says nothing about what ran.
  if (later.enabled_ns > earlier.enabled_ns)
    result.enabled_ns = later.enabled_ns - earlier.enabled_ns;
  if (later.running_ns > earlier.running_ns)
    result.running_ns = later.running_ns - earlier.running_ns;
  for (unsigned i = 0; i < result.count; ++i)
    result.values[i] = wrapped_difference(earlier.values[i], later.values[i], 64);
  // No time passed for a thread that did not run: nothing was missed.
  bool silent = result.enabled_ns == 0;
  for (unsigned i = 0; i < result.count; ++i) silent = silent && result.values[i] == 0;
  if (result.count != 0 && silent)
    result.ran = Ran::whole;
  else if (result.count == 0 || result.running_ns == 0)
    result.ran = Ran::not_at_all;
  else
    result.ran = result.running_ns >= result.enabled_ns ? Ran::whole : Ran::part;
  return result;
}

bool scale(std::uint64_t value, const Difference& of, std::uint64_t& scaled, double& factor) {
  scaled = 0;
  factor = 0;
  if (of.ran == Ran::not_at_all) return false;
  scaled = value;
  factor = 1;
  if (of.ran == Ran::whole) return true;
  factor = static_cast<double>(of.enabled_ns) / static_cast<double>(of.running_ns);
  // 128 bits: counts and nanoseconds of a long run overflow 64 when multiplied.
  const unsigned __int128 product = static_cast<unsigned __int128>(value) * of.enabled_ns;
  scaled = static_cast<std::uint64_t>((product + of.running_ns / 2) / of.running_ns);
  return true;
}

}  // namespace roofmark::perf
