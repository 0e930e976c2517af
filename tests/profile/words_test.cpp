#include <roofmark/result.hpp>
#include <roofmark/words.hpp>

#include "catch.hpp"

using namespace roofmark;

template <class Word>
static void round_trip(Word last) {
  for (int i = 0; i <= static_cast<int>(last); ++i) {
    const auto word = static_cast<Word>(i);
    REQUIRE(parse_word<Word>(spelling(word)) == word);
  }
  REQUIRE_FALSE(parse_word<Word>("no such word").has_value());
}

TEST_CASE("every word is read back as it is spelt") {
  round_trip(Source::theoretical);
  round_trip(Scope::device);
  round_trip(Precision::any);
  round_trip(Operation::other);
  round_trip(Side::unknown);
  round_trip(Verdict::undetermined);
}

TEST_CASE("a problem is one line and leaves empty parts out") {
  REQUIRE(to_line({"ends early", "a.json:3", "record again"}) ==
          "a.json:3: ends early; record again");
  REQUIRE(to_line({"ends early", "", ""}) == "ends early");
}
