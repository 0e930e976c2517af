// The rule by its definition: the last digit that is printed is no finer than the first digit of
// the spread, and no coarser than it has to be.
#include "analysis/text/digits.hpp"

#include <cmath>
#include <random>

#include "catch.hpp"

using namespace roofmark::text;

TEST_CASE("digits end where the spread begins") {
  CHECK(carried_digits(0.449, 0.300, 0.509) == 1);
  CHECK(carried_digits(5468, 4400, 6600) == 1);
  CHECK(carried_digits(5468, 5400, 5500) == 3);  // tens are carried: 5470
  CHECK(carried_digits(1.00, 0.98, 1.02) == 3);
  CHECK(carried_digits(1.00, 0.8, 1.1) == 2);
  CHECK(carried_digits(9.99, 9.9, 10.0) == 3);
}

TEST_CASE("an open end, no range and a range of nothing") {
  CHECK(carried_digits(2.5, {}, {}) == most_digits);
  CHECK(carried_digits(2.5, 2.5, 2.5) == most_digits);
  CHECK(carried_digits(2.5, 2.2, {}) == 2);
  CHECK(carried_digits(2.5, {}, 4.0) == 1);
  CHECK(carried_digits(2.5, 0.0, INFINITY) == 1);
  CHECK(carried_digits(0, 0.0, 1.0) == most_digits);
  CHECK(carried_digits(2.5, 3.0, 2.0) == most_digits);  // not a range
}

TEST_CASE("a spread that is larger than the number leaves one digit") {
  CHECK(carried_digits(0.449, 0.0, 40.0) == 1);
  CHECK(carried_digits(0.449, 3.0) == 1);
}

TEST_CASE("at exact powers of ten the place is that of the digit that is printed") {
  for (int exponent = -9; exponent <= 15; ++exponent) {
    const double unit = std::pow(10.0, exponent);
    INFO(unit);
    CHECK(carried_digits(unit, 0.0999999) == 3);
    CHECK(carried_digits(unit, 0.1001) == 2);
    CHECK(carried_digits(5 * unit, 0.3) == 1);
  }
}

TEST_CASE("for any number and spread the rule holds by its definition") {
  std::mt19937 random(1);
  std::uniform_real_distribution<> exponent(-12, 15), share(-4, 1), part(0, 1);
  for (int i = 0; i < 20'000; ++i) {
    const double value = std::pow(10.0, exponent(random));
    const double spread = value * std::pow(10.0, share(random));
    const double low = value - spread * (i % 2 == 0 ? 1 : part(random));
    const double high = value + spread * (i % 2 == 0 ? part(random) : 1);
    const int digits = carried_digits(value, low, high);
    INFO(value << " within " << low << " to " << high << ": " << digits);
    const double last_place = std::pow(10.0, std::floor(std::log10(value)) - digits + 1);
    REQUIRE(digits >= 1);
    REQUIRE(digits <= most_digits);
    constexpr double rounding = 1 + 1e-9;
    if (digits > 1) REQUIRE(last_place * rounding > spread / 10);
    if (digits < most_digits && digits > 1) REQUIRE(last_place <= spread * rounding);
  }
}

TEST_CASE("a difference far below its spread is none") {
  CHECK(to_place_of(-0.053, 1.2) == 0);
  CHECK(to_place_of(-0.053, 0.05) == Approx(-0.05));
  CHECK(to_place_of(12.34, 0.2) == Approx(12.3));
  CHECK(to_place_of(12.34, 0) == 12.34);
  CHECK(to_place_of(12.34, INFINITY) == 0);
}

TEST_CASE("rounded to so many digits, before and after the point") {
  CHECK(rounded(0.449, 1) == 0.4);
  CHECK(rounded(5468, 1) == 5000);
  CHECK(rounded(5468, 3) == 5470);
  CHECK(rounded(9.96, 2) == 10);
  CHECK(rounded(-1.26e-9, 2) == -1.3e-9);
  CHECK(rounded(0, 2) == 0);
  CHECK(std::isnan(rounded(NAN, 2)));
}
