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

TEST_CASE("loops are rows where they tell more than their function does") {
  const std::vector<symbols::CodeLine> layout = {
      {{100, 120}, "", "f.c", 5}, {{120, 140}, "", "f.c", 7}, {{140, 200}, "", "f.c", 9}};
  const Weights weights{{105, 30}, {125, 50}, {150, 15}, {190, 5}};
  // The inner one at 120, the outer one from 100, another at 140.
  const std::vector<symbols::Extent> loops{{120, 140}, {140, 160}, {100, 140}};
  auto part = parts_of(f, layout, weights, 10).front();
  add_loops(part, loops, layout, weights, 10);
  REQUIRE(part.loops.size() == 3);
  CHECK(part.loops[0].weight == 50);
  CHECK(part.loops[0].lines.first == 7);
  CHECK(part.loops[1].weight == 15);
  CHECK(part.loops[2].weight == 30);  // without the loop inside
  // One loop that is nearly all of the function is the function.
  auto alone = parts_of(f, layout, {{125, 95}, {190, 5}}, 10).front();
  add_loops(alone, {{120, 140}}, layout, {{125, 95}, {190, 5}}, 10);
  CHECK(alone.loops.empty());
  // Cold ones are none.
  auto cold = parts_of(f, layout, weights, 10).front();
  add_loops(cold, {{180, 195}}, layout, weights, 10);
  CHECK(cold.loops.empty());
}

TEST_CASE("a loop belongs to the part that its code is from") {
  const std::vector<symbols::CodeLine> layout = {
      {{100, 120}, "", "f.c", 5}, {{120, 140}, "hot", "h.h", 7}, {{140, 200}, "", "f.c", 9}};
  const Weights weights{{105, 30}, {125, 50}, {150, 20}};
  auto parts = parts_of(f, layout, weights, 10);
  REQUIRE(parts.size() == 2);
  CHECK(parts[1].extents == std::vector<symbols::Extent>{{100, 120}, {140, 200}});
  add_loops(parts[1], {{100, 160}}, layout, weights, 10);
  CHECK(parts[1].loops.empty());  // all that is its own is in the loop
  add_loops(parts[1], {{140, 160}, {100, 160}}, layout, weights, 10);
  REQUIRE(parts[1].loops.size() == 2);
  CHECK(parts[1].loops[0].weight == 20);
  CHECK(parts[1].loops[1].weight == 30);
}
