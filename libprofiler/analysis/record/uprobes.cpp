#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <analysis/counters/host_facts.hpp>
#include <analysis/files/read_small.hpp>
#include <analysis/record/executable_lock.hpp>
#include <analysis/record/uprobes.hpp>
#include <analysis/sampling/online_cpus.hpp>
#include <array>
#include <cerrno>
#include <charconv>
#include <collectors/perf/descriptor_room.hpp>
#include <collectors/perf/explain.hpp>
#include <cstring>
#include <ctime>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>

namespace roofmark {
namespace {

constexpr pid_t everyone = -1;
constexpr std::size_t ring_bytes = std::size_t{1} << 20;

std::optional<std::uint32_t> probe_type() {
  const std::string text = read_small("/sys/bus/event_source/devices/uprobe/type");
  std::uint32_t type = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), type).ec != std::errc())
    return std::nullopt;
  return type;
}

perf_event_attr attributes(std::uint32_t type, const std::string& object, std::uint64_t offset,
                           bool is_return) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = type;
  attr.config = is_return ? 1 : 0;
  attr.uprobe_path = reinterpret_cast<std::uint64_t>(object.c_str());
  attr.probe_offset = offset;
  attr.sample_period = 1;
  attr.sample_type =
      PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_REGS_USER;
#if defined(__x86_64__)
  attr.sample_regs_user = std::uint64_t{1} << 7;  // PERF_REG_X86_SP
#else
  attr.sample_regs_user = std::uint64_t{1} << 31;  // PERF_REG_ARM64_SP
#endif
  attr.sample_id_all = 1;
  attr.watermark = 1;  // nobody is woken: the recorder comes by
  attr.wakeup_watermark = ring_bytes;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC_RAW;
  return attr;
}

Descriptor open_probe(perf_event_attr attr, pid_t process, int cpu,
                      const perf::DescriptorRoom& room) {
  const long event = syscall(SYS_perf_event_open, &attr, process, cpu, -1, PERF_FLAG_FD_CLOEXEC);
  return Descriptor(event < 0 ? -1 : room.move(static_cast<int>(event)));
}

Problem refused(int error) {
  if (error == EACCES || error == EPERM)
    return {"the kernel lets only root probe functions of an executable", "", "run it as root"};
  return {std::string("the kernel can't probe it: ") + std::strerror(error), "uprobes", ""};
}

__attribute__((noinline)) void probed() {
  __asm__ volatile("");
}

/// Of new threads and processes.
perf_event_attr teller_of_threads(const std::string& object) {
  perf_event_attr attr = attributes(PERF_TYPE_SOFTWARE, object, 0, false);
  attr.config = PERF_COUNT_SW_DUMMY;
  attr.uprobe_path = attr.probe_offset = 0;
  attr.task = 1;
  return attr;
}

/// Where the function lies in the file of this process.
std::optional<std::uint64_t> own_offset() {
  const auto address = reinterpret_cast<std::uint64_t>(&probed);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream fields(line);
    std::uint64_t start = 0, end = 0, offset = 0;
    char dash = 0;
    std::string rights;
    fields >> std::hex >> start >> dash >> end >> rights >> offset;
    if (address >= start && address < end) return address - start + offset;
  }
  return std::nullopt;
}

double thread_time_s() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Costs {
  double whole_s = 0, inner_s = 0;
};

/// What probing a call costs here and now: calls of an empty function of our own. Processor time,
/// so that a busy machine does not count. Of an empty visit it measures the way out of the entry
/// and the way into the return: half of it, as far as can be told from outside.
Costs measure_costs(std::uint32_t type) {
  const auto offset = own_offset();
  if (!offset) return {};
  const perf::DescriptorRoom room;
  const std::string self = "/proc/self/exe";
  const Descriptor entry = open_probe(attributes(type, self, *offset, false), 0, -1, room);
  const Descriptor back = open_probe(attributes(type, self, *offset, true), 0, -1, room);
  if (!entry || !back) return {};
  constexpr int calls = 100;
  double least_s = 1;
  for (int batch = 0; batch < 5; ++batch) {
    const double before = thread_time_s();
    for (int i = 0; i < calls; ++i) probed();
    least_s = std::min(least_s, (thread_time_s() - before) / calls);
  }
  return {least_s, least_s / 2};
}

}  // namespace

