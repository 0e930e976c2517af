#include "cpp_library.hpp"

#include <stdexcept>

namespace work {
Solver::Solver(int size) : size_(size) {}
Solver::~Solver() = default;
double Solver::run(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * size_;
  return sum;
}
void Solver::refuse(int depth) {
  const std::string kept(100, 'x');  // something to destroy
  if (depth == 0)
    throw std::runtime_error("refused " +
                             std::to_string(kept.size() + static_cast<unsigned>(size_)));
  refuse(depth - 1);
}
template <class T>
T twice(T value) {
  return value + value;
}
template double twice<double>(double);
void rethrow(Solver& solver, int depth) {
  try {
    solver.refuse(depth);
  } catch (const std::runtime_error&) {
    throw;
  }
}
int catch_inside(Solver& solver) {
  try {
    rethrow(solver, 2);
  } catch (const std::exception&) {
    return 1;
  }
  return 0;
}
}  // namespace work
