// The short path of an exit, on a tree that is in no recording and by a clock that the test sets.
#include <algorithm>
#include <iterator>

#include "catch.hpp"
#include "libprofiler/target/runtime/region.hpp"

using namespace roofmark::runtime;
namespace arena = roofmark::arena;

namespace {

struct SetClock {
  static inline std::uint64_t now = 0;
  static std::uint64_t ticks() { return now; }
};

class Tree {
 public:
  Tree() : before_(here.line) {
    node_.record = &record;
    node_.histogram = &histogram;
    node_.outer = &outer_;
    histogram.latest = arena::no_bucket;
    record.min_ticks = ~std::uint64_t{0};
    auto* line = reinterpret_cast<Line*>(room_);
    line->deadline = ~std::uint64_t{0};
    here.line = line;
  }
  ~Tree() { here.line = before_; }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  /// True: it took the short path.
  bool visit(std::uint64_t duration) {
    record.entry = 5000;
    set_current(here.line, &node_);
    SetClock::now = record.entry + duration;
    bool is_short = true;
    leave_region_or<SetClock, false>({&node_, record.entry},
                                     [&](roofmark_token, std::uint64_t) { is_short = false; });
    CHECK((here.line->current == &outer_) == is_short);
    return is_short;
  }

  arena::Record record{};
  arena::Histogram histogram{};

 private:
  Line* before_;
  Node node_{}, outer_{};
  alignas(64) char room_[kept_offset + sizeof(Node*)] = {};
};

}  // namespace

TEST_CASE("visits of no tick and of one stay on the short path, in the first bucket") {
  Tree tree;
  for (const std::uint64_t duration : {0U, 1U, 7U, 8U}) REQUIRE(tree.visit(duration));
  CHECK(tree.record.sum_ticks == 16);
  CHECK(tree.record.sum_of_squares == 1 + 49 + 64);
  CHECK(tree.record.min_ticks == 0);
  CHECK(tree.record.max_ticks == 8);
  // The last one is still to be counted.
  CHECK(tree.histogram.counts[0] == 3);
  CHECK(tree.histogram.latest == 0);
  CHECK(tree.histogram.counts[arena::no_bucket] == 1);
}

TEST_CASE("a visit that the histogram has no bucket for takes the long path") {
  Tree tree;
  CHECK_FALSE(tree.visit(std::uint64_t{1} << 50));
  CHECK(tree.record.sum_ticks == 0);
  CHECK(tree.histogram.latest == arena::no_bucket);
}

TEST_CASE("a recording that the program overwrote leads no store astray") {
  Tree tree;
  for (const std::uint64_t odd :
       {arena::no_bucket + 1, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    tree.histogram.latest = odd;
    REQUIRE(tree.visit(100));
    CHECK(tree.histogram.latest < arena::no_bucket);
  }
  CHECK(std::all_of(std::begin(tree.histogram.counts), std::end(tree.histogram.counts),
                    [](std::uint64_t count) { return count == 0; }));
}
