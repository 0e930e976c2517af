#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "cpp_library.hpp"

int main(int count, char** words) {
  work::Solver solver(3);
  if (count > 1 && std::strcmp(words[1], "uncaught") == 0) solver.refuse(1);
  int caught = 0;
  double sum = 0;
  for (int i = 0; i < 10; ++i) {
    try {
      work::rethrow(solver, 3);
    } catch (const std::runtime_error& error) {
      caught += std::strcmp(error.what(), "refused 103") == 0;
    }
    sum += solver.run({1, 2, 3}) + work::twice(0.5);
    caught += work::catch_inside(solver);
  }
  std::printf("%d %g\n", caught, sum);
  return 0;
}
