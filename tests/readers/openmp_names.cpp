// A parallel loop of a C++ function that is entered from two regions, by the same team.
#include <roofmark/roofmark.hpp>
#include <vector>

namespace grid {
template <class Number>
void smooth(std::vector<Number>& values) {
  const int count = static_cast<int>(values.size());
#pragma omp parallel for
  for (int i = 0; i < count; ++i) values[static_cast<std::size_t>(i)] *= 0.5;
}
}  // namespace grid

int main() {
  std::vector<double> values(30'000, 1.0);
  {
    ROOFMARK_SCOPE("first");
    for (int i = 0; i < 3; ++i) grid::smooth(values);
  }
  {
    ROOFMARK_SCOPE("second");
    for (int i = 0; i < 2; ++i) grid::smooth(values);
  }
  return values[7] > 0.03 && values[7] < 0.04 ? 0 : 1;
}
