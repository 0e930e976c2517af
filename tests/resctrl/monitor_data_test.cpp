// What the files of a monitor group say, and what two looks at them mean.
#include "collectors/resctrl/monitor_data.hpp"

#include <limits>

#include "catch.hpp"

using namespace roofmark;
using namespace roofmark::resctrl;

namespace {

Counter value(std::uint64_t bytes) {
  return {State::counted, bytes, 0};
}

Reading look_at(double time_s, std::vector<Counter> totals) {
  Reading reading;
  reading.time_s = time_s;
  for (unsigned i = 0; i < totals.size(); ++i) reading.domains[i] = {totals[i], value(1)};
  return reading;
}

Problem refused(const Reading& before, const Reading& after) {
  const auto bytes = traffic(before, after, Event::total, "/r");
  REQUIRE_FALSE(bytes.has_value());
  CHECK_FALSE(bytes.error().remedy.empty());
  return bytes.error();
}

}  // namespace

TEST_CASE("a counter's file holds a number or one of the kernel's words") {
  CHECK(parse_counter("0\n").state == State::counted);
  CHECK(parse_counter("0\n").bytes == 0);
  CHECK(parse_counter("18446744073709551615\n").bytes == 18446744073709551615U);
  CHECK(parse_counter("42").bytes == 42);
  CHECK(parse_counter("Unavailable\n").state == State::unavailable);
  CHECK(parse_counter("Error\n").state == State::error);
  CHECK(parse_counter("Unassigned\n").state == State::unassigned);
  for (const char* text :
       {"", "\n", "-1\n", "12 \n", " 12\n", "12\n\n", "0x10\n", "1e3\n", "unavailable\n",
        "18446744073709551616\n", "12Unavailable\n", "Unavailable 12\n"}) {
    INFO('"' << text << '"');
    CHECK(parse_counter(text).state == State::malformed);
    CHECK(parse_counter(text).bytes == 0);
  }
  // A byte string with a NUL in it is no number.
  CHECK(parse_counter(std::string_view("1\0002\n", 4)).state == State::malformed);
}

TEST_CASE("only last-level caches are domains") {
  CHECK(domain_of("mon_L3_00") == 0U);
  CHECK(domain_of("mon_L3_07") == 7U);
  CHECK(domain_of("mon_L3_128") == 128U);
  for (const char* name : {"mon_L3_", "mon_L3_0x", "mon_L3_00_extra", "mon_PERF_PKG_00",
                           "mon_sub_L3_00", "mon_L3_-1", "mon_L2_00", ""}) {
    INFO(name);
    CHECK_FALSE(domain_of(name).has_value());
  }
}

TEST_CASE("traffic is the sum of what every cache advanced") {
  const auto bytes = traffic(look_at(1, {value(100), value(7)}),
                             look_at(2, {value(1100), value(57)}), Event::total, "/r");
  REQUIRE(bytes.has_value());
  CHECK(*bytes == 1050);
  // A zero that was counted is a zero.
  const auto none = traffic(look_at(1, {value(9)}), look_at(2, {value(9)}), Event::total, "/r");
  REQUIRE(none.has_value());
  CHECK(*none == 0);
  const auto local = traffic(look_at(1, {{}, {}}), look_at(2, {{}, {}}), Event::local, "/r");
  REQUIRE(local.has_value());  // the other counter does not matter
}

TEST_CASE("one cache that was not counted makes no sum, before or after") {
  const std::pair<State, const char*> words[] = {
      {State::unavailable, "Unavailable"},      {State::error, "Error"},
      {State::unassigned, "Unassigned"},        {State::absent, "no such counter"},
      {State::unreadable, "Permission denied"}, {State::malformed, "neither a number"}};
  for (const auto& [state, word] : words) {
    INFO(word);
    const Counter bad{state, 0, state == State::unreadable ? EACCES : 0};
    const Problem after = refused(look_at(1, {value(1), value(1)}), look_at(2, {value(5), bad}));
    CHECK(after.reason.find(word) != std::string::npos);
    CHECK(after.where == "mon_L3_01/mbm_total_bytes");
    const Problem before = refused(look_at(1, {bad, value(1)}), look_at(2, {value(5), value(5)}));
    CHECK(before.reason.find(word) != std::string::npos);
    CHECK(before.where == "mon_L3_00/mbm_total_bytes");
  }
}

TEST_CASE("a cache that came or went during the run is said") {
  const Problem went = refused(look_at(1, {value(1), value(1)}), look_at(2, {value(5)}));
  CHECK(went.where == "mon_L3_01/mbm_total_bytes");
  const Problem came = refused(look_at(1, {value(1)}), look_at(2, {value(5), value(5)}));
  CHECK(came.where == "mon_L3_01/mbm_total_bytes");
  CHECK(refused(look_at(1, {}), look_at(2, {})).remedy.find("/r/mon_data") != std::string::npos);
  CHECK(refused(look_at(1, {value(1)}), look_at(2, {})).reason.find("no last-level cache") !=
        std::string::npos);
}

TEST_CASE("a value that goes backwards was set back, unless it wrapped at its top") {
  const Problem back = refused(look_at(1, {value(5000)}), look_at(2, {value(4999)}));
  CHECK(back.reason.find("went backwards, from 5000 to 4999") != std::string::npos);
  refused(look_at(1, {value(5000)}), look_at(2, {value(0)}));
  refused(look_at(1, {value(std::uint64_t{1} << 63)}), look_at(2, {value(0)}));

  const std::uint64_t top = std::numeric_limits<std::uint64_t>::max();
  const auto wrapped =
      traffic(look_at(1, {value(top - 99)}), look_at(2, {value(900)}), Event::total, "/r");
  REQUIRE(wrapped.has_value());
  CHECK(*wrapped == 1000);
  // More than any memory moves in that time is no wrap. In no time nothing is moved.
  refused(look_at(1, {value(top)}), look_at(2, {value(std::uint64_t{1} << 60)}));
  refused(look_at(2, {value(top)}), look_at(2, {value(900)}));
  refused(look_at(2, {value(top)}), look_at(1, {value(900)}));
}
