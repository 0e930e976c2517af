#include "collectors/emulated/tool/hash.hpp"

#include <cstring>

#include "catch.hpp"

using namespace roofmark::emulator;

TEST_CASE("texts behind each other keep their borders") {
  const auto both = [](const char* a, const char* b) {
    return hash_text(hash_text(hash_start, a), b);
  };
  CHECK(both("ab", "c") != both("a", "bc"));
  CHECK(both("", "abc") != both("abc", ""));
  CHECK(both("solve", "/lib/a.so") == both("solve", "/lib/a.so"));
}

TEST_CASE("FNV-1a of 64 bits") {
  // From the reference implementation's table of results.
  CHECK(hash_bytes(hash_start, "a", 1) == 0xaf63dc4c8601ec8cULL);
  CHECK(hash_bytes(hash_start, "foobar", 6) == 0x85944171f73967e8ULL);
  CHECK(hash_text(hash_start, "foobar") == hash_bytes(hash_start, "foobar", 7));
}
