#include <roofmark/report.hpp>
#include <sstream>

#include "analysis/report/quantity.hpp"
#include "analysis/text/plain_text.hpp"
#include "catch.hpp"

using namespace roofmark;

static GivenNumbers example() {
  GivenNumbers given;
  given.peaks_flop_per_s = {{"peak", 20e12}};
  given.bandwidths_bytes_per_s = {{"bandwidth", 200e9}};
  given.kernels = {{"saxpy", 0.25, {}}, {"stencil", 0.8, {}}, {"gemm", 4, {}}, {"fft", 12, {}}};
  return given;
}

TEST_CASE("given numbers: every kernel has its side, roof and ridge in a line") {
  const std::string text = render_text(example());
  REQUIRE(text.find("bandwidth: 200 GB/s, ridge 100 FLOP/byte\n") != std::string::npos);
  REQUIRE(
      text.find("saxpy    0.25 FLOP/byte: memory side, roof 50 GFLOP/s, ridge 100 FLOP/byte\n") !=
      std::string::npos);
  REQUIRE(text.find("stencil   0.8 FLOP/byte: memory side, roof 160 GFLOP/s,") !=
          std::string::npos);
  REQUIRE(text.find("gemm        4 FLOP/byte: memory side, roof 800 GFLOP/s,") !=
          std::string::npos);
  REQUIRE(text.find("fft        12 FLOP/byte: memory side, roof 2.4 TFLOP/s,") !=
          std::string::npos);
}

TEST_CASE("given numbers: both sides of a ridge, each bandwidth on its own") {
  GivenNumbers given;
  given.peaks_flop_per_s = {{"peak", 200e12}};
  given.bandwidths_bytes_per_s = {{"near", 4e12}, {"far", 1e12}};
  given.kernels = {{"k", 100, 50e12}};
  const std::string text = render_text(given, 120);
  REQUIRE(
      text.find("under near: compute side, roof 200 TFLOP/s, ridge 50 FLOP/byte, at 25 % of it") !=
      std::string::npos);
  REQUIRE(
      text.find("under far: memory side, roof 100 TFLOP/s, ridge 200 FLOP/byte, at 50 % of it") !=
      std::string::npos);
}

TEST_CASE("given numbers: no line is wider than the terminal, and none cuts a number") {
  GivenNumbers given;
  given.peaks_flop_per_s = {{"a peak with quite a long name", 123e12}};
  given.bandwidths_bytes_per_s = {{"an interface with a long name", 4.56e12}, {"far", 1.23e12}};
  given.kernels = {{"a kernel whose name is longer than most", 12.34, 50e12}, {"k", 0.1, {}}};
  for (const unsigned width : {60U, 80U, 100U}) {
    const std::string text = render_text(given, width);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      CHECK(text::columns(line) <= width);
    }
    for (const char* number : {"123 TFLOP/s", "4.56 TB/s", "12.34 FLOP/byte", "at 89 % of it"}) {
      INFO(number << "\n" << text);
      CHECK(text.find(number) != std::string::npos);
    }
  }
}

TEST_CASE("given numbers: a kernel without a rate is drawn hollow on its roof") {
  const Chart chart = chart_of(example());
  REQUIRE(chart.points.size() == 4);
  REQUIRE(chart.points[0].attainable);
  REQUIRE(chart.points[0].flop_per_s.value == Approx(50e9));
  REQUIRE(chart.points[3].side == Side::memory);
}

TEST_CASE("quantities as people type them") {
  REQUIRE(*parse_quantity("20e12", "FLOP/s") == 20e12);
  REQUIRE(*parse_quantity("20T", "FLOP/s") == 20e12);
  REQUIRE(*parse_quantity("20 TFLOP/s", "FLOP/s") == 20e12);
  REQUIRE(*parse_quantity("200GB/s", "B/s") == 200e9);
  for (const char* text :
       {"", "x", "1,5", "-3", "0", "nan", "inf", "1e400", "1e101", "1e-101", "20T FLOP", "5 B/s"})
    REQUIRE_FALSE(parse_quantity(text, "FLOP/s").has_value());
}