// Of a processor and not of the child: the kernel would read the file's name anew for each thread
// that inherits a probe, from the memory of the program, and the thread could not be made.
Result<Uprobes> Uprobes::of_child(pid_t child, const ExecutableFunctions& functions) {
  const auto type = probe_type();
  if (!type)
    return tl::unexpected(
        Problem{"this kernel has no uprobes for perf", "", "Linux 4.17 or later"});
  auto locked = lock_to_probe(functions.object);
  if (!locked)
    return tl::unexpected(
        Problem{"another recording of the same file runs, which probes would disturb", "",
                "record again when it has ended"});
  const perf::DescriptorRoom room;
  Uprobes probes;
  probes.lock_ = std::move(*locked);
  probes.functions_ = functions;
  probes.child_ = child;
  probes.events_.resize(functions.functions.size());
  probes.calls_of_.resize(functions.functions.size());
  for (const int cpu : sampling::online_cpus()) {
    // An event that never happens owns the ring, so that each probe can go before it.
    Descriptor owner = open_probe(teller_of_threads(functions.object), everyone, cpu, room);
    if (!owner && errno == ENODEV) continue;  // went offline
    if (!owner) return tl::unexpected(refused(errno));
    sampling::PerfRing ring;
    if (const int error = ring.open(std::move(owner), ring_bytes); error != 0)
      return tl::unexpected(refused(error));
    for (std::size_t i = 0; i < functions.functions.size(); ++i)
      for (const bool is_return : {false, true}) {
        Descriptor event = open_probe(
            attributes(*type, functions.object, functions.functions[i].offset, is_return), everyone,
            cpu, room);
        if (!event && errno == ENODEV) continue;
        if (!event) return tl::unexpected(refused(errno));
        std::uint64_t id = 0;
        ioctl(event.get(), PERF_EVENT_IOC_ID, &id);
        probes.probe_of_[id] = {i, is_return};
        if (ioctl(event.get(), PERF_EVENT_IOC_SET_OUTPUT, ring.descriptor()) != 0)
          return tl::unexpected(refused(errno));
        probes.events_[i].push_back(std::move(event));
      }
    probes.rings_.push_back(std::move(ring));
  }
  const Costs costs = measure_costs(*type);
  probes.cost_s_ = costs.whole_s;
  probes.inner_cost_s_ = costs.inner_s;
  return probes;
}

void Uprobes::add(const std::byte* record, std::size_t bytes) {
  perf_event_header header;
  std::memcpy(&header, record, sizeof header);
  const auto word = [&](std::size_t at) {
    std::uint64_t value = 0;
    if (at + sizeof value <= bytes) std::memcpy(&value, record + at, sizeof value);
    return value;
  };
  const auto half = [&](std::size_t at) {
    std::int32_t value = 0;
    if (at + sizeof value <= bytes) std::memcpy(&value, record + at, sizeof value);
    return value;
  };
  constexpr std::size_t head = sizeof header;
  if (header.type == PERF_RECORD_LOST) lost_ += word(head + 8);
  if (header.type == PERF_RECORD_FORK)
    threads_.push_back(
        {half(head), half(head + 8), half(head + 4), half(head + 12), word(head + 16)});
  if (header.type != PERF_RECORD_SAMPLE) return;
  const auto probe = probe_of_.find(word(head));
  if (probe == probe_of_.end() || word(head + 24) == 0) return;  // no registers
  const Probe& hit = probe->second;
#if defined(__x86_64__)
  constexpr std::uint64_t return_address = 0;  // a return has taken it off
#else
  constexpr std::uint64_t return_address = 8;
#endif
  if (!hit.is_return && ++calls_of_[hit.function] == most_probed_calls + 1)
    events_[hit.function].clear();  // a disabled one would go on to trap
  if (calls_of_[hit.function] > most_probed_calls) return;
  calls_.push_back({half(head + 8), half(head + 12), word(head + 16),
                    word(head + 32) + (hit.is_return ? return_address : 0), hit.function,
                    hit.is_return});
}

void Uprobes::drain() {
  for (sampling::PerfRing& ring : rings_)
    ring.drain([&](const std::byte* record, std::size_t bytes) { add(record, bytes); });
}

/// Others may execute the same file.
void Uprobes::keep_ours() {
  std::stable_sort(
      threads_.begin(), threads_.end(),
      [](const ThreadEvent& a, const ThreadEvent& b) { return a.time_ns < b.time_ns; });
  std::set<std::int32_t> ours{child_};
  for (const ThreadEvent& made : threads_)
    if (ours.contains(made.creator_process)) ours.insert(made.process);
  std::erase_if(calls_, [&](const CallEvent& call) { return !ours.contains(call.process); });
  std::erase_if(threads_, [&](const ThreadEvent& made) { return !ours.contains(made.process); });
}

Uprobes::Outcome Uprobes::take(const std::string& host) {
  drain();
  Outcome outcome;
  outcome.lost = lost_;
  outcome.cost_s = cost_s_;
  CallFacts facts;
  facts.host = host;
  facts.executable = functions_.object;
  facts.cost_s = cost_s_;
  facts.inner_cost_s = inner_cost_s_;
  for (std::size_t i = 0; i < functions_.functions.size(); ++i) {
    facts.names.push_back(functions_.functions[i].name);
    facts.left_out.push_back(calls_of_[i] > most_probed_calls);
    if (facts.left_out.back()) outcome.let_go.push_back(functions_.functions[i].name);
  }
  keep_ours();
  if (lost_ == 0) outcome.processes = tree_of_calls(std::move(calls_), std::move(threads_), facts);
  events_.clear();
  rings_.clear();
  return outcome;
}

}  // namespace roofmark
