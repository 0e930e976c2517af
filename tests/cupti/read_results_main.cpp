// Says of a file of results "whole", or what is wrong with it.
#include <cstdio>

#include "collectors/cupti/results.hpp"

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const auto read = roofmark::cupti::read_results(arguments[1]);
  if (read)
    std::puts("whole");
  else
    std::puts(roofmark::to_line(read.error()).c_str());
  return read ? 0 : 1;
}
