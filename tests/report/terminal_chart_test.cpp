#include <roofmark/report.hpp>
#include <sstream>

#include "analysis/report/plain_text.hpp"
#include "catch.hpp"
#include "sample_profile.hpp"

using namespace roofmark;

static void require_fits(const std::string& text, const TerminalChartOptions& options) {
  std::istringstream in(text);
  unsigned lines = 0;
  for (std::string line; std::getline(in, line); ++lines) {
    INFO(line);
    REQUIRE(report::columns(line) <= options.width);
    for (const char c : line) {
      REQUIRE(static_cast<unsigned char>(c) >= 0x20);
      if (!options.utf8) REQUIRE(static_cast<unsigned char>(c) < 0x7f);
    }
  }
  REQUIRE(lines <= options.height);
}

TEST_CASE("the terminal chart fits its rows and columns") {
  for (const bool utf8 : {true, false})
    for (const unsigned width : {40u, 80u, 132u})
      for (const unsigned height : {12u, 24u, 50u}) {
        TerminalChartOptions options;
        options.utf8 = utf8;
        options.width = width;
        options.height = height;
        require_fits(render_terminal_chart(chart_of(sample::profile()), options), options);
        require_fits(render_terminal_chart(Chart{}, options), options);
        for (unsigned seed = 0; seed < 10; ++seed)
          require_fits(render_terminal_chart(chart_of(sample::random_profile(seed, 30)), options),
                       options);
      }
}

TEST_CASE("the terminal chart names its roofs and points") {
  for (const bool utf8 : {true, false}) {
    TerminalChartOptions options;
    options.utf8 = utf8;
    const std::string text = render_terminal_chart(chart_of(sample::profile()), options);
    for (const char* part :
         {"DRAM, 2 cores 21.4 GB/s", "L1, 2 cores 396 GB/s", "f64 avx2 fma, 2 cores 102 GFLOP/s",
          "A solve/spmv", "10 GFLOP/s", "FLOP/byte"})
      REQUIRE(text.find(part) != std::string::npos);
  }
}

TEST_CASE("the terminal chart has colours only where asked for") {
  TerminalChartOptions options;
  REQUIRE(render_terminal_chart(chart_of(sample::profile()), options).find('\x1b') ==
          std::string::npos);
  options.colour = true;
  REQUIRE(render_terminal_chart(chart_of(sample::profile()), options).find("\x1b[1;34mA\x1b[0m") !=
          std::string::npos);
}
