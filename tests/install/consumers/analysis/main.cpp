// The model and a chart through the library alone: no command, no recording.
#include <cstdio>
#include <roofmark/report.hpp>
#include <roofmark/roofline.hpp>

int main() {
  const roofmark::FlopPerSecond roof = roofmark::roof({20e12}, {200e9}, {4.0});
  roofmark::GivenNumbers given;
  given.peaks_flop_per_s.push_back({"peak", 20e12});
  given.bandwidths_bytes_per_s.push_back({"memory", 200e9});
  given.kernels.push_back({"gemm", 4.0, std::nullopt});
  const std::string picture = roofmark::render_svg(roofmark::chart_of(given));
  std::printf("roof %.0f GFLOP/s, picture %s\n", roof.value / 1e9,
              picture.rfind("<svg", 0) == 0 ? "yes" : "no");
  return roof.value == 800e9 && picture.find("gemm") != std::string::npos ? 0 : 1;
}
