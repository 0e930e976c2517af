// Regions of one thread.
#include <cmath>
#include <string>

#include "catch.hpp"
#include "recorded.hpp"

TEST_CASE("nested regions: visits, declared work, every number of a node") {
  const Recorded run = record("runtime_target", "nested");
  REQUIRE(run.exit_status == 0);
  REQUIRE(run.problems.empty());
  REQUIRE(run.processes.size() == 1);
  const auto& process = run.processes.front();
  REQUIRE(process.damage.empty());
  REQUIRE(process.ended);
  REQUIRE_FALSE(process.truncated);
  REQUIRE(process.executable.find("runtime_target") != std::string::npos);
  REQUIRE(process.marker_ticks > 0);
  REQUIRE(process.marker_inner_ticks > 0);
  REQUIRE(process.marker_inner_ticks <= process.marker_ticks);

  REQUIRE(total(run, "solve").visits == 1);
  REQUIRE(total(run, "solve").flop == 5.0);
  REQUIRE(total(run, "solve|spmv").visits == 10);
  REQUIRE(total(run, "solve|spmv").flop == 20.0);
  REQUIRE(total(run, "solve|spmv").bytes == 120.0);
  REQUIRE(process.threads.size() == 1);
  const auto& thread = process.threads.front();
  REQUIRE(thread.main);
  REQUIRE_FALSE(thread.cpus.empty());
  REQUIRE(thread.nodes.size() == 2);
  const auto& solve = thread.nodes[0];
  const auto& spmv = thread.nodes[1];
  REQUIRE(thread.descendant_visits(0) == 10);
  REQUIRE(thread.descendant_visits(1) == 0);
  REQUIRE(spmv.sum_ticks <= solve.sum_ticks);
  REQUIRE(spmv.min_ticks <= spmv.max_ticks);
  REQUIRE(spmv.min_ticks * 10 <= spmv.sum_ticks);
  REQUIRE(spmv.max_ticks * 10 >= spmv.sum_ticks);
  // Mean of squares is at least the square of the mean and at most that of the largest.
  const double mean = static_cast<double>(spmv.sum_ticks) / 10;
  REQUIRE(spmv.sum_of_squares / 10 >= mean * mean * 0.999);
  REQUIRE(spmv.sum_of_squares / 10 <= std::pow(static_cast<double>(spmv.max_ticks), 2));
  REQUIRE(spmv.first_entry >= solve.first_entry);
  REQUIRE(spmv.last_exit <= solve.last_exit);
  REQUIRE(spmv.first_visit_ticks >= spmv.min_ticks);
  std::uint64_t counted = 0;
  for (const auto count : spmv.histogram.counts) counted += count;
  REQUIRE(counted == 10);
  const double median = spmv.histogram.quantile(0.5).value();
  REQUIRE(median >= static_cast<double>(spmv.min_ticks) * 0.75);
  REQUIRE(median <= static_cast<double>(spmv.max_ticks) * 1.25);
}

TEST_CASE("exceptions close every region on their way, recursion makes a path of its own") {
  const Recorded run = record("runtime_target", "exceptions");
  REQUIRE(run.exit_status == 0);
  REQUIRE(total(run, "outer|thrower").visits == 5);
  REQUIRE(total(run, "outer|thrower|thrower|thrower").visits == 5);
  REQUIRE(total(run, "outer|caught").visits == 5);
  REQUIRE(run.processes.front().stale_exits == 0);
}

TEST_CASE("times are right, by the counter and by the system's clock") {
  for (const std::string clock : {"", "monotonic_raw"}) {
    RunOptions options;
    options.environment = {"ROOFMARK_CLOCK=" + clock};
    const Recorded run = record("runtime_target", "sleeps", options);
    REQUIRE(run.processes.size() == 1);
    const auto& process = run.processes.front();
    if (!clock.empty()) REQUIRE(process.calibration.clock == clock);
    const double seconds =
        static_cast<double>(total(run, "sleep").ticks) / process.ticks_per_second().value();
    REQUIRE(seconds >= 0.0999);
    // The calibration of the counter over a run this short is good to 1 %.
    REQUIRE(seconds <= 1.01 * std::stod(run.output) + 1e-5);
  }
}

