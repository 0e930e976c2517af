// Against tables of Student's distribution and worked examples.
#include "analysis/comparison/statistics.hpp"

#include <cmath>

#include "catch.hpp"

using namespace roofmark::comparison;

TEST_CASE("Student's distribution has the values of its tables") {
  // Two-sided p, degrees, t.
  struct Row {
    double p, degrees, t;
  };
  for (const Row& row :
       {Row{0.5, 1, 1.0}, Row{0.05, 1, 12.7062}, Row{0.05, 2, 4.30265}, Row{0.05, 10, 2.22814},
        Row{0.01, 18, 2.87844}, Row{0.001, 5, 6.86883}, Row{0.05, 1000, 1.96234}}) {
    INFO(row.p << " with " << row.degrees);
    CHECK(student_quantile(row.p, row.degrees) == Approx(row.t).epsilon(1e-5));
    CHECK(student_two_sided(row.t, row.degrees) == Approx(row.p).epsilon(1e-4));
    CHECK(student_two_sided(-row.t, row.degrees) == Approx(row.p).epsilon(1e-4));
  }
  CHECK(student_two_sided(0, 7) == 1);
  // One degree is Cauchy's, two have a closed form.
  const double pi = std::acos(-1.0);
  for (const double t : {0.1, 1.0, 3.0, 50.0}) {
    CHECK(student_two_sided(t, 1) == Approx(1 - 2 / pi * std::atan(t)));
    CHECK(student_two_sided(t, 2) == Approx(1 - t / std::sqrt(2 + t * t)));
  }
}

TEST_CASE("a ratio of equal groups is 1, of groups without noise certain") {
  const auto same = test_ratio({2, 2, 2}, {2, 2}, 0.05);
  REQUIRE(same);
  CHECK(same->ratio == 1);
  CHECK(same->p == 1);
  const auto half = test_ratio({2, 2, 2}, {1, 1}, 0.05);
  CHECK(half->ratio == Approx(0.5));
  CHECK(half->p == 0);
  CHECK(half->low == Approx(0.5));
}

TEST_CASE("Welch's test of logarithms, worked by hand") {
  const double e = std::exp(1.0);
  // Logarithms 0, 1, 2 and 2, 4: means 1 and 3, squared errors 1/3 and 1; t = 2 / sqrt(4/3), and
  // degrees (4/3)^2 / ((1/3)^2 / 2 + 1 / 1).
  const auto test = test_ratio({1, e, e * e}, {e * e, std::pow(e, 4)}, 0.05);
  REQUIRE(test);
  CHECK(test->ratio == Approx(e * e));
  const double degrees = (16.0 / 9) / (1.0 / 18 + 1);
  CHECK(test->p == Approx(student_two_sided(2 / std::sqrt(4.0 / 3), degrees)));
  CHECK(std::log(test->high / test->ratio) ==
        Approx(std::sqrt(4.0 / 3) * student_quantile(0.05, degrees)));
  // With one value after: the variance is that of the three, 1, with 2 degrees.
  const auto one = test_ratio({1, e, e * e}, {std::pow(e, 4)}, 0.05);
  CHECK(one->p == Approx(student_two_sided(3 / std::sqrt(4.0 / 3), 2)));
}

TEST_CASE("what has no logarithm, or no scatter, is not tested") {
  CHECK_FALSE(test_ratio({1, 0}, {1, 2}, 0.05));
  CHECK_FALSE(test_ratio({1, -1}, {1, 2}, 0.05));
  CHECK_FALSE(test_ratio({1, NAN}, {1, 2}, 0.05));
  CHECK_FALSE(test_ratio({1, INFINITY}, {1, 2}, 0.05));
  CHECK_FALSE(test_ratio({1}, {1}, 0.05));
  CHECK_FALSE(test_ratio({}, {1, 2, 3}, 0.05));
}

TEST_CASE("Holm's correction") {
  CHECK(holm({}).empty());
  const auto corrected = holm({0.01, 0.04, 0.03, 0.005});
  CHECK(corrected[3] == Approx(0.02));  // 4 x 0.005
  CHECK(corrected[0] == Approx(0.03));  // 3 x 0.01
  CHECK(corrected[2] == Approx(0.06));  // 2 x 0.03
  CHECK(corrected[1] == Approx(0.06));  // 1 x 0.04, and not below the one before
  CHECK(holm({0.9, 0.8})[0] == 1);
}
