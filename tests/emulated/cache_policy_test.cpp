// The fast model against a plain one, and what depends on the replacement policy.
#include <algorithm>
#include <random>

#include "cache_reference.hpp"
#include "cache_support.hpp"
#include "catch.hpp"

using namespace cache_tests;

namespace {

// Random work with some locality: hot lines, short strides, jumps.
struct Walk {
  std::mt19937 random;
  std::uint64_t at = base;
  explicit Walk(unsigned seed) : random(seed) {}
  std::uint64_t next(std::uint64_t span) {
    switch (random() % 4) {
      case 0:
        return base + random() % 2048;
      case 1:
        return at += 8;
      case 2:
        return at = base + random() % span;
      default:
        return at += 4096;
    }
  }
};

std::uint64_t read_repeatedly(Machine& m, std::uint64_t bytes, int times) {
  for (int i = 0; i < times; ++i) read(*m.core, base, bytes);
  return m.bytes().dram_read.value;
}

}  // namespace

TEST_CASE("the fast model and the plain one count the same, access by access") {
  const Geometry shapes[] = {
      {{8, 2, Index::modulo}, {32, 4, Index::hashed}, {64, 8, Index::hashed}},
      {{64, 12, Index::modulo}, {128, 16, Index::hashed}, {251, 12, Index::hashed}},
      {{7, 3, Index::modulo}, {64, 8, Index::modulo}, {509, 5, Index::hashed}},
      {{16, 1, Index::modulo}, {16, 1, Index::modulo}, {16, 20, Index::hashed}},
      {{16, 32, Index::hashed}, {16, 4, Index::hashed}, {1024, 16, Index::modulo}},
      // those that code is made for
      {{64, 8, Index::modulo}, {64, 8, Index::hashed}, {128, 16, Index::hashed}},
      {{64, 12, Index::modulo}, {64, 16, Index::hashed}, {112, 12, Index::hashed}},
  };
  unsigned seed = 1;
  for (const Geometry& shape : shapes) {
    Machine fast(shape);
    REQUIRE(fast.wrong == nullptr);
    PlainHierarchy plain(shape, 4);
    Walk walk(seed++);
    bool same = true;
    for (int i = 0; i < 200'000 && same; ++i) {
      if (i % 97 == 0) {
        plain.owner = walk.random() % 4;
        fast.core->set_owner(plain.owner);
      }
      const std::uint64_t address = walk.next(256 * KiB) & ~std::uint64_t{7};
      const bool store = walk.random() % 3 == 0;
      plain.access(address, store);
      if (store) {
        fast.core->store(address, 8);
      } else {
        fast.core->load(address, 8);
      }
      if (i % 1000 != 999) continue;
      for (std::uint32_t owner = 0; owner < 4; ++owner) {
        if (fast.caches->traffic_of(owner) == nullptr) continue;
        const Traffic f = fast.lines(owner);
        const Traffic& p = plain.counts[owner];
        same = same && f.l2.read == p.l2.read && f.l2.write == p.l2.write &&
               f.l3.read == p.l3.read && f.l3.write == p.l3.write && f.dram.read == p.dram.read &&
               f.dram.write == p.dram.write;
      }
      CAPTURE(seed, i);
      REQUIRE(same);
    }
  }
}

TEST_CASE("a working set near the capacity of L3 hangs on the policy, and is given as a range") {
  // 98 % of L3, read round and round: LRU keeps the sets that are not overfull, and loses all of
  // the others.
  Machine m({modulo(32 * KiB, 8), hashed(256 * KiB, 8), hashed(2 * MiB, 16)}, {0, 2});
  read_repeatedly(m, 2 * MiB * 98 / 100, 40);
  const TrafficBytes b = m.bytes();
  CHECK(b.policy_dependent);
  CHECK(b.dram_read.low < b.dram_read.high);
  CHECK(b.dram_read.low <= b.dram_read.value);
  CHECK(b.dram_read.value <= b.dram_read.high);
}

TEST_CASE("a working set of 1.05 times L2: bit-PLRU keeps part of it, LRU nothing") {
  Machine m({modulo(32 * KiB, 8), hashed(256 * KiB, 8), hashed(8 * MiB, 16)}, {0, 2});
  read_repeatedly(m, 300 * KiB, 50);
  const TrafficBytes b = m.bytes();
  CHECK(b.policy_dependent);
  CHECK(b.l3_read.high > b.l3_read.value);
  CHECK(b.l3_read.high <=
        50 * 300 * KiB * 105 / 100);  // no policy can miss more often than there are accesses
  CHECK(b.dram_read.low == b.dram_read.high);  // in L3 it fits, whatever the policy
}

TEST_CASE("what fits, and what streams, does not hang on the policy") {
  for (const std::uint64_t bytes : {std::uint64_t{128 * KiB}, 1 * MiB, 32 * MiB}) {
    Machine m(small, {0, 2});
    read_repeatedly(m, bytes, 4);
    CHECK_FALSE(m.bytes().policy_dependent);
    CHECK(m.bytes().dram_read.low == m.bytes().dram_read.high);
  }
  Machine m;
  dgemm_naive(*m.core, 96, 96, base, base + 2 * MiB, base + 4 * MiB);
  m.caches->flush();
  CHECK_FALSE(m.bytes().policy_dependent);
}

TEST_CASE("the second policy's sample costs no accuracy of the first") {
  Machine with(small, {0, 2});
  Machine without(small, {0, no_second_policy});
  for (Machine* m : {&with, &without}) {
    triad(*m->core, 512 * KiB, base, base + 40 * MiB, base + 80 * MiB);
    read_repeatedly(*m, 7 * MiB, 3);
    m->caches->flush();
  }
  CHECK(with.lines().dram.read == without.lines().dram.read);
  CHECK(with.lines().dram.write == without.lines().dram.write);
  CHECK(with.lines().l3.read == without.lines().l3.read);
  CHECK(without.bytes().policy_dependent == false);
}

TEST_CASE("the second policy is true LRU") {
  // Everything twice (shift 0), in an L3 of one block of sets: lines that share one of them,
  // against an LRU stack.
  Machine m({{1, 1, Index::modulo}, {}, {16, 4, Index::hashed}}, {0, 0});
  std::vector<Line> lines;
  for (Line line = line_of(base); lines.size() < 7; ++line) {
    if (place_of(line).within == 3) lines.push_back(line);
  }
  std::vector<Line> recent;  // most recent first
  std::mt19937 random(7);
  std::uint64_t misses = 0;
  Line last = 0;
  for (int i = 0; i < 10'000; ++i) {
    const Line line = lines[random() % 7];
    m.core->load(std::uint64_t{line} * line_bytes, 8);
    if (line == last) continue;  // an L1 hit
    last = line;
    const auto found = std::find(recent.begin(), recent.end(), line);
    if (found == recent.end()) {
      ++misses;
      if (recent.size() == 4) recent.pop_back();
    } else {
      recent.erase(found);
    }
    recent.insert(recent.begin(), line);
  }
  CHECK(m.lines().lru.dram.read == misses);
}
