// Read by object_symbols_test.cpp, which knows these names and lines; it is never run.
#include <vector>

namespace {

inline __attribute__((always_inline)) double inlined_sum(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;  // line 8
  return sum;
}

}  // namespace

namespace outer_space {

template <class T>
__attribute__((noinline)) double add_up(const std::vector<T>& values, double start) {
  return start * 0.5 + inlined_sum(values);
}

}  // namespace outer_space

int main(int argc, char**) {
  const std::vector<double> values(static_cast<std::size_t>(argc), 1.0);
  return outer_space::add_up(values, 2.0) > 3 ? 1 : 0;
}