TEST_CASE("names may hold any bytes; too long ones go to (other)") {
  const Recorded run = record("runtime_target", "odd names");
  REQUIRE(run.exit_status == 0);
  for (const std::string& name :
       {std::string("\"quoted\""), std::string("line\nbreak"), std::string("</script>"),
        std::string("\xff\xfe\x80"), std::string("nul\0inside", 10), std::string(4096, 'x'),
        std::string("a/b")}) {
    INFO(name);
    REQUIRE(total(run, name).visits == 1);
    REQUIRE(total(run, name + "|below").visits == 1);
  }
  const auto& nodes = run.processes.front().threads.front().nodes;
  REQUIRE(std::count_if(nodes.begin(), nodes.end(), [](const auto& node) {
            return node.name.empty() && node.visits == 1;
          }) == 1);
  REQUIRE(total(run, "(other)").visits == 1);
  REQUIRE(run.processes.front().truncated);
  REQUIRE(run.processes.front().truncated_reason.find("4096") != std::string::npos);
}

TEST_CASE("100000 distinct names") {
  const Recorded run = record("runtime_target", "many names");
  REQUIRE(run.exit_status == 0);
  const auto& process = run.processes.front();
  REQUIRE_FALSE(process.truncated);
  REQUIRE(process.threads.front().nodes.size() == 100000);
  for (const auto& node : process.threads.front().nodes) REQUIRE(node.visits == 2);
  REQUIRE(total(run, "name 99999").visits == 2);
}

TEST_CASE("signal handlers may be annotated, whatever they interrupt") {
  const Recorded run = record("runtime_target", "signals");
  REQUIRE(run.exit_status == 0);
  const auto handled = static_cast<std::uint64_t>(std::stoul(run.output));
  REQUIRE(handled >= 1000);
  std::uint64_t handlers = 0, below = 0;
  for (const auto& node : run.processes.front().threads.front().nodes) {
    REQUIRE_FALSE(node.torn);
    REQUIRE_FALSE(node.mismatched);
    if (node.name == "handler") handlers += node.visits;
    if (node.name.rfind("new ", 0) == 0) below += node.visits;
  }
  REQUIRE(handlers == handled);
  REQUIRE(below == handled);
  REQUIRE(total(run, "loop").visits == total(run, "loop|body").visits);
  REQUIRE(run.processes.front().stale_exits == 0);
}

TEST_CASE("C: begin and end") {
  const Recorded run = record("runtime_target_c", "nested");
  REQUIRE(run.exit_status == 0);
  REQUIRE(total(run, "outer").visits == 1);
  REQUIRE(total(run, "outer|inner").visits == 10);
  REQUIRE(total(run, "outer|inner").flop == 20.0);
  REQUIRE(total(run, "outer|inner").bytes == 240.0);
}

TEST_CASE("bad nesting is flagged and does not spread") {
  const Recorded run = record("runtime_target_c", "mismatched");
  REQUIRE(run.exit_status == 0);
  REQUIRE(total(run, "outer").visits == 1);
  REQUIRE_FALSE(total(run, "outer").mismatched);
  REQUIRE(total(run, "outer|forgotten").mismatched);
  REQUIRE(total(run, "outer|forgotten|deeper").mismatched);
  REQUIRE(total(run, "after").visits == 1);
  REQUIRE_FALSE(total(run, "after").mismatched);
  REQUIRE(run.processes.front().stale_exits == 1);
}

TEST_CASE("a scope that outlives the one around it") {
  const Recorded run = record("runtime_target", "out of order");
  REQUIRE(run.exit_status == 0);
  REQUIRE(total(run, "outer").visits == 1);
  REQUIRE(total(run, "outer|inner").visits == 1);
  REQUIRE(total(run, "outer|inner").mismatched);
  REQUIRE(total(run, "after").visits == 1);
  REQUIRE(total(run, "last").visits == 1);
  REQUIRE(run.processes.front().stale_exits == 1);
}
