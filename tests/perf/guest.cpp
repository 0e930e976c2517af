// The first and only program of an arm64 guest whose emulated processor has a true PMU: the
// counting unit on hardware events, through a real kernel. Built and started by
// scripts/soak.d/arm64-counters. Prints a line for each check, and "done" at the end.
#include <dirent.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "analysis/check/kernels.hpp"
#include "collectors/perf/group.hpp"
#include "tests/support/in_child.hpp"

using namespace roofmark::perf;
using roofmark::test::in_child;

namespace {

constexpr unsigned cycles = 0x11, instructions = 0x08;  // of the Arm architecture, for every core
constexpr unsigned user_read = 2;                       // config1: the event may be read by `mrs`

void expect(bool right, const char* what) {
  std::printf("%s: %s\n", right ? "ok" : "FAILED", what);
}

/// Four instructions an iteration.
__attribute__((noinline)) void loop(std::uint64_t n) {
  __asm__ volatile("1: fmul d0, d1, d2\n\tadd x9, x9, #1\n\tsubs %0, %0, #1\n\tb.ne 1b\n\t"
                   : "+r"(n)::"x9", "d0", "cc");
}

void write_file(const char* name, const char* text) {
  const int file = open(name, O_WRONLY);
  if (file < 0 || write(file, text, std::strlen(text)) < 0) expect(false, name);
  if (file >= 0) close(file);
}

/// The number that sysfs gives to the PMU of the cores.
unsigned core_pmu() {
  const char* const folder = "/sys/bus/event_source/devices";
  char name[512] = "";
  if (DIR* const directory = opendir(folder)) {
    while (const dirent* entry = readdir(directory))
      if (std::strncmp(entry->d_name, "armv8", 5) == 0)
        std::snprintf(name, sizeof name, "%s/%s/type", folder, entry->d_name);
    closedir(directory);
  }
  char text[32] = "";
  const int file = open(name, O_RDONLY);
  if (file < 0 || read(file, text, sizeof text - 1) <= 0) return 0;
  close(file);
  return static_cast<unsigned>(std::atoi(text));
}

/// By way of the text, as the target gets it.
FlatPlan plan_of(unsigned type, const unsigned* events, unsigned count, unsigned config1,
                 int cpu = -1, unsigned exclude = exclude_kernel) {
  char text[4096];
  int length = std::snprintf(text, sizeof text, "roofmark-perf/1\n");
  const auto room = [&] { return sizeof text - static_cast<std::size_t>(length); };
  if (cpu < 0)
    length += std::snprintf(text + length, room(), "group thread %u\n", count);
  else
    length += std::snprintf(text + length, room(), "group cpu %d %u\n", cpu, count);
  for (unsigned i = 0; i < count; ++i)
    length += std::snprintf(text + length, room(), "event %u %x %x 0 %u 0\n", type, events[i],
                            config1, exclude);
  length += std::snprintf(text + length, room(), "end %u\n", count);
  FlatPlan plan;
  unsigned line = 0;
  if (const char* wrong = parse_plan(text, static_cast<std::size_t>(length), plan, line))
    expect(false, wrong);
  return plan;
}

int error_of(const FlatPlan& plan) {
  Group group;
  const Refusal refusal = open_group(plan, 0, 0, group);
  if (!refusal) close_group(group);
  return refusal.error;
}

bool near_loop(std::uint64_t counted, std::uint64_t expected) {
  // 0.01 %, and never less than what was executed.
  return counted >= expected && counted - expected <= expected / 10'000;
}

void counts(unsigned type) {
  const unsigned events[] = {cycles, instructions};
  Group group;
  if (open_group(plan_of(type, events, 2, 0), 0, 0, group))
    return expect(false, "cycles and instructions open");
  expect(!group.by_page, "an event that does not ask is read by the kernel");
  std::uint64_t seen[3] = {};
  bool whole = true;
  for (std::uint64_t& one : seen) {
    Reading before, after;
    whole = read_group(group, true, before) == 0 && whole;
    loop(1'000'000);
    whole = read_group(group, true, after) == 0 && whole;
    const Difference difference = roofmark::perf::difference(before, after);
    whole = whole && difference.ran == Ran::whole && difference.values[0] >= difference.values[1];
    one = difference.values[1];
  }
  std::printf("4000000 instructions: %llu %llu %llu\n", static_cast<unsigned long long>(seen[0]),
              static_cast<unsigned long long>(seen[1]), static_cast<unsigned long long>(seen[2]));
  expect(whole, "a group runs all the time");
  expect(near_loop(seen[0], 4'000'000) && near_loop(seen[2], 4'000'000),
         "instructions within 0.01 %");
  Reading before, after;
  read_group(group, true, before);
  in_child([] {
    loop(1'000'000);
    return 0;
  });
  read_group(group, true, after);
  expect(difference(before, after).values[1] < 1'000'000, "a child's work is not its parent's");
  close_group(group);
}

/// The self-test's kernels: ten instructions an iteration, each of them.
void kernels(unsigned type) {
  namespace check = roofmark::check;
  const unsigned events[] = {cycles, instructions};
  Group group;
  if (open_group(plan_of(type, events, 2, 0), 0, 0, group)) return expect(false, "a group opens");
  unsigned right = 0, all = 0;
  for (const check::Kernel& kernel : check::kernels_here()) {
    if (kernel.work != check::Work::flop && kernel.work != check::Work::instructions) continue;
    Reading before, after;
    read_group(group, true, before);
    kernel.run(1'000'000, {});
    read_group(group, true, after);
    ++all;
    const std::uint64_t counted = difference(before, after).values[1];
    if (near_loop(counted, 10'000'000))
      ++right;
    else
      std::printf("%s: %llu instructions\n", kernel.name.c_str(),
                  static_cast<unsigned long long>(counted));
  }
  std::printf("%u of %u kernels are counted as they are\n", right, all);
  expect(all >= 13 && right == all, "the self-test's kernels are counted within 0.01 %");
  close_group(group);
}

void by_page(unsigned type) {
  write_file("/proc/sys/kernel/perf_user_access", "1");
  const unsigned events[] = {cycles, instructions};
  Group group;
  if (open_group(plan_of(type, events, 2, user_read), 0, 0, group))
    return expect(false, "events open that ask for user reads");
  expect(group.by_page, "the kernel allows user reads");
  Reading before, after, by_kernel;
  bool paged = true, right = true;
  for (unsigned i = 0; i < 10; ++i) {
    const bool read = read_group(group, true, before) == 0;
    paged = paged && read && before.by_page;
    loop(1'000'000);
    right =
        right && read_group(group, true, after) == 0 && read_group(group, false, by_kernel) == 0;
    paged = paged && after.by_page && !by_kernel.by_page;
    const Difference own = difference(before, after), mixed = difference(before, by_kernel);
    right = right && own.ran == Ran::whole && near_loop(own.values[1], 4'000'000) &&
            mixed.ran == Ran::whole && mixed.values[1] >= own.values[1] &&
            near_loop(mixed.values[1], 4'000'000);
  }
  expect(paged, "counters are read without a system call");
  expect(right, "both ways of reading give the same counts");
  close_group(group);
}

void too_large(unsigned type) {
  unsigned events[most_events_per_group];
  for (unsigned& event : events) event = instructions;
  Group group;
  const Refusal refusal = open_group(plan_of(type, events, most_events_per_group, 0), 0, 0, group);
  std::printf("the group is refused at event %u\n", refusal.event);
  expect(refusal.error == EINVAL && refusal.event > 0 && group.count == 0,
         "a group that is too large is EINVAL");
  const unsigned one[] = {instructions};
  expect(error_of(plan_of(type, one, 1, 0)) == 0, "and leaves nothing open");
}

void shared(unsigned type) {
  const unsigned event[] = {instructions};
  constexpr unsigned groups = 12;
  static Group group[groups];
  static Reading before[groups], after[groups];
  for (Group& one : group)
    if (open_group(plan_of(type, event, 1, 0), 0, 0, one))
      return expect(false, "more groups than counters open");
  for (unsigned g = 0; g < groups; ++g) read_group(group[g], true, before[g]);
  constexpr std::uint64_t iterations = 100'000'000;
  loop(iterations);
  for (unsigned g = 0; g < groups; ++g) read_group(group[g], true, after[g]);
  unsigned parts = 0, near = 0;
  for (unsigned g = 0; g < groups; ++g) {
    const Difference one = difference(before[g], after[g]);
    std::uint64_t scaled = 0;
    double factor = 0;
    if (!scale(one.values[0], one, scaled, factor)) continue;
    parts += one.ran == Ran::part && factor > 1 && one.values[0] < 4 * iterations;
    const std::uint64_t expected = 4 * iterations;
    near += (scaled > expected ? scaled - expected : expected - scaled) < expected / 50;
    close_group(group[g]);
  }
  std::printf("%u of %u groups ran in part, %u are within 2 %% when scaled\n", parts, groups, near);
  expect(parts >= groups / 2, "groups that share counters say that they ran in part");
  expect(near == groups, "scaled counts are within 2 %");
}

void permissions(unsigned type) {
  const unsigned event[] = {instructions};
  const FlatPlan user = plan_of(type, event, 1, 0), kernel = plan_of(type, event, 1, 0, -1, 0),
                 of_cpu = plan_of(type, event, 1, 0, 0, 0);
  for (int level = -1; level <= 3; ++level) {
    char text[8];
    std::snprintf(text, sizeof text, "%d", level);
    write_file("/proc/sys/kernel/perf_event_paranoid", text);
    const int own = in_child([&] { return setuid(65534) != 0 ? 1 : error_of(user); });
    const int with_kernel = in_child([&] { return setuid(65534) != 0 ? 1 : error_of(kernel); });
    const int wide = in_child([&] { return setuid(65534) != 0 ? 1 : error_of(of_cpu); });
    // Level 3 is Debian's and Ubuntu's; a kernel without it takes it for 2.
    std::printf("paranoid %d: own %d, with kernel %d, CPU %d\n", level, own, with_kernel, wide);
    expect(own == (level >= 3 ? EACCES : 0), "own programs at this level");
    expect(with_kernel == (level >= 2 ? EACCES : 0),
           "own programs with the kernel's part at this level");
    expect(wide == (level >= 1 ? EACCES : 0), "whole CPUs at this level");
    expect(error_of(of_cpu) == 0, "the administrator counts at every level");
  }
}

int filtered(unsigned answer, const FlatPlan& plan) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | answer),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter = {4, program};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
    return 1;
  return error_of(plan);
}

void sandboxes(unsigned type) {
  const unsigned event[] = {instructions};
  const FlatPlan plan = plan_of(type, event, 1, 0);
  expect(in_child([&] { return filtered(EPERM, plan); }) == EPERM,
         "a sandbox that forbids gives EPERM");
  expect(in_child([&] { return filtered(ENOSYS, plan); }) == ENOSYS,
         "a sandbox that hides gives ENOSYS");
}

void run() {
  const unsigned type = core_pmu();
  expect(type != 0, "the kernel has a PMU for the cores");
  if (type == 0) return;
  counts(type);
  kernels(type);
  by_page(type);
  too_large(type);
  shared(type);
  sandboxes(type);
  permissions(type);
}

}  // namespace

int main() {
  setvbuf(stdout, nullptr, _IONBF, 0);
  mkdir("/proc", 0755);
  mkdir("/sys", 0755);
  mount("proc", "/proc", "proc", 0, nullptr);
  mount("sysfs", "/sys", "sysfs", 0, nullptr);
  run();
  std::printf("done\n");
  sync();
  reboot(RB_POWER_OFF);
  return 0;
}
