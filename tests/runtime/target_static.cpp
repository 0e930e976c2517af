#include <roofmark/roofmark.hpp>

int main() {
  ROOFMARK_SCOPE("static program");
  for (int i = 0; i < 3; ++i) {
    ROOFMARK_SCOPE("inner");
  }
}
