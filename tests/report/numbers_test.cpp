#include "analysis/report/numbers.hpp"

#include <clocale>
#include <cmath>

#include "analysis/report/region_row.hpp"
#include "analysis/report/sections.hpp"
#include "analysis/text/plain_text.hpp"
#include "catch.hpp"

using namespace roofmark::report;

TEST_CASE("significant digits, without zeros that say nothing") {
  REQUIRE(significant(2.134) == "2.13");
  REQUIRE(significant(0.0835) == "0.0835");
  REQUIRE(significant(9.999) == "10");
  REQUIRE(significant(99.96) == "100");
  REQUIRE(significant(1234) == "1234");
  REQUIRE(significant(0) == "0");
  REQUIRE(significant(-1.5) == "-1.5");
  REQUIRE(significant(1.234e-9) == "1.23e-09");
  REQUIRE(significant_padded(2.2) == "2.20");
}

TEST_CASE("prefixes of the SI, chosen after rounding") {
  REQUIRE(with_prefix(20e12, "FLOP/s") == "20 TFLOP/s");
  REQUIRE(with_prefix(999.7e6, "B/s") == "1 GB/s");
  REQUIRE(with_prefix(999.4e6, "B/s") == "999 MB/s");
  REQUIRE(with_prefix(0, "B/s") == "0 B/s");
  REQUIRE(with_prefix(1e300, "B") == "1.00e+276 YB");
}

TEST_CASE("durations carry their unit across its border") {
  REQUIRE(duration(1.234) == "1.23 s");
  REQUIRE(duration(0.9996) == "1 s");
  REQUIRE(duration(0.5) == "500 ms");
  REQUIRE(duration(4.5e-6, false) == "4.5 us");
  REQUIRE(duration(4.5e-6) == "4.5 µs");
  REQUIRE(duration(3e-9) == "3 ns");
  REQUIRE(duration(0) == "0 s");
}

TEST_CASE("numbers with a range end where it begins, in every form") {
  using roofmark::Interval;
  const Interval time{0.449, 0.300, 0.509};
  REQUIRE(duration(time) == "~400 ms");
  REQUIRE(percent(time) == "~40%");
  REQUIRE(significant(Interval{5468, 4000, 7000}) == "~5000");
  REQUIRE(significant_padded(Interval{2.2e9, 2.1e9, 2.3e9}, 1e9) == "~2.2");
  REQUIRE(significant_padded(Interval{2.2e9, {}, {}}, 1e9) == "2.20");
  REQUIRE(with_prefix(Interval{449e9, 300e9, 509e9}, "B/s") == "~400 GB/s");
  REQUIRE(with_prefix(Interval{449e9, {}, {}}, "B/s") == "449 GB/s");
  REQUIRE(significant(Interval{1234, {}, {}}) == "1234");
  // The ends with one digit more, and none where there is no range.
  const auto told = [](double value) { return duration(value); };
  REQUIRE(range_text(time, told) == " (300 ms to 510 ms)");
  REQUIRE(range_text(Interval{0.449, {}, {}}, told).empty());
  REQUIRE(percent(0.372, 0.04) == "37%");
  REQUIRE(percent(0.372, 0.5) == "40%");
  REQUIRE(percent_text(0.372, 0) == "37 %");
}

TEST_CASE("a zero that only a sample saw is told with its bound, in every form") {
  using roofmark::Interval;
  const Interval none{0, 0, 1536};
  REQUIRE(with_prefix(none, "B") == "0 to 1.54 kB");
  REQUIRE(significant(none) == "0 to 1540");
  REQUIRE(significant_padded(none, 1e3) == "0 to 1.54");
  REQUIRE(duration(Interval{0, 0, 0.0015}) == "0 to 1.5 ms");
  REQUIRE(percent(Interval{0, 0, 0.04}) == "0 to 4%");
  REQUIRE(range_text(none, [](double value) { return with_prefix(value, "B"); }).empty());
  REQUIRE(with_prefix(Interval{0, {}, {}}, "B") == "0 B");
}

TEST_CASE("what may have been divided by nothing has no upper bound, and one digit") {
  using roofmark::Interval;
  Figure flop, bytes;
  flop.number = Interval{300e6, {}, {}};
  bytes.number = Interval{11.5e6, 0, 11.7e6};
  const Interval intensity = ratio(flop, bytes).interval();
  REQUIRE(intensity.value == 300e6 / 11.5e6);
  REQUIRE(intensity.low == 300e6 / 11.7e6);
  REQUIRE(std::isinf(intensity.high.value()));
  REQUIRE(significant(intensity) == "~30");
  REQUIRE(range_text(intensity, [](double value) { return significant(value); }) ==
          " (at least 26)");
}

