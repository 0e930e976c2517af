// Compiled with -finstrument-functions: members, overloads, templates and an exception.
#include "work.h"

namespace grid {

template <class Real>
struct Solver {
  void step(int n) { work(n); }
};

void scale(int n) {
  work(n);
}
void scale(double) {
  work(5);
}

void fail() {
  throw 1;
}
void attempt() {
  try {
    fail();
  } catch (int) {
    work(10);
  }
}

}  // namespace grid

int main() {
  grid::Solver<double> solver;
  for (int i = 0; i < 3; ++i) solver.step(100);
  grid::scale(10);
  grid::scale(0.5);
  grid::attempt();
  return 0;
}
