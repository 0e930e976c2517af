#include <analysis/functions/range_claims.hpp>
#include <limits>

#include "catch.hpp"

using namespace roofmark;
using functions::RangeClaims;

TEST_CASE("a byte belongs to who claims it first") {
  RangeClaims claims;
  CHECK(claims.claim("a", {10, 20}) == std::vector<CodeRange>{{"a", 10, 20}});
  CHECK(claims.claim("a", {10, 20}).empty());
  CHECK(claims.claim("a", {12, 15}).empty());
  CHECK(claims.claim("a", {5, 12}) == std::vector<CodeRange>{{"a", 5, 10}});
  CHECK(claims.claim("b", {10, 20}) == std::vector<CodeRange>{{"b", 10, 20}});
  CHECK(claims.claim("a", {30, 40}) == std::vector<CodeRange>{{"a", 30, 40}});
  CHECK(claims.claim("a", {0, 50}) ==
        std::vector<CodeRange>{{"a", 0, 5}, {"a", 20, 30}, {"a", 40, 50}});
  CHECK(claims.claim_rest("a") ==
        std::vector<CodeRange>{{"a", 50, std::numeric_limits<std::uint64_t>::max()}});
}