TEST_CASE("a ceiling without a spread says so, and no spread is told as none") {
  using roofmark::Interval;
  REQUIRE(spread_of(Interval{10, 9.1, 10.5}) == "-9% to +5%");
  REQUIRE(spread_of(Interval{10, 9.1, 10}) == "-9% to +0%");
  REQUIRE(spread_of(Interval{10, 9.1, 10.0004}) == "-9% to +0%");
  REQUIRE(spread_of(Interval{10, 9.9997, 10.0004}) == "within 0.1%");
  for (const Interval& none : {Interval{10, 10, 10}, Interval{10, {}, {}}, Interval{10, 9, {}}})
    REQUIRE(spread_of(none) == "spread not known");
}

TEST_CASE("numbers that are off by a share of themselves follow the same rule") {
  using roofmark::text::plain;
  REQUIRE(duration(within_share(0.449, 0.3)) == "400 ms");
  REQUIRE(duration(within_share(0.449, 0.02)) == "449 ms");
  REQUIRE(duration(within_share(1.0, 0.02)) == "1 s");
  REQUIRE(duration(within_share(5468, 0.3)) == "5000 s");
  REQUIRE(with_prefix(within_share(17.7e9, 0.1), "B/s") == "18 GB/s");
  REQUIRE(with_prefix(within_share(17.7e9, 0), "B/s") == "17.7 GB/s");
  REQUIRE(plain(0.0625, 0.2) == "0.06");
  REQUIRE(plain(0.26, 0.5) == "0.3");
  REQUIRE(plain(5468, 0.2) == "5000");
  REQUIRE(percent_text(0.372, 0.5) == "40 %");
  REQUIRE(gain_text(3.14, 0) == "3.1x");
  REQUIRE(gain_text(2, 0) == "2x");
  REQUIRE(gain_text(37.4, 0.5) == "40x");
  REQUIRE(gain_text(123.4, 0) == "120x");
}

TEST_CASE("percentages tell little from nothing") {
  REQUIRE(percent(0.812) == "81%");
  REQUIRE(percent(0.093) == "9.3%");
  REQUIRE(percent(0.0995) == "10%");
  REQUIRE(percent(0.0004) == "<0.1%");
  REQUIRE(percent(0) == "0%");
  REQUIRE(percent(12) == "1200%");
  REQUIRE(percent_text(0.812) == "81 %");
  REQUIRE(percent_text(0.0004) == "<0.1 %");
  REQUIRE(percent_text(0) == "0 %");
  REQUIRE(percent_text(std::nan("")) == "-");
}

TEST_CASE("what is not a number is a dash in every form") {
  for (const double value : {std::nan(""), double(INFINITY), double(-INFINITY)}) {
    REQUIRE(significant(value) == "-");
    REQUIRE(with_prefix(value, "B") == "-");
    REQUIRE(duration(value) == "-");
    REQUIRE(percent(value) == "-");
    REQUIRE(whole(value) == "-");
    REQUIRE(exact(value).empty());
  }
}

TEST_CASE("a locale with decimal commas changes nothing") {
  const char* set = std::setlocale(LC_ALL, "de_DE.UTF-8");
  if (!set) set = std::setlocale(LC_ALL, "de_DE.utf8");
  if (!set) WARN("de_DE.UTF-8 is not installed: checked in the C locale only");
  CHECK(significant(1.5) == "1.5");
  CHECK(with_prefix(1.5e9, "B/s") == "1.5 GB/s");
  CHECK(exact(0.1) == "0.1");
  CHECK(whole(1.5e6) == "1.5M");
  std::setlocale(LC_ALL, "C");
}

TEST_CASE("microseconds are written alike with and without UTF-8") {
  REQUIRE(roofmark::text::printable_ascii(duration(4.56e-6, true)) == duration(4.56e-6, false));
  REQUIRE(with_prefix(4.56e-6, "s", 3) == duration(4.56e-6, true));
}

TEST_CASE("the numbers of sentences are readable, without an exponent") {
  using roofmark::text::plain;
  REQUIRE(plain(0) == "0");
  REQUIRE(plain(8.69e-05) == "under 0.001");
  REQUIRE(plain(0.0941) == "0.0941");
  REQUIRE(plain(0.1234) == "0.123");
  REQUIRE(plain(1.517) == "1.52");
  REQUIRE(plain(1234.4) == "1234");
  REQUIRE(plain(12'345'678) == "12.3 M");
  REQUIRE(plain(std::nan("")) == "-");
  REQUIRE(percent_text(1e-9) == "<0.1 %");
  for (int exponent = -12; exponent <= 17; ++exponent)
    for (const double first : {1.0, 9.994, 9.996})
      for (const auto& text : {plain(first * std::pow(10, exponent)),
                               percent_text(first * std::pow(10, std::min(exponent, 2)))})
        REQUIRE(text.find('e', text.find("under") == 0 ? 5 : 0) == std::string::npos);
}
