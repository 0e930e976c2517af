// The text that goes from the command to the plug-in.
#include "collectors/cupti/plan_text.hpp"

#include "catch.hpp"

using namespace roofmark;
using namespace roofmark::cupti;

namespace {

const std::string good =
    "roofmark-gpu-plan/1\n"
    "kind counters\n"
    "results /tmp/a directory/with blanks\n"
    "limit launches 10\n"
    "limit kernels 20\n"
    "limit ranges 30\n"
    "set hw\n"
    "replay kernel\n"
    "chip GA100\n"
    "metric dram__bytes.sum\n"
    "chip GH100\n"
    "metric dram__bytes.sum\n"
    "metric lts__t_bytes.sum\n"
    "end 13\n";

std::string problem_of(const std::string& text) {
  const auto plan = parse_plan(text);
  return plan ? "" : plan.error().where + ": " + plan.error().reason;
}

}  // namespace

TEST_CASE("a plan for the GPU is read and written as the same text") {
  const auto plan = parse_plan(good);
  REQUIRE(plan);
  CHECK(plan->kind == RunKind::counters);
  CHECK(plan->set == "hw");
  CHECK(plan->replay == Replay::kernel);
  CHECK(plan->results_directory == "/tmp/a directory/with blanks");
  CHECK(plan->metrics.at("GH100") ==
        std::vector<std::string>{"dram__bytes.sum", "lts__t_bytes.sum"});
  CHECK(plan->limits.launches == 10);
  CHECK(plan->limits.kernels == 20);
  CHECK(plan->limits.ranges == 30);
  const auto text = plan_text(*plan);
  REQUIRE(text);
  CHECK(*text == good);

  GpuRunPlan times;
  times.results_directory = "/tmp";
  const auto text_of_times = plan_text(times);
  REQUIRE(text_of_times);
  const auto again = parse_plan(*text_of_times);
  REQUIRE(again);
  CHECK(again->kind == RunKind::activity);
  CHECK(again->limits.launches == GpuLimits{}.launches);
}

TEST_CASE("a plan for the GPU that was cut off, added to or changed is refused") {
  for (std::size_t length = 0; length < good.size(); ++length) {
    INFO(good.substr(0, length));
    CHECK(!problem_of(good.substr(0, length)).empty());
  }
  for (std::size_t at = 0; at < good.size(); ++at) {
    INFO(at);
    CHECK(!problem_of(std::string(good).insert(at, 1, '\n')).empty());
  }
  CHECK(!problem_of(good + "x\n").empty());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return problem_of(text.replace(text.find(from), from.size(), to));
  };
  CHECK(with("plan/1", "plan/2") == "line 1: it is no GPU plan of this version");
  CHECK(with("kind counters", "kind others") == "line 2: a line has no good value");
  CHECK(with("results /", "results ") == "line 3: a line has no good value");
  CHECK(with("limit ranges 30", "limit ranges 0") == "line 14: a limit is 0");
  CHECK(with("limit ranges 30", "limit ranges -1") == "line 6: a limit has no number");
  CHECK(with("limit ranges", "limit apples") == "line 6: a limit of something unknown");
  CHECK(with("set hw", "kind counters") == "line 7: something is said twice");
  CHECK(with("chip GH100", "chip GA100") == "line 11: a chip is there twice");
  CHECK(with("metric dram__bytes.sum\nchip", "chip X\nchip") == "line 14: a chip has no metrics");
  CHECK(with("chip GA100", "set hw") == "line 9: something is said twice");
  CHECK(with("kind counters", "kind activity") == "line 14: a run for times counts no metrics");
}

TEST_CASE("a plan for the GPU that can't be written as lines has no text") {
  GpuRunPlan plan;
  plan.results_directory = "relative";
  CHECK_FALSE(plan_text(plan));
  plan.results_directory = "/with\nnewline";
  CHECK_FALSE(plan_text(plan));
  plan.results_directory = "/tmp";
  CHECK(plan_text(plan));
  plan.kind = RunKind::counters;
  CHECK_FALSE(plan_text(plan));
  plan.set = "hw";
  CHECK_FALSE(plan_text(plan));
  plan.metrics["GH100"] = {};
  CHECK_FALSE(plan_text(plan));
  plan.metrics["GH100"] = {"two words"};
  CHECK_FALSE(plan_text(plan));
  plan.metrics["GH100"] = {"word"};
  CHECK(plan_text(plan));
}
