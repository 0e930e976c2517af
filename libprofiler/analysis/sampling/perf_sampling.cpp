#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <analysis/counters/host_facts.hpp>
#include <analysis/files/process_threads.hpp>
#include <analysis/sampling/online_cpus.hpp>
#include <analysis/sampling/perf_sampling.hpp>
#include <analysis/sampling/proc_maps.hpp>
#include <cerrno>
#include <cmath>
#include <collectors/perf/descriptor_room.hpp>
#include <collectors/perf/explain.hpp>
#include <cstring>
#include <ctime>
#include <fstream>
#include <map>
#include <string>

namespace roofmark::sampling {
namespace {

/// Room for a second of samples at the shorter period. An ordinary user may lock 516 KiB a CPU.
constexpr std::size_t ring_bytes = std::size_t{256} << 10;

std::uint64_t nanoseconds(double seconds) {
  return static_cast<std::uint64_t>(std::llround(seconds * 1e9));
}

perf_event_attr attributes() {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_CPU_CLOCK;
  attr.sample_period = nanoseconds(first_period_s);
  attr.sample_type = sample_fields();
  attr.disabled = 1;
  attr.inherit = 1;
  attr.enable_on_exec = 1;
  attr.exclude_hv = 1;
  attr.mmap = 1;
  attr.mmap2 = 1;
  attr.comm = 1;
  attr.comm_exec = 1;
  attr.task = 1;
  attr.sample_id_all = 1;
  attr.watermark = 1;  // nobody is woken: the recorder comes by
  attr.wakeup_watermark = ring_bytes;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  return attr;
}

Descriptor open_event(const perf_event_attr& attr, pid_t process, int cpu,
                      const perf::DescriptorRoom& room) {
  perf_event_attr copy = attr;
  const long event = syscall(SYS_perf_event_open, &copy, process, cpu, -1, PERF_FLAG_FD_CLOEXEC);
  return Descriptor(event < 0 ? -1 : room.move(static_cast<int>(event)));
}

Problem refused(int error) {
  return perf::explain(error, {"cpu-clock", "", false, false, false, true}, read_host_facts());
}

Problem no_room(int error) {
  return {std::string("there is no memory for perf's buffers: ") + std::strerror(error), "",
          "sudo sysctl kernel.perf_event_mlock_kb=516"};
}

}  // namespace

Result<PerfSampling> PerfSampling::of_child(pid_t child) {
  const perf::DescriptorRoom room;
  perf_event_attr attr = attributes();
  PerfSampling sampling;
  sampling.sees_kernel_ = true;
  for (const int cpu : online_cpus()) {
    Descriptor event = open_event(attr, child, cpu, room);
    if (!event && sampling.rings_.empty() && (errno == EACCES || errno == EPERM)) {
      attr.exclude_kernel = 1;
      sampling.sees_kernel_ = false;
      event = open_event(attr, child, cpu, room);
    }
    if (!event && errno == ENODEV) continue;  // went offline
    if (!event) return tl::unexpected(refused(errno));
    PerfRing ring;
    if (const int error = ring.open(std::move(event), ring_bytes); error != 0)
      return tl::unexpected(no_room(error));
    sampling.rings_.push_back(std::move(ring));
  }
  return sampling;
}

Result<PerfSampling> PerfSampling::of_process(pid_t process) {
  const perf::DescriptorRoom room;
  perf_event_attr attr = attributes();
  attr.enable_on_exec = 0;
  PerfSampling sampling;
  sampling.sees_kernel_ = true;
  std::map<int, std::size_t> ring_of_cpu;
  // Threads that they make from now on are sampled with them.
  for (const pid_t thread : threads_of(process)) {
    for (const int cpu : online_cpus()) {
      Descriptor event = open_event(attr, thread, cpu, room);
      if (!event && sampling.rings_.empty() && (errno == EACCES || errno == EPERM)) {
        attr.exclude_kernel = 1;
        sampling.sees_kernel_ = false;
        event = open_event(attr, thread, cpu, room);
      }
      if (!event && (errno == ENODEV || errno == ESRCH)) continue;  // offline; ended
      if (!event) return tl::unexpected(refused(errno));
      const auto [known, is_new] = ring_of_cpu.try_emplace(cpu, sampling.rings_.size());
      if (!is_new) {
        ioctl(event.get(), PERF_EVENT_IOC_SET_OUTPUT, sampling.rings_[known->second].descriptor());
        sampling.others_.push_back(std::move(event));
        continue;
      }
      PerfRing ring;
      if (const int error = ring.open(std::move(event), ring_bytes); error != 0)
        return tl::unexpected(no_room(error));
      sampling.rings_.push_back(std::move(ring));
    }
  }
  if (sampling.rings_.empty())
    return tl::unexpected(Problem{"the process has ended", "-p " + std::to_string(process), ""});
  sampling.enable(true);
  // What is mapped already, of which no record tells.
  std::ifstream maps("/proc/" + std::to_string(process) + "/maps");
  add_mappings(maps, process, sampling.records_.spaces());
  return sampling;
}

void PerfSampling::enable(bool on) const {
  const unsigned long request = on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE;
  for (const PerfRing& ring : rings_) ioctl(ring.descriptor(), request, 0);
  for (const Descriptor& event : others_) ioctl(event.get(), request, 0);
}

void PerfSampling::set_period(double period_s) {
  period_s_ = period_s;
  std::uint64_t period = nanoseconds(period_s);
  for (const PerfRing& ring : rings_) ioctl(ring.descriptor(), PERF_EVENT_IOC_PERIOD, &period);
  for (const Descriptor& event : others_) ioctl(event.get(), PERF_EVENT_IOC_PERIOD, &period);
}

void PerfSampling::drain(double elapsed_s) {
  for (PerfRing& ring : rings_)
    ring.drain([&](const std::byte* record, std::size_t bytes) { records_.add(record, bytes); });
  if (records_.settle(stopped_)) set_period(2 * period_s_);
  if (period_s_ < usual_period_s && elapsed_s >= first_stretch_s) set_period(usual_period_s);
}

void PerfSampling::stop() {
  enable(false);
  stopped_ = true;
}

SampledRun PerfSampling::take() {
  stop();
  drain(0);
  SampledRun run;
  run.means = "perf";
  run.objects = records_.spaces().objects();
  run.samples = records_.store().take();
  run.sees_kernel = sees_kernel_;
  run.lost = records_.lost();
  run.shortest_period_s = first_period_s;
  others_.clear();
  rings_.clear();
  return run;
}

}  // namespace roofmark::sampling
