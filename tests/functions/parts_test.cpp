#include <analysis/functions/function_parts.hpp>

#include "catch.hpp"

using namespace roofmark;
using namespace roofmark::functions;

namespace {

const symbols::Function f{"f", "f", {100, 200}};

}  // namespace

TEST_CASE("a function without debug information is one part, and all of it") {
  const auto parts = parts_of(f, {}, {{120, 3}, {130, 4}, {250, 9}}, 1);
  REQUIRE(parts.size() == 1);
  CHECK(parts[0].name.empty());
  CHECK(parts[0].weight == 7);
  CHECK(parts[0].extents == std::vector<symbols::Extent>{{100, 200}});
  CHECK(parts[0].lines.first == 0);
}

TEST_CASE("what was inlined is a part where it is hot, and else the function's own") {
  const std::vector<symbols::CodeLine> layout = {{{100, 120}, "", "f.c", 5},
                                                 {{120, 140}, "hot", "h.h", 7},
                                                 {{140, 150}, "cold", "h.h", 20},
                                                 {{150, 160}, "hot", "h.h", 9},
                                                 {{160, 200}, "", "f.c", 6}};
  const auto parts = parts_of(f, layout, {{100, 10}, {125, 50}, {145, 2}, {155, 30}, {199, 8}}, 5);
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].name == "hot");
  CHECK(parts[0].weight == 80);
  CHECK(parts[0].extents == std::vector<symbols::Extent>{{120, 140}, {150, 160}});
  CHECK(parts[0].lines.file == "h.h");
  CHECK(parts[0].lines.first == 7);
  CHECK(parts[0].lines.last == 9);
  CHECK(parts[1].name.empty());
  CHECK(parts[1].weight == 20);
  CHECK(parts[1].lines.file == "f.c");
}

TEST_CASE("the hot lines are the shortest stretch that nine tenths of the time is in") {
  const Lines lines = hot_lines({{{"a.c", 10}, 5},
                                 {{"a.c", 50}, 60},
                                 {{"a.c", 52}, 35},
                                 {{"b.c", 1}, 20},
                                 {{"a.c", 0}, 100}});
  CHECK(lines.file == "a.c");
  CHECK(lines.first == 50);
  CHECK(lines.last == 52);
  CHECK(hot_lines({{{"", 0}, 5}}).first == 0);
}
