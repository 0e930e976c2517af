// FLOPs of a process with the DRAM bytes of its socket, from a table and a kernel's description of
// its PMUs, which the test makes, through the runtime and the join to the roofline: the socket's
// counter is the page faults of CPU 0, whoever has them.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <analysis/join/join.hpp>
#include <analysis/join/measured.hpp>
#include <analysis/machine/machine_json.hpp>
#include <analysis/record/hardware_plan.hpp>
#include <filesystem>
#include <fstream>
#include <roofmark/roofline.hpp>
#include <sstream>

#include "catch.hpp"
#include "recorded.hpp"

using namespace roofmark;
namespace fs = std::filesystem;

namespace {

constexpr const char* table = R"({
  "schema": "roofmark-events/1", "name": "made_up", "about": "page faults",
  "match": [{"vendor": "AuthenticAMD", "family": 25, "core_pmu": "software"}],
  "counters": {"general": 4},
  "events": {
    "faults": {"type": "software", "config": "0x2"},
    "of_socket": {"pmu": "uncore_made_up", "sysfs": "event=0x2"}
  },
  "quantities": [
    {"quantity": "flop.f64", "scope": "process", "bound": "exact", "counts": "retired",
     "sum": [{"weight": 1000, "event": "faults"}]},
    {"quantity": "bytes.DRAM.read", "scope": "socket", "bound": "exact", "counts": "lines",
     "sum": [{"weight": 64, "event": "of_socket"}]},
    {"quantity": "bytes.DRAM.write", "scope": "socket", "bound": "exact", "counts": "lines",
     "sum": [{"weight": 32, "event": "of_socket"}]}
  ],
  "sources": ["made up"]
})";

struct Host {
  Host() {
    const fs::path root = folder.path;
    put("events/made_up.json", table);
    put("devices/software/type", "1\n");
    put("devices/uncore_made_up/type", "1\n");
    put("devices/uncore_made_up/cpumask", "0\n");
    put("devices/uncore_made_up/format/event", "config:0-7\n");
    put("cpuinfo",
        "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 97\n"
        "stepping\t: 2\nmicrocode\t: 0x1\n");
    options.installed_tables = root / "events";
    options.cpuinfo = root / "cpuinfo";
    options.devices = root / "devices";
    unsetenv("ROOFMARK_EVENTS");
    setenv("XDG_CONFIG_HOME", root.c_str(), 1);
  }
  void put(const std::string& name, const std::string& text) const {
    const fs::path file = fs::path(folder.path) / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  TemporaryDirectory folder;
  HardwareOptions options;
};

Machine machine() {
  std::ifstream file(SOCKET_SCOPE_MACHINE);
  std::ostringstream text;
  text << file.rdbuf();
  auto read = machine_from_json(text.str(), "machine");
  if (!read) FAIL(to_line(read.error()));
  return *read;
}

Region pages_of(const Recorded& run, std::shared_ptr<const MeasuredPasses> passes) {
  JoinInput input;
  input.native = run.processes;
  input.whole.pid = run.processes.front().pid;
  input.whole.wall_s = input.whole.user_s = 1;
  input.measured = std::move(passes);
  Profile profile;
  profile.machine = machine();
  join(input, profile);
  judge(profile);
  for (const Region& region : profile.regions)
    if (region.path == std::vector<std::string>{"pages"}) return region;
  FAIL("no such region");
  return {};
}

bool at_dram(const Region& region) {
  return std::any_of(region.rooflines.begin(), region.rooflines.end(),
                     [](const Roofline& roofline) { return roofline.levels.count("DRAM") != 0; });
}

}  // namespace

TEST_CASE("a socket's bytes are labelled, and set against FLOPs only where it was the program's") {
  const Host host;
  const auto plan = plan_hardware(host.options);
  if (!plan || plan->passes.plan.formulas.size() != 3) {
    WARN("not tested here: a whole CPU can't be counted ("
         << (plan ? plan->passes.absent.empty() ? "" : plan->passes.absent[0].reason
                  : to_line(plan.error()))
         << ")");
    return;
  }
  const auto text = pass_text(plan->passes.plan, 0);
  REQUIRE(text);
  host.put("plan", *text);
  RunOptions options;
  options.environment = {"ROOFMARK_COUNTERS=" + host.folder.path + "/plan"};
  bool placed = true;
  cpu_set_t here;
  sched_getaffinity(0, sizeof here, &here);
  if (!CPU_ISSET(0, &here)) placed = false;
  options.before_exec = [] {
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    sched_setaffinity(0, sizeof first, &first);
  };
  if (!placed) {
    WARN("not tested here: CPU 0 is not this process's");
    return;
  }
  const Recorded run = record("runtime_target", "counted pages", options);
  REQUIRE(run.exit_status == 0);
  REQUIRE_FALSE(run.processes.empty());

  const Region refused = pages_of(run, std::make_shared<MeasuredPasses>(plan->passes));
  CHECK(refused.work.flop.at(Precision::f64).value == 64'000);
  CHECK(refused.work.flop.at(Precision::f64).scope == Scope::process);
  const Count& read = *refused.work.bytes.at("DRAM").read;
  CHECK(read.value >= 64 * 64);  // those of the kernel and of others are in it
  CHECK(read.scope == Scope::socket);
  CHECK(read.source == Source::measured);
  CHECK(read.caveats.front() == "whole socket: all programs on it together");
  CHECK(refused.work.bytes.at("DRAM").write->value == read.value / 2);
  CHECK(refused.flags.count("owns_socket") == 0);
  CHECK_FALSE(at_dram(refused));
  REQUIRE_FALSE(refused.rooflines.empty());
  CHECK(refused.rooflines.front().verdict != Verdict::compute);

  MeasuredPasses own = plan->passes;
  own.socket.others_cpu_share = 0.01;
  own.socket.others_per_s = {{"bytes.DRAM.read", 0}, {"bytes.DRAM.write", 0}};
  const Region allowed = pages_of(run, std::make_shared<MeasuredPasses>(own));
  CHECK(allowed.flags.count("owns_socket") == 1);
  CHECK(allowed.work.bytes.at("DRAM").read->scope == Scope::socket);
  CHECK(allowed.work.bytes.at("DRAM").read->caveats.front() ==
        "whole socket, which the program had to itself");
  CHECK(at_dram(allowed));

  // Busy neighbours: the same bytes are nobody's in particular.
  own.socket.others_cpu_share = 0.2;
  CHECK_FALSE(at_dram(pages_of(run, std::make_shared<MeasuredPasses>(own))));
}
