#pragma once
#include <string>
#include <vector>

namespace work {
class Solver {
 public:
  explicit Solver(int size);
  ~Solver();
  double run(const std::vector<double>& values);
  void refuse(int depth);

 private:
  int size_;
};
template <class T>
T twice(T value);
extern template double twice<double>(double);
void rethrow(Solver& solver, int depth);
int catch_inside(Solver& solver);
}  // namespace work
