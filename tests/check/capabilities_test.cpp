// What is said of a system, and how it is printed.
#include "analysis/check/capabilities.hpp"

#include <nlohmann/json.hpp>

#include "analysis/text/plain_text.hpp"
#include "catch.hpp"

using namespace roofmark;
using namespace roofmark::check;

namespace {

const Fact& fact(const std::vector<Fact>& facts, const std::string& name) {
  for (const Fact& one : facts)
    if (one.name == name) return one;
  FAIL("no fact " << name);
  return facts.front();
}

HostFacts workstation() {
  HostFacts host;
  host.kernel = "6.1.0";
  host.paranoid = 3;
  host.nmi_watchdog = true;
  host.seccomp = 0;
  host.effective_capabilities = 0;
  host.descriptors_soft = 256;
  host.descriptors_hard = 4096;
  host.pmus = {"cpu", "uncore_imc_0", "software"};
  host.resctrl_known = host.bandwidth_monitoring = true;
  return host;
}

CheckReport sample() {
  CheckReport report;
  report.facts = facts_of(workstation());
  report.collectors = {{"perf", Problem{"kernel.perf_event_paranoid is 3", "x", "sudo sysctl y=2"}},
                       {"emulated", {}}};
  report.quantities = {{"t", "flop.f64", Scope::process, Problem{"one reason", "a", "do this"}},
                       {"t", "flop.f32", Scope::process, Problem{"one reason", "b", "do this"}},
                       {"t", "bytes.DRAM.read", Scope::socket, {}}};
  report.self_test = {{"perf", "flop.f64", "f64_256_fma", 1000, 500, ""},
                      {"perf", "bytes.DRAM.read", "read DRAM", 1000, std::nullopt, "not seen"}};
  report.notes = {
      "A note of the self-test that is long enough to be broken into two lines of a terminal."};
  report.problems = {{"no memory", "self-test", "free some"}};
  return report;
}

}  // namespace

TEST_CASE("what is in the way has its one command") {
  const auto facts = facts_of(workstation());
  CHECK(fact(facts, "perf_event_paranoid").fix == "sudo sysctl kernel.perf_event_paranoid=2");
  CHECK(fact(facts, "NMI watchdog").fix == "sudo sysctl kernel.nmi_watchdog=0");
  CHECK(fact(facts, "Open files").fix == "ulimit -n 4096");
  CHECK(fact(facts, "resctrl").fix == "sudo mount -t resctrl resctrl /sys/fs/resctrl");
  CHECK(fact(facts, "Uncore PMUs").value == "uncore_imc_0");
  CHECK(fact(facts, "Virtual machine").value == "no");
}

TEST_CASE("what is in nobody's way has none") {
  HostFacts host = workstation();
  host.effective_capabilities = std::uint64_t{1} << 38;
  host.nmi_watchdog = false;
  host.descriptors_soft = 65536;
  host.resctrl_mounted = "/sys/fs/resctrl";
  for (const Fact& one : facts_of(host)) {
    INFO(one.name);
    CHECK(one.fix.empty());
  }
  host.virtual_machine = true;
  host.hypervisor = "KVM";
  CHECK(fact(facts_of(host), "Virtual machine").value == "yes (KVM)");
}

TEST_CASE("a system that says nothing is described without a guess") {
  const auto facts = facts_of({});
  CHECK(fact(facts, "Kernel").value == "unknown");
  CHECK(fact(facts, "Seccomp").value == "unknown");
  CHECK(fact(facts, "NMI watchdog").value == "unknown");
  CHECK(fact(facts, "perf_event_paranoid").value.find("absent") == 0);
}

TEST_CASE("text keeps to 80 columns and says a shared reason once") {
  const std::string text = render_check_text(sample(), {80, false, false});
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = text.find('\n', start);
    REQUIRE(end != std::string::npos);
    INFO(text.substr(start, end - start));
    CHECK(text::columns(text.substr(start, end - start)) <= 80);
    start = end + 1;
  }
  const auto count = [&](const std::string& words) {
    std::size_t found = 0;
    for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1))
      ++found;
    return found;
  };
  CHECK(count("one reason") == 1);
  CHECK(count("Not: flop.f64, flop.f32") == 1);
  CHECK(count("Open and count: bytes.DRAM.read (socket)") == 1);
  CHECK(count("untrusted") == 2);  // the row and the sum
  CHECK(count("0 trusted, 1 untrusted, 1 not counted") == 1);
  CHECK(count("\033") == 0);
  CHECK(render_check_text(sample(), {80, false, true}).find("\033[31m") != std::string::npos);
}

TEST_CASE("JSON says the same") {
  const auto root = nlohmann::json::parse(render_check_json(sample()));
  CHECK(root["schema"] == "roofmark-check/1");
  CHECK(root["collectors"][0] == nlohmann::json({{"name", "perf"},
                                                 {"available", false},
                                                 {"reason", "kernel.perf_event_paranoid is 3"},
                                                 {"fix", "sudo sysctl y=2"}}));
  CHECK(root["collectors"][1] == nlohmann::json({{"name", "emulated"}, {"available", true}}));
  CHECK(root["self_test"][0]["factor"] == 0.5);
  CHECK(root["self_test"][0]["verdict"] == "untrusted");
  CHECK_FALSE(root["self_test"][1].contains("counted"));
  CHECK(root["self_test"][1]["verdict"] == "not_counted");
  CHECK(root["quantities"].size() == 3);
}

TEST_CASE("only a count that is wrong makes a report untrusted") {
  CheckReport report = sample();
  CHECK(report.untrusted());
  report.self_test.erase(report.self_test.begin());
  CHECK_FALSE(report.untrusted());
}

TEST_CASE("versions are in the names of libraries") {
  CHECK(version_in_name("/usr/lib/x86_64-linux-gnu/libpfm.so.4.13.0") == "4.13.0");
  CHECK(version_in_name("/usr/lib/libpapi.so.7.0.0.0") == "7.0.0.0");
  CHECK(version_in_name("/usr/lib/libpfm.so").empty());
}
