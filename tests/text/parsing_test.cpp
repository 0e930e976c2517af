#include "analysis/text/parsing.hpp"

#include "catch.hpp"

using namespace roofmark::text;

TEST_CASE("a whole number is all of its text") {
  CHECK(whole_number<unsigned>("85") == 85U);
  CHECK(whole_number<int>("-1") == -1);
  CHECK(whole_number<std::uint64_t>("18446744073709551615") == ~std::uint64_t{0});
  CHECK(whole_number<std::uint64_t>("ff", 16) == 255U);
  for (const char* text : {"", " 85", "85 ", "85x", "+85", "0x1f", "-1", "4294967296", "8,5"}) {
    INFO(text);
    CHECK(!whole_number<unsigned>(text));
  }
}

TEST_CASE("a code is decimal or, behind 0x, hexadecimal") {
  CHECK(code_number("0xd0c") == 0xd0cU);
  CHECK(code_number("85") == 85U);
  CHECK(code_number("0xffffffffffffffff") == ~std::uint64_t{0});
  for (const char* text : {"", "0x", "d0c", "0x1g", "0x-1", "0x10000000000000000", "1.5"}) {
    INFO(text);
    CHECK(!code_number(text));
  }
}

TEST_CASE("a real number has a point whatever the locale") {
  CHECK(real_number("2.5") == 2.5);
  CHECK(real_number("1e-3") == 1e-3);
  for (const char* text : {"", "2,5", "2.5 ", "1e999", "x"}) {
    INFO(text);
    CHECK(!real_number(text));
  }
}

TEST_CASE("blanks around a text go, those inside stay") {
  CHECK(trimmed(" \ta b\r\n") == "a b");
  CHECK(trimmed(" \t ").empty());
}

TEST_CASE("small letters are ASCII's alone") {
  CHECK(lowered("DRAM-L1z") == "dram-l1z");
  CHECK(lowered("\xc3\x84") == "\xc3\x84");
}
