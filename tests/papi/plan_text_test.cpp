// The text that goes from the command to the program.
#include "collectors/papi/plan_text.hpp"

#include <cstring>
#include <memory>
#include <string>

#include "catch.hpp"

using namespace roofmark::papi;

namespace {

const std::string good =
    "roofmark-papi/1\n"
    "group thread perf_event 2\n"
    "event PAPI_TOT_CYC\n"
    "event perf::PAGE-FAULTS:u=1\n"
    "group process sde 1\n"
    "event sde:::FAKE::X\n"
    "end 3\n";

const char* wrong(const std::string& text) {
  const auto plan = std::make_unique<Plan>();
  const char* const sentence = parse_plan(text.data(), text.size(), *plan);
  if (sentence != nullptr) CHECK(plan->event_count + plan->group_count == 0);
  return sentence;
}

}  // namespace

TEST_CASE("a plan is read and written as the same text") {
  const auto plan = std::make_unique<Plan>();
  REQUIRE(parse_plan(good.data(), good.size(), *plan) == nullptr);
  REQUIRE(plan->group_count == 2);
  CHECK(plan->groups[0].extent == Extent::thread);
  CHECK(plan->groups[1].extent == Extent::process);
  CHECK(std::string(plan->groups[1].component) == "sde");
  CHECK(plan->groups[1].first == 2);
  CHECK(std::string(plan->events[1]) == "perf::PAGE-FAULTS:u=1");
  char text[most_plan_text];
  CHECK(write_plan(*plan, text, sizeof text) == good.size());
  CHECK(text == good);
  CHECK(write_plan(*plan, text, good.size()) == 0);  // no room for the NUL
  plan->groups[1].first = 1;
  CHECK(write_plan(*plan, text, sizeof text) == 0);
}

TEST_CASE("whatever is cut off, added or changed is refused") {
  for (std::size_t length = 0; length < good.size(); ++length) {
    INFO(good.substr(0, length));
    CHECK(wrong(good.substr(0, length)) != nullptr);
  }
  for (std::size_t at = 0; at < good.size(); ++at) {
    INFO(at);
    std::string text = good;
    text.insert(at, 1, '\n');
    CHECK(wrong(text) != nullptr);
  }
  for (const char* text :
       {"", "\n", "roofmark-papi/2\ngroup thread p 1\nevent A\nend 1\n", "roofmark-papi/1\nend 0\n",
        "roofmark-papi/1\nevent A\nend 1\n", "roofmark-papi/1\ngroup thread p 0\nend 0\n",
        "roofmark-papi/1\ngroup core p 1\nevent A\nend 1\n",
        "roofmark-papi/1\ngroup thread p 2\nevent A\nend 1\n",
        "roofmark-papi/1\ngroup thread p 1\nevent A B\nend 1\n",
        "roofmark-papi/1\ngroup thread p 1\nevent A \nend 1\n",
        "roofmark-papi/1\ngroup thread  p 1\nevent A\nend 1\n",
        "roofmark-papi/1\ngroup thread p 1\nevent A\nend 2\n",
        "roofmark-papi/1\ngroup thread p 1\nevent A\nend 1\nend 1\n",
        "roofmark-papi/1\ngroup thread p 65\nevent A\nend 1\n",
        "roofmark-papi/1\ngroup thread p -1\nevent A\nend 1\n"}) {
    INFO(text);
    CHECK(wrong(text) != nullptr);
  }
}

TEST_CASE("names have their limits, to the last byte") {
  const auto with = [](const std::string& component, const std::string& event) {
    return "roofmark-papi/1\ngroup device " + component + " 1\nevent " + event + "\nend 1\n";
  };
  CHECK(wrong(with(std::string(most_component - 1, 'c'), std::string(most_name - 1, 'e'))) ==
        nullptr);
  CHECK(wrong(with(std::string(most_component, 'c'), "e")) != nullptr);
  CHECK(wrong(with("c", std::string(most_name, 'e'))) != nullptr);
  CHECK(wrong(with("c", "\xc3\xa9")) != nullptr);
  std::string many = "roofmark-papi/1\ngroup thread p 64\n";
  for (int i = 0; i < 64; ++i) many += "event A\n";
  CHECK(wrong(many + "end 64\n") == nullptr);
  CHECK(wrong(many + "group thread p 1\nevent A\nend 65\n") != nullptr);
}
