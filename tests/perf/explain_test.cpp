// Every refusal of the kernel has one sentence and one command, chosen by what the system says of
// itself; and what it says is read from files.
#include "collectors/perf/explain.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>

#include "catch.hpp"

using namespace roofmark;
using perf::explain;
using perf::Request;

namespace {

constexpr std::uint64_t perfmon = std::uint64_t{1} << 38;

HostFacts bare_metal(int paranoid) {
  HostFacts facts;
  facts.paranoid = paranoid;
  facts.seccomp = 0;
  facts.effective_capabilities = 0;
  facts.descriptors_soft = 1024;
  facts.descriptors_hard = 4096;
  facts.pmus = {"cpu", "software", "uncore_imc_0"};
  return facts;
}

bool says(const Problem& problem, const std::string& text) {
  return problem.reason.find(text) != std::string::npos ||
         problem.remedy.find(text) != std::string::npos;
}

Request group_member() {
  Request request;
  request.leads = false;
  return request;
}

Request socket() {
  Request request;
  request.of_cpu = true;
  request.pmu = "uncore_imc_0";
  return request;
}

/// A file tree of the test's own.
class Tree {
 public:
  Tree() {
    std::string name = (std::filesystem::temp_directory_path() / "roofmark-facts-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    root_ = name;
  }
  ~Tree() { std::filesystem::remove_all(root_); }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;
  void put(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root_ / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  HostFacts facts() const { return read_host_facts(root_); }

 private:
  std::filesystem::path root_;
};

}  // namespace

TEST_CASE("EACCES names the level that is needed") {
  CHECK(says(explain(EACCES, {}, bare_metal(3)), "sudo sysctl kernel.perf_event_paranoid=2"));
  Request kernel;
  kernel.with_kernel = true;
  CHECK(says(explain(EACCES, kernel, bare_metal(2)), "sudo sysctl kernel.perf_event_paranoid=1"));
  CHECK(says(explain(EACCES, socket(), bare_metal(2)), "sudo sysctl kernel.perf_event_paranoid=0"));
  // A level that allows it is not the reason.
  CHECK_FALSE(says(explain(EACCES, {}, bare_metal(1)), "sysctl"));
  HostFacts capable = bare_metal(3);
  capable.effective_capabilities = perfmon;
  CHECK_FALSE(says(explain(EACCES, {}, capable), "sysctl"));
  HostFacts docker = bare_metal(3);
  docker.container = "docker";
  CHECK(says(explain(EACCES, {}, docker), "--cap-add PERFMON"));
}

TEST_CASE("EPERM is a sandbox's") {
  HostFacts docker = bare_metal(2);
  docker.seccomp = 2;
  docker.container = "docker";
  CHECK(says(explain(EPERM, {}, docker), "seccomp"));
  CHECK(says(explain(EPERM, {}, docker), "docker run --cap-add PERFMON"));
  HostFacts pod = docker;
  pod.container = "kubernetes";
  CHECK(says(explain(EPERM, {}, pod), "securityContext"));
  CHECK(says(explain(EPERM, {}, bare_metal(2)), "locked down"));
}

TEST_CASE("ENOENT tells a machine without a PMU from an event that it does not have") {
  HostFacts guest = bare_metal(2);
  guest.pmus = {"breakpoint", "software"};
  guest.virtual_machine = true;
  guest.hypervisor = "QEMU";
  CHECK(says(explain(ENOENT, {}, guest), "virtual machine (QEMU) has no hardware counters"));
  CHECK(says(explain(ENOENT, {}, guest), "--counters emulated"));
  guest.virtual_machine = false;
  CHECK(says(explain(ENOENT, {}, guest), "no PMU for this processor"));
  CHECK(says(explain(ENOENT, {}, bare_metal(2)), "no such event"));
  CHECK(says(explain(ENOENT, socket(), bare_metal(2)), "uncore_imc_0"));
  Request tracepoint;
  tracepoint.pmu = "tracepoint";
  guest.virtual_machine = true;
  for (const int error : {ENOENT, EINVAL})  // kernels differ
    CHECK(says(explain(error, tracepoint, guest), "no tracepoint of this number"));
}

TEST_CASE("EMFILE asks for what the hard limit allows") {
  CHECK(explain(EMFILE, {}, bare_metal(2)).remedy == "ulimit -n 4096");
  HostFacts facts = bare_metal(2);
  facts.descriptors_hard = 1048576;
  CHECK(explain(EMFILE, {}, facts).remedy == "ulimit -n 65536");
  facts.descriptors_hard = 1024;
  CHECK(says(explain(EMFILE, {}, facts), "sudo prlimit"));
  CHECK(says(explain(EMFILE, {}, facts), "(1024)"));
}

TEST_CASE("EINVAL and EBUSY look at the watchdog") {
  HostFacts watched = bare_metal(2);
  watched.nmi_watchdog = true;
  CHECK(says(explain(EINVAL, group_member(), watched), "sudo sysctl kernel.nmi_watchdog=0"));
  CHECK(says(explain(EBUSY, {}, watched), "sudo sysctl kernel.nmi_watchdog=0"));
  CHECK_FALSE(says(explain(EINVAL, group_member(), bare_metal(2)), "nmi_watchdog"));
  CHECK_FALSE(says(explain(EBUSY, {}, bare_metal(2)), "nmi_watchdog"));
  CHECK(says(explain(EINVAL, group_member(), bare_metal(2)), "more counters than are free"));
  CHECK(says(explain(EINVAL, {}, bare_metal(2)), "does not know a field"));
}

TEST_CASE("ENOSYS is the kernel's or the sandbox's") {
  HostFacts facts = bare_metal(2);
  CHECK(says(explain(ENOSYS, {}, facts), "CONFIG_PERF_EVENTS"));
  facts.seccomp = 2;
  CHECK(says(explain(ENOSYS, {}, facts), "seccomp"));
  facts.container = "gVisor";
  CHECK(says(explain(ENOSYS, {}, facts), "gVisor has no"));
}

TEST_CASE("every errno has a sentence of its own and a remedy") {
  Request breakpoint;
  breakpoint.breakpoint = true;
  breakpoint.event = "writes";
  CHECK(says(explain(ENOSPC, breakpoint, bare_metal(2)), "four"));
  std::set<std::string> sentences;
  for (const int error : {EACCES, EPERM, ENOENT, EMFILE, ENFILE, ENOSPC, EINVAL, EBUSY, ENODEV,
                          EOPNOTSUPP, ENOSYS, ENOMEM, EIO}) {
    INFO(error);
    const Problem problem = explain(error, breakpoint, bare_metal(3));
    CHECK(problem.where == "writes");
    CHECK_FALSE(problem.remedy.empty());
    CHECK(problem.reason.back() != '.');
    CHECK(sentences.insert(problem.reason).second);
  }
}

TEST_CASE("facts are read from files") {
  const Tree tree;
  const HostFacts nothing = tree.facts();
  CHECK_FALSE(nothing.paranoid);
  CHECK_FALSE(nothing.seccomp);
  CHECK_FALSE(nothing.virtual_machine);
  CHECK(nothing.container.empty());
  CHECK(nothing.pmus.empty());
  CHECK_FALSE(nothing.may_count_all());

  tree.put("proc/sys/kernel/perf_event_paranoid", "3\n");
  tree.put("proc/sys/kernel/nmi_watchdog", "1\n");
  tree.put("proc/sys/kernel/osrelease", "6.1.0-40-amd64\n");
  tree.put("proc/self/status",
           "Name:\tcat\nUid:\t1000\t1000\t1000\t1000\nCapEff:\t0000004000000000\nSeccomp:\t2\n"
           "Seccomp_filters:\t1\n");
  tree.put("proc/self/limits",
           "Limit                     Soft Limit           Hard Limit           Units     \n"
           "Max open files            1024                 524288               files     \n");
  tree.put("proc/cpuinfo", "processor : 0\nflags\t\t: fpu hypervisor cqm_mbm_total\n");
  tree.put("sys/class/dmi/id/sys_vendor", "QEMU\n");
  tree.put("sys/bus/event_source/devices/cpu/rdpmc", "1\n");
  tree.put("sys/bus/event_source/devices/software/type", "1\n");
  tree.put("proc/filesystems", "nodev\tsysfs\nnodev\tresctrl\n");
  tree.put("proc/self/mounts", "resctrl /sys/fs/resctrl resctrl rw 0 0\n");
  tree.put("run/.containerenv", "");
  const HostFacts facts = tree.facts();
  CHECK(facts.paranoid == 3);
  CHECK(facts.nmi_watchdog == true);
  CHECK(facts.kernel == "6.1.0-40-amd64");
  CHECK(facts.user == 1000U);
  CHECK(facts.seccomp == 2);
  CHECK(facts.may_count_all());
  CHECK(facts.descriptors_soft == 1024U);
  CHECK(facts.descriptors_hard == 524288U);
  CHECK(facts.virtual_machine);
  CHECK(facts.hypervisor == "QEMU");
  CHECK(facts.container == "podman");
  CHECK(facts.user_reads == 1);
  CHECK(facts.pmus == PmuNames{"cpu", "software"});
  CHECK(facts.resctrl_known);
  CHECK(facts.resctrl_mounted == "/sys/fs/resctrl");
  CHECK(facts.bandwidth_monitoring);
}

TEST_CASE("a damaged fact is absent") {
  const Tree tree;
  tree.put("proc/sys/kernel/perf_event_paranoid", "two\n");
  tree.put("proc/sys/kernel/nmi_watchdog", "");
  tree.put("proc/self/status", "Uid:\t\nCapEff:\txyz\nSeccomp:\n");
  tree.put("proc/self/limits",
           "Max open files            unlimited            unlimited   files\n");
  const HostFacts facts = tree.facts();
  CHECK_FALSE(facts.paranoid);
  CHECK_FALSE(facts.nmi_watchdog);
  CHECK_FALSE(facts.user);
  CHECK_FALSE(facts.effective_capabilities);
  CHECK_FALSE(facts.seccomp);
  CHECK_FALSE(facts.descriptors_soft);
}

TEST_CASE("a negative level is one") {
  const Tree tree;
  tree.put("proc/sys/kernel/perf_event_paranoid", "-1\n");
  CHECK(tree.facts().paranoid == -1);
}
