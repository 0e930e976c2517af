// The arithmetic of readings, and the kernel's protocol for reading without a system call, with a
// page and counters that the test plays.
#include <cstring>

#include "catch.hpp"
#include "collectors/perf/group.hpp"
#include "collectors/perf/user_read.hpp"

using namespace roofmark::perf;

namespace {

Reading reading(std::uint64_t value, std::uint64_t enabled, std::uint64_t running) {
  Reading made;
  made.count = 1;
  made.values[0] = value;
  made.enabled_ns = enabled;
  made.running_ns = running;
  return made;
}

perf_event_mmap_page running_page() {
  perf_event_mmap_page page;
  std::memset(&page, 0, sizeof page);
  page.cap_user_rdpmc = 1;
  page.cap_user_time = 1;
  page.index = 3;
  page.pmc_width = 48;
  page.offset = 1000;
  page.time_enabled = 5000;
  page.time_running = 4000;
  page.time_mult = 1U << 10U;
  page.time_shift = 10;  // one tick is one nanosecond
  page.time_offset = 0;
  return page;
}

}  // namespace

TEST_CASE("a counter of any width may wrap once") {
  CHECK(wrapped_difference(5, 12, 32) == 7);
  CHECK(wrapped_difference(0xffffffff, 4, 32) == 5);
  CHECK(wrapped_difference(0xffffffffffff, 4, 48) == 5);
  CHECK(wrapped_difference(~std::uint64_t{0}, 4, 64) == 5);
  CHECK(wrapped_difference(7, 7, 32) == 0);
}

TEST_CASE("counted, counted in part and not counted are three things") {
  const Difference whole = difference(reading(10, 100, 50), reading(30, 200, 150));
  CHECK(whole.ran == Ran::whole);
  CHECK(whole.values[0] == 20);
  const Difference part = difference(reading(10, 100, 50), reading(30, 200, 75));
  CHECK(part.ran == Ran::part);
  std::uint64_t scaled = 0;
  double factor = 0;
  REQUIRE(scale(part.values[0], part, scaled, factor));
  CHECK(scaled == 80);
  CHECK(factor == 4);
  REQUIRE(scale(whole.values[0], whole, scaled, factor));
  CHECK(scaled == 20);
  CHECK(factor == 1);
  const Difference absent = difference(reading(10, 100, 50), reading(10, 200, 50));
  CHECK(absent.ran == Ran::not_at_all);
  CHECK_FALSE(scale(absent.values[0], absent, scaled, factor));
  // A measured zero is a zero.
  CHECK(difference(reading(10, 100, 50), reading(10, 200, 150)).ran == Ran::whole);
  // A thread that did not run in between missed nothing.
  CHECK(difference(reading(10, 100, 50), reading(10, 100, 50)).ran == Ran::whole);
  CHECK(difference(Reading{}, reading(10, 100, 50)).ran == Ran::not_at_all);
}

