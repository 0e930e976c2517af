#include <roofmark/roofmark.hpp>

#include <cstdio>

int main() {
  ROOFMARK_SCOPE_AS(scope, "from_cpp");
  scope.declare(roofmark::Flop{1000}, roofmark::Bytes{8000});
  std::puts("ran");
  return 0;
}
