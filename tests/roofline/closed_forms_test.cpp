// The worked values of the design, and what follows from the closed forms.
#include <cmath>
#include <limits>
#include <roofmark/roofline.hpp>

#include "catch.hpp"

namespace roofmark {
namespace {

constexpr double tera = 1e12;

double roof_at(double peak, double bandwidth, double intensity) {
  return roof(FlopPerSecond{peak}, BytesPerSecond{bandwidth}, Intensity{intensity}).value;
}

TEST_CASE("a peak of 200 TFLOP/s under 1 and 4 TB/s") {
  const double intensities[] = {1, 10, 50, 100, 200};
  const double under_one[] = {1, 10, 50, 100, 200};
  const double under_four[] = {4, 40, 200, 200, 200};
  for (int i = 0; i < 5; ++i) {
    REQUIRE(roof_at(200 * tera, 1 * tera, intensities[i]) == Approx(under_one[i] * tera));
    REQUIRE(roof_at(200 * tera, 4 * tera, intensities[i]) == Approx(under_four[i] * tera));
  }
  const FlopPerSecond peak{200 * tera};
  REQUIRE(ridge(peak, BytesPerSecond{1 * tera}).flop_per_byte == Approx(200));
  REQUIRE(ridge(peak, BytesPerSecond{4 * tera}).flop_per_byte == Approx(50));
  REQUIRE(decades(1 * tera, 4 * tera) == Approx(0.602).margin(0.0005));
  // Two bandwidth ceilings are parallel: the same distance at every intensity below both ridges.
  for (const double intensity : {0.01, 1.0, 49.0})
    REQUIRE(decades(roof_at(peak.value, tera, intensity),
                    roof_at(peak.value, 4 * tera, intensity)) == Approx(std::log10(4.0)));
  // The higher meets the peak further left.
  REQUIRE(ridge(peak, BytesPerSecond{4 * tera}).flop_per_byte <
          ridge(peak, BytesPerSecond{1 * tera}).flop_per_byte);
}

TEST_CASE("a peak of 20 TFLOP/s under 200 GB/s") {
  const Intensity top = ridge(FlopPerSecond{20 * tera}, BytesPerSecond{0.2 * tera});
  REQUIRE(top.flop_per_byte == Approx(100));
  for (const double kernel : {0.25, 0.8, 4.0, 12.0})  // saxpy, stencil, gemm, fft
    REQUIRE(side_of(Intensity{kernel}, top) == Side::memory);
  REQUIRE(side_of(Intensity{std::nextafter(100.0, 0.0)}, top) == Side::memory);
  REQUIRE(side_of(Intensity{100}, top) == Side::compute);
  REQUIRE(side_of(Intensity{101}, top) == Side::compute);
}

TEST_CASE("bandwidth is the height of its line at an intensity of 1") {
  REQUIRE(roof_at(20 * tera, 0.2 * tera, 1) == Approx(0.2 * tera));
  REQUIRE(roof_at(20 * tera, 0.2 * tera, 1e-3) == Approx(0.2 * tera * 1e-3));  // the left edge
  // Slope 1: ten times the intensity, ten times the roof.
  REQUIRE(decades(roof_at(20 * tera, 0.2 * tera, 0.1), roof_at(20 * tera, 0.2 * tera, 1)) ==
          Approx(1));
}

TEST_CASE("within the uncertainty of the ridge: balanced, on both edges") {
  const Intensity at{10};
  REQUIRE(side_of(Intensity{10 / 1.09}, at, 0.1) == Side::balanced);
  REQUIRE(side_of(Intensity{10 / 1.11}, at, 0.1) == Side::memory);
  REQUIRE(side_of(Intensity{10 * 1.09}, at, 0.1) == Side::balanced);
  REQUIRE(side_of(Intensity{10 * 1.11}, at, 0.1) == Side::compute);
  REQUIRE(side_of(Intensity{10}, at, 0) == Side::compute);
}

TEST_CASE("explained time lies between the largest part and the sum") {
  const ExplainedTime time = explained_time({{2}, {0.5}, {1}});
  REQUIRE(time.overlapped.value == 2);
  REQUIRE(time.serial.value == 3.5);
  REQUIRE(explained_time({}).overlapped.value == 0);
}

TEST_CASE("with several interfaces the lowest roof binds") {
  MachineRoof machine;
  machine.peak.per_s = 100;
  machine.levels = {{"L1", {}}, {"DRAM", {}}};
  machine.levels[0].bandwidth.per_s = 80;
  machine.levels[1].bandwidth.per_s = 10;
  const auto at = [&](double l1, double dram) {
    return roof(machine, {{"L1", Intensity{l1}}, {"DRAM", Intensity{dram}}});
  };
  REQUIRE(at(1, 2).binding == "DRAM");
  REQUIRE(at(1, 2).value.value == Approx(20));
  REQUIRE(at(0.1, 2).binding == "L1");
  REQUIRE(at(0.1, 2).value.value == Approx(8));
  REQUIRE(at(10, 20).binding.empty());
  REQUIRE(at(10, 20).value.value == Approx(100));
  // An interface without an intensity does not bound.
  REQUIRE(roof(machine, {{"L1", Intensity{10}}}).binding.empty());
}

TEST_CASE("the roof is monotone in peak, bandwidth and intensity") {
  double before = 0;
  for (double intensity = 1e-6; intensity < 1e6; intensity *= 1.7) {
    const double here = roof_at(1e12, 1e11, intensity);
    REQUIRE(here >= before);
    REQUIRE(here <= roof_at(2e12, 1e11, intensity));
    REQUIRE(here <= roof_at(1e12, 2e11, intensity));
    before = here;
  }
}

TEST_CASE("no number makes the closed forms give NaN or infinity") {
  const double infinity = std::numeric_limits<double>::infinity();
  const double strange[] = {0,
                            -1,
                            1,
                            std::numeric_limits<double>::quiet_NaN(),
                            infinity,
                            -infinity,
                            std::numeric_limits<double>::max(),
                            std::numeric_limits<double>::min(),
                            std::numeric_limits<double>::denorm_min()};
  for (const double a : strange)
    for (const double b : strange) {
      REQUIRE(std::isfinite(ridge(FlopPerSecond{a}, BytesPerSecond{b}).flop_per_byte));
      REQUIRE(std::isfinite(decades(a, b)));
      REQUIRE(std::isfinite(explained_time({{a}, {1}}).overlapped.value));
      for (const double c : strange) {
        const double here = roof_at(a, b, c);
        REQUIRE(std::isfinite(here));
        REQUIRE(here >= 0);
        side_of(Intensity{a}, Intensity{b}, c);
      }
    }
}

}  // namespace
}  // namespace roofmark