TEST_CASE("scaling is exact beyond 64 bits of the product") {
  const Difference part =
      difference(reading(0, 0, 0), reading(0, 3'600'000'000'000, 900'000'000'000));
  std::uint64_t scaled = 0;
  double factor = 0;
  REQUIRE(scale(1'000'000'000'000'000'000, part, scaled, factor));
  CHECK(scaled == 4'000'000'000'000'000'000);
}

TEST_CASE("a page and its counter make a value") {
  const perf_event_mmap_page page = running_page();
  UserValue value;
  std::uint32_t asked = 99;
  const auto counter = [&](std::uint32_t index) {
    asked = index;
    return std::uint64_t{234};
  };
  REQUIRE(read_by_page(
      &page, counter, [] { return std::uint64_t{70}; }, value));
  CHECK(asked == 2);
  CHECK(value.value == 1234);
  CHECK(value.enabled_ns == 5070);
  CHECK(value.running_ns == 4070);
  // The kernel starts a counter below zero, so that it overflows: the sign is extended.
  const auto below = [](std::uint32_t) { return (std::uint64_t{1} << 48) - 300; };
  REQUIRE(read_by_page(
      &page, below, [] { return std::uint64_t{0}; }, value));
  CHECK(value.value == 700);
}

TEST_CASE("what may not be read so is left to the kernel") {
  const auto counter = [](std::uint32_t) { return std::uint64_t{1}; };
  const auto clock = [] { return std::uint64_t{1}; };
  UserValue value;
  perf_event_mmap_page page = running_page();
  page.index = 0;  // not on a counter at this moment
  CHECK_FALSE(read_by_page(&page, counter, clock, value));
  page = running_page();
  page.cap_user_rdpmc = 0;
  CHECK_FALSE(read_by_page(&page, counter, clock, value));
  page = running_page();
  page.cap_user_time = 0;
  CHECK_FALSE(read_by_page(&page, counter, clock, value));
}

TEST_CASE("a page that changes meanwhile is read again") {
  perf_event_mmap_page page = running_page();
  unsigned reads = 0;
  const auto moved = [&](std::uint32_t) {
    if (++reads == 1) {  // the thread lost the CPU and came back on another counter
      page.lock += 2;
      page.offset = 2000;
      page.index = 5;
    }
    return std::uint64_t{7};
  };
  UserValue value;
  REQUIRE(read_by_page(
      &page, moved, [] { return std::uint64_t{0}; }, value));
  CHECK(reads == 2);
  CHECK(value.value == 2007);
  const auto restless = [&](std::uint32_t) {
    ++page.lock;
    return std::uint64_t{7};
  };
  CHECK_FALSE(read_by_page(
      &page, restless, [] { return std::uint64_t{0}; }, value));
}

TEST_CASE("a counter whose group has told its times is read by the same protocol") {
  const auto counter = [](std::uint32_t index) { return std::uint64_t{234} + index; };
  perf_event_mmap_page page = running_page();
  std::uint64_t value = 0;
  REQUIRE(read_by_page(&page, counter, value));
  CHECK(value == 1236);
  page.cap_user_time = 0;  // of no matter here
  CHECK(read_by_page(&page, counter, value));
  page.index = 0;
  CHECK_FALSE(read_by_page(&page, counter, value));
  page = running_page();
  page.cap_user_rdpmc = 0;
  CHECK_FALSE(read_by_page(&page, counter, value));
  page = running_page();
  unsigned reads = 0;
  const auto moved = [&](std::uint32_t) {
    if (++reads == 1) {
      page.lock += 2;
      page.offset = 2000;
    }
    return std::uint64_t{7};
  };
  REQUIRE(read_by_page(&page, moved, value));
  CHECK(reads == 2);
  CHECK(value == 2007);
  const auto restless = [&](std::uint32_t) {
    ++page.lock;
    return std::uint64_t{7};
  };
  CHECK_FALSE(read_by_page(&page, restless, value));
}

TEST_CASE("ticks become nanoseconds as the kernel says") {
  perf_event_mmap_page page = running_page();
  page.time_shift = 4;
  page.time_mult = 24;  // 1.5 ns a tick
  page.time_offset = 10;
  CHECK(page_delta_ns(page, 1000) == 1510);
  CHECK(page_delta_ns(page, 1001) == 1511);
  // A short clock wraps: the page says from where.
  page.cap_user_time_short = 1;
  page.time_mask = 0xffff;
  page.time_cycles = 0x1fff0;
  CHECK(page_delta_ns(page, 0x0010) == 10 + (0x20010ULL * 3) / 2);
}

TEST_CASE("the sign of a counter is at its width") {
  CHECK(sign_extended(0x7fffffff, 32) == 0x7fffffff);
  CHECK(sign_extended(0xffffffff, 32) == -1);
  CHECK(sign_extended(0xffffffffffff, 48) == -1);
  CHECK(sign_extended(~std::uint64_t{0}, 64) == -1);
}
