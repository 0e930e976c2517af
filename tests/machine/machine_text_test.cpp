#include "analysis/machine/machine_text.hpp"

#include <sstream>

#include "catch.hpp"

using namespace roofmark;

namespace {

Machine machine_in_text() {
  Machine machine;
  machine.identity = {{"cpu_model", "Some CPU"}, {"virtual", "kvm"}};
  machine.topology.cores = 2;
  machine.topology.caches = {{"L1", 49152, 12, 64, 1, 49152, 1.25e-9},
                             {"L3", 503316480, 20, 64, 2, std::nullopt, std::nullopt}};
  for (const unsigned threads : {1U, 2U}) {
    ComputeCeiling compute;
    compute.isa = "avx2";
    compute.width_bits = 256;
    compute.scope = threads == 1 ? "core" : "machine";
    compute.threads = threads;
    compute.flop_per_s = 40e9 * threads;
    compute.flop_per_cycle = 16 * threads;
    machine.compute.push_back(compute);
    BandwidthCeiling bandwidth;
    bandwidth.level = "DRAM";
    bandwidth.pattern = "triad";
    bandwidth.scope = compute.scope;
    bandwidth.threads = threads;
    bandwidth.interface_bytes_per_s = 12.3e9 * threads;
    bandwidth.flags = {"noisy"};
    for (const char* pattern : {"read", "triad", "triad_nt"}) {
      bandwidth.pattern = pattern;
      machine.bandwidth.push_back(bandwidth);
    }
  }
  machine.notes = {std::string(200, 'x') +
                   " a long note that has to be broken into several lines of text"};
  machine.notes[0][40] = ' ';
  machine.notes[0][100] = ' ';
  return machine;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

}  // namespace

TEST_CASE("memory in small pages has rows of its own, and a sentence") {
  Machine machine = machine_in_text();
  MachineTextOptions options;
  CHECK(count_of(render_machine_text(machine, options), "4 KiB") == 0);
  const auto large = machine.bandwidth;
  for (BandwidthCeiling& ceiling : machine.bandwidth) ceiling.page_bytes = 2 << 20;
  for (BandwidthCeiling ceiling : large) {
    ceiling.page_bytes = 4096;
    ceiling.interface_bytes_per_s = 7.7e9;
    machine.bandwidth.push_back(ceiling);
  }
  const std::string text = render_machine_text(machine, options);
  CHECK(count_of(text, "DRAM, 4 KiB ") == 2);  // one core, two cores
  CHECK(count_of(text, "7.7") == 6);
  CHECK(text.find("pages of that size") != std::string::npos);
}

TEST_CASE("the table holds the numbers and fits 80 columns") {
  Machine machine = machine_in_text();
  const std::string text = render_machine_text(machine);
  CHECK(text.find("Some CPU") == 0);
  CHECK(text.find("avx2 fma") != std::string::npos);
  CHECK(text.find("40.0") != std::string::npos);
  CHECK(text.find("80.0") != std::string::npos);
  CHECK(text.find("16.0") != std::string::npos);
  CHECK(text.find("12.3~") != std::string::npos);
  CHECK(text.find("480 MiB") != std::string::npos);
  machine.notes = {
      "words of a note that goes on and on and on until a second line has to take its end"};
  std::istringstream lines(render_machine_text(machine));
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(line.size() <= 80);
    CHECK((line.empty() || line.back() != ' '));
  }
}

TEST_CASE("each kind of memory has its row; remote memory and hardware threads stand apart") {
  Machine machine = machine_in_text();
  const std::string without = render_machine_text(machine);
  CHECK(without.find("part") == std::string::npos);
  BandwidthCeiling fast = machine.bandwidth.front();
  fast.level = "HBM";
  fast.pattern = "read";
  fast.interface_bytes_per_s = 33.3e9;
  machine.bandwidth.push_back(fast);
  BandwidthCeiling far = machine.bandwidth.front();
  far.placement = "remote";
  far.memory_node = 3;
  far.interface_bytes_per_s = 4.44e9;
  machine.apart_bandwidth = {far};
  far.scope = "numa";
  far.threads = 8;
  far.interface_bytes_per_s = 5.55e9;
  machine.apart_bandwidth.push_back(far);
  far.placement = "smt";
  far.scope = "core";
  far.threads = 2;
  far.memory_node.reset();
  far.interface_bytes_per_s = 6.66e9;
  machine.apart_bandwidth.push_back(far);
  ComputeCeiling both = machine.compute.front();
  both.placement = "smt";
  both.threads = 2;
  both.flop_per_s = 41.4e9;
  machine.apart_compute = {both};
  machine.notes.clear();
  const std::string text = render_machine_text(machine);
  // Before the first table that stands apart nothing has changed but the row of the other kind.
  const std::size_t apart = text.find("Apart, and never a roof: memory of another NUMA node");
  REQUIRE(apart != std::string::npos);
  CHECK(count_of(text.substr(0, apart), "\nHBM ") == 1);
  for (const char* number : {"4.44", "5.55", "6.66", "41.4"}) {
    INFO(number);
    CHECK(text.substr(0, apart).find(number) == std::string::npos);
    CHECK(count_of(text.substr(apart), number) == 1);
  }
  CHECK(count_of(text, "DRAM, node 3") == 2);
  CHECK(text.find("all 2 hardware threads of one core") != std::string::npos);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(line.size() <= 80);
  }
}

TEST_CASE("an empty machine is no crash and has no tables") {
  const std::string text = render_machine_text(Machine{});
  CHECK(text.find("GFLOP") == std::string::npos);
  CHECK(text.find("GB/s") == std::string::npos);
}

TEST_CASE("a value that was not measured is a dash") {
  Machine machine = machine_in_text();
  machine.compute.resize(1);
  machine.compute[0].flop_per_cycle = 0;
  const std::string text = render_machine_text(machine);
  CHECK(text.find(" -") != std::string::npos);
  CHECK(text.find("nan") == std::string::npos);
  CHECK(text.find("inf") == std::string::npos);
}

TEST_CASE("no control character of a machine file reaches a terminal") {
  Machine machine = machine_in_text();
  machine.identity["cpu_model"] =
      "\x1b[31mred\x07 \xc2\x9b"
      "1m \xc2\xb5";
  machine.notes = {"a note\x1b]0;title\x7f"};
  MachineTextOptions options;
  const std::string text = render_machine_text(machine, options);
  for (const char c : {'\x1b', '\x07', '\x7f', '\r'}) CHECK(text.find(c) == text.npos);
  CHECK(text.find("\xc2\x9b") == text.npos);
  CHECK(text.find("\xef\xbf\xbd[31mred\xef\xbf\xbd \xef\xbf\xbd"
                  "1m \xc2\xb5") != text.npos);
  options.utf8 = false;
  CHECK(render_machine_text(machine, options).find("?[31mred? ?1m u") != text.npos);
}
