// The text of a plan: whole or refused.
#include <cstring>
#include <string>

#include "catch.hpp"
#include "collectors/perf/flat_plan.hpp"

using namespace roofmark::perf;

namespace {

const std::string sample =
    "roofmark-perf/1\n"
    "group thread 2\n"
    "event 4 f003 0 0 3 0\n"
    "event 5 0 7ffff0001000 8 1 2\n"
    "group cpu 12 1\n"
    "event 20 304 0 ffffffffffffffff 0 0\n"
    "end 3\n";

/// Null where it is accepted.
const char* refusal(const std::string& text, unsigned* at = nullptr) {
  FlatPlan plan;
  unsigned line = 0;
  const char* const wrong = parse_plan(text.data(), text.size(), plan, line);
  if (at != nullptr) *at = line;
  if (wrong != nullptr) {
    CHECK(plan.group_count == 0);
    CHECK(plan.event_count == 0);
  }
  return wrong;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a plan is read as it was written") {
  FlatPlan plan;
  unsigned line = 0;
  REQUIRE(parse_plan(sample.data(), sample.size(), plan, line) == nullptr);
  REQUIRE(plan.group_count == 2);
  REQUIRE(plan.event_count == 3);
  CHECK(plan.groups[0].cpu == -1);
  CHECK(plan.groups[0].count == 2);
  CHECK(plan.groups[1].cpu == 12);
  CHECK(plan.groups[1].first == 2);
  CHECK(plan.events[0].config == 0xf003);
  CHECK(plan.events[0].exclude == (exclude_kernel | exclude_hypervisor));
  CHECK(plan.events[1].config1 == 0x7ffff0001000);
  CHECK(plan.events[1].breakpoint == 2);
  CHECK(plan.events[2].config2 == ~std::uint64_t{0});
  char text[most_plan_text];
  const std::size_t length = write_plan(plan, text, sizeof text);
  CHECK(std::string(text, length) == sample);
  CHECK(std::strlen(text) == length);
}

TEST_CASE("the largest plan has room in its text and comes back") {
  FlatPlan plan;
  for (unsigned e = 0; e < most_events; ++e)
    plan.events[plan.event_count++] = {UINT32_MAX, 7, 7, UINT64_MAX, UINT64_MAX, UINT64_MAX};
  const unsigned each = most_events / most_groups;
  for (unsigned g = 0; g < most_groups; ++g)
    plan.groups[plan.group_count++] = {INT32_MAX, static_cast<std::uint16_t>(g * each),
                                       static_cast<std::uint16_t>(each)};
  static char text[most_plan_text];
  const std::size_t length = write_plan(plan, text, sizeof text);
  REQUIRE(length > 0);
  CHECK(refusal(std::string(text, length)) == nullptr);
  CHECK(write_plan(plan, text, length) == 0);  // no room for the NUL
  CHECK(write_plan(plan, text, length + 1) == length);
}

TEST_CASE("a plan cut off anywhere is refused") {
  for (std::size_t length = 0; length < sample.size(); ++length) {
    INFO(length);
    CHECK(refusal(sample.substr(0, length)) != nullptr);
  }
}

TEST_CASE("a damaged plan is refused, with the line") {
  const std::pair<const char*, const char*> damages[] = {{"perf/1", "perf/2"},
                                                         {"thread 2", "thread 3"},
                                                         {"thread 2", "thread 1"},
                                                         {"thread 2", "thread 0"},
                                                         {"thread 2", "thread 17"},
                                                         {"thread 2", "thread 2 "},
                                                         {"thread", "process"},
                                                         {"cpu 12", "cpu -1"},
                                                         {"cpu 12", "cpu"},
                                                         {"cpu 12", "cpu 2147483648"},
                                                         {"event 4 f003", "event 4"},
                                                         {"event 4", "event 4294967296"},
                                                         {"f003", "F003"},
                                                         {"f003", "0xf003"},
                                                         {"f003", "10000000000000000"},
                                                         {"f003", "00f003"},
                                                         {"f003", ""},
                                                         {"f003 0", "f003  0"},
                                                         {" 0 3 0\n", " 0 8 0\n"},
                                                         {" 0 3 0\n", " 0 3 0 0\n"},
                                                         {" 1 2\n", " 1 8\n"},
                                                         {"end 3", "end 2"},
                                                         {"end 3", "end"},
                                                         {"end 3\n", "end 3\nend 3\n"},
                                                         {"end 3\n", "end 3\n\n"},
                                                         {"group cpu", "\ngroup cpu"},
                                                         {"event 20", "Event 20"}};
  for (const auto& [from, to] : damages) {
    INFO(from << " -> " << to);
    unsigned line = 0;
    CHECK(refusal(replaced(sample, from, to), &line) != nullptr);
    CHECK(line >= 1);
  }
  unsigned line = 0;
  CHECK(refusal(replaced(sample, "f003", "x"), &line) != nullptr);
  CHECK(line == 3);
  CHECK(refusal("") != nullptr);
  CHECK(refusal("roofmark-perf/1\nend 0\n") != nullptr);
  std::string with_nul = sample;
  with_nul[20] = '\0';
  CHECK(refusal(with_nul) != nullptr);
}

TEST_CASE("more groups or events than a plan holds are refused") {
  std::string text = "roofmark-perf/1\n";
  for (unsigned g = 0; g <= most_groups; ++g) text += "group thread 1\nevent 1 2 0 0 0 0\n";
  CHECK(refusal(text + "end 65\n") == std::string("there are too many groups"));
  text = "roofmark-perf/1\n";
  for (unsigned g = 0; g < 17; ++g) {
    text += "group thread 16\n";
    for (unsigned e = 0; e < 16; ++e) text += "event 1 2 0 0 0 0\n";
  }
  CHECK(refusal(text + "end 272\n") == std::string("there are too many events"));
}

TEST_CASE("what is no plan is not written") {
  char text[256];
  FlatPlan plan;
  CHECK(write_plan(plan, text, sizeof text) == 0);
  plan.group_count = 1;
  plan.groups[0] = {-1, 0, 2};
  plan.event_count = 1;
  CHECK(write_plan(plan, text, sizeof text) == 0);
  plan.groups[0] = {-1, 0, 1};
  plan.event_count = 2;  // one event is in no group
  CHECK(write_plan(plan, text, sizeof text) == 0);
}
