// Every use of roofmark.hpp that its first lines promise, compiled as C++11 to C++20, with and
// without the markers.
#include <roofmark/roofmark.hpp>
#ifdef ROOFMARK_DISABLE
#define HEADER_USES header_uses_disabled
#else
#define HEADER_USES header_uses
#endif

namespace {
struct Text {
  const char* data() const { return "text"; }
  size_t size() const { return 4; }
};
template <class T>
T twice(T value) {
  ROOFMARK_SCOPE("in a template");
  return value + value;
}
inline int in_line() {
  ROOFMARK_FUNCTION();
  ROOFMARK_SCOPE("in an inline function");
  ROOFMARK_SCOPE_AS(named, "named");
  // clang-format off
  ROOFMARK_SCOPE_AS(first, "two on"); ROOFMARK_SCOPE_AS(second, "one line");
  // clang-format on
  named.declare(roofmark::Flop{1.0}, roofmark::Bytes{2.0});
  named.declare(roofmark::Flop{1.0});
  named.declare(roofmark::Bytes{2.0});
  const auto lambda = [] {
    ROOFMARK_SCOPE("in a lambda");
    return 1;
  };
  return lambda();
}
}  // namespace

int HEADER_USES(const char* name);
int HEADER_USES(const char* name) {
  roofmark::Scope by_pointer(name);
  roofmark::Scope by_literal{"literal"};
  roofmark::Scope by_text{Text()};
  roofmark::Scope by_length(name, 1);
  roofmark::declare(roofmark::Flop{1.0}, roofmark::Bytes{1.0});
  roofmark::detach_thread();
  if (roofmark::attach()) return 1;
  return in_line() + twice(1) + static_cast<int>(twice(2.0));
}
