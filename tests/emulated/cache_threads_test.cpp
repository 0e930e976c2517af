// Private caches, and what happens where threads share lines.
#include <random>

#include "cache_support.hpp"
#include "catch.hpp"

using namespace cache_tests;

TEST_CASE("each thread has its own L1 and L2; L3 is shared") {
  Machine m;
  Core* other = m.caches->attach();
  REQUIRE(other != m.core);
  m.core->set_owner(1);
  other->set_owner(2);
  read(*m.core, base, 256 * KiB);
  read(*other, base, 256 * KiB);
  CHECK(m.bytes(1).dram_read.value == 256 * KiB);
  CHECK(m.bytes(2).dram_read.value == 0);
  CHECK(m.bytes(2).l3_read.value == 256 * KiB);
  // A thread's work does not disturb what the other one has in L1.
  read(*m.core, base, 16 * KiB);
  const std::uint64_t before = m.lines(1).l2.read;
  read(*other, base + 64 * MiB, 4 * MiB);
  read(*m.core, base, 16 * KiB);
  CHECK(m.lines(1).l2.read == before);
}

TEST_CASE("two threads, a half of a triad each: 32 bytes per element") {
  Machine m;
  Core* cores[] = {m.core, m.caches->attach()};
  const std::uint64_t half = MiB;
  for (std::uint64_t chunk = 0; chunk < half; chunk += 4096) {  // by turns, as a scheduler would
    for (std::uint64_t t = 0; t < 2; ++t) {
      const std::uint64_t from = (t * half + chunk) * 8;
      cores[t]->set_owner(static_cast<std::uint32_t>(t) + 1);
      triad(*cores[t], 4096, base + from, base + 40 * MiB + from, base + 80 * MiB + from);
    }
  }
  m.caches->flush();
  for (const std::uint32_t owner : {1U, 2U}) {
    CHECK(m.bytes(owner).dram_read.value == 24 * half);
    CHECK(m.bytes(owner).dram_write.value == 8 * half);
  }
}

TEST_CASE("a store takes the line away from the other threads") {
  Machine m;
  Core* other = m.caches->attach();
  m.core->set_owner(1);
  other->set_owner(2);
  m.core->load(base, 8);
  other->load(base, 8);
  CHECK(m.lines(2).dram.read == 0);
  other->store(base, 8);
  m.core->load(base, 8);  // the writer's line comes down to L3, and back from there
  CHECK(m.lines(1).l2.read == 2);
  CHECK(m.lines(1).l3.read == 2);
  CHECK(m.lines(1).dram.read == 1);
  CHECK(m.lines(2).l2.write == 1);
  CHECK(m.lines(2).l3.write == 1);
  m.caches->flush();
  CHECK(m.lines(2).dram.write == 1);
  CHECK(m.lines(1).dram.write == 0);
}

TEST_CASE("a line that two threads write in turn travels each time; a private one stays") {
  Machine m;
  Core* other = m.caches->attach();
  m.core->set_owner(1);
  other->set_owner(2);
  for (int i = 0; i < 100; ++i) {
    m.core->store(base, 8);
    other->store(base + 8, 8);          // false sharing
    m.core->store(base + 64 * KiB, 8);  // private
  }
  CHECK(m.lines(1).l2.read == 101);
  CHECK(m.lines(2).l2.read == 100);
  CHECK(m.lines(1).dram.read + m.lines(2).dram.read == 2);
  m.caches->flush();
  CHECK(m.lines(1).dram.write + m.lines(2).dram.write == 2);
}

TEST_CASE("a non-temporal store drops the other threads' copies") {
  Machine m;
  Core* other = m.caches->attach();
  other->set_owner(2);
  other->store(base, 8);
  m.core->set_owner(1);
  m.core->store_nontemporal(base, 64);
  CHECK(m.lines(2).dram.write == 1);
  other->load(base, 8);
  CHECK(m.lines(2).dram.read == 2);
}

TEST_CASE("10^5 short threads need the caches of those that live at once") {
  Machine m;
  const std::size_t blocks = m.pool.blocks.size();
  for (int i = 0; i < 100'000; ++i) {
    Core* thread = m.caches->attach();
    thread->set_owner(1);
    thread->store(base, 8);
    m.caches->detach(thread);
  }
  CHECK(m.pool.blocks.size() < blocks + 16);
  // The next thread runs where the last one ran, and finds its lines.
  CHECK(m.lines(1).l2.read == 1);
}

TEST_CASE("more threads than cores: they share") {
  const Geometry tiny = {{2, 2, Index::modulo}, {4, 2, Index::hashed}, {64, 4, Index::hashed}};
  Machine m(tiny);
  std::vector<Core*> threads;
  for (std::uint32_t i = 0; i < Hierarchy::max_cores + 10; ++i) {
    threads.push_back(m.caches->attach());
    REQUIRE(threads.back() != nullptr);
    threads.back()->store(base + i * 64, 8);
  }
  for (Core* core : threads) core->load(base, 8);
  m.caches->flush();
  CHECK(m.lines().dram.read == Hierarchy::max_cores + 10);
  CHECK(m.lines().dram.write == Hierarchy::max_cores + 10);
}

namespace {

std::vector<std::uint64_t> numbers_of(const Traffic& t) {
  std::vector<std::uint64_t> n = {t.nontemporal, t.dram_write_evicting};
  for (const InterfaceLines& i :
       {t.l2, t.l3, t.dram, t.l2_sampled, t.plru.l3, t.plru.dram, t.lru.l3, t.lru.dram}) {
    n.push_back(i.read);
    n.push_back(i.write);
  }
  return n;
}

// What three threads do by turns to lines that they partly share, in the name of four owners;
// `watched`: the counts are looked at after every access.
std::vector<std::vector<std::uint64_t>> counts_of_a_walk(const Geometry& shape,
                                                         const Sampling& sampling, bool watched) {
  Machine m(shape, sampling);
  REQUIRE(m.wrong == nullptr);
  Core* cores[] = {m.core, nullptr, nullptr};
  std::mt19937 random(7);
  std::uint64_t stream = base + MiB;
  for (std::uint32_t i = 0; i < 60'000; ++i) {
    // The second and third come later: the first one's caches are full by then.
    Core*& core = cores[i < 20'000 ? 0 : i / 30 % 3];
    if (core == nullptr) core = m.caches->attach();
    if (i % 500 == 0) core->set_owner(random() % 4);
    const std::uint64_t address = i % 3 == 0   ? stream += 24
                                  : i % 3 == 1 ? base + random() % (256 * KiB)
                                               : base + random() % (4 * KiB);
    switch (random() % 16) {
      case 0:
        core->store_nontemporal(address, 8);
        break;
      case 1:
      case 2:
      case 3:
      case 4:
      case 5:
        core->store(address, 8);
        break;
      default:
        core->load(address, 8);
    }
    if (watched) m.lines();
  }
  m.caches->flush();
  std::vector<std::vector<std::uint64_t>> all;
  for (std::uint32_t owner = 0; owner < 4; ++owner) all.push_back(numbers_of(m.lines(owner)));
  return all;
}

}  // namespace

TEST_CASE("looking at the counts changes none of them, whoever takes turns") {
  const Geometry shapes[] = {
      {modulo(4 * KiB, 8), hashed(16 * KiB, 8), hashed(64 * KiB, 16)},
      {modulo(6 * KiB, 12), hashed(32 * KiB, 16), hashed(64 * KiB, 16)},
      {modulo(4 * KiB, 8), {}, hashed(64 * KiB, 16)},
      {modulo(4 * KiB, 8), hashed(16 * KiB, 8), {}},
      {{7, 3, Index::modulo}, {64, 8, Index::modulo}, {509, 5, Index::hashed}},
  };
  for (const Geometry& shape : shapes) {
    for (const Sampling& sampling : {Sampling{0, 2}, Sampling{0, no_second_policy}})
      CHECK(counts_of_a_walk(shape, sampling, false) == counts_of_a_walk(shape, sampling, true));
  }
  const Sampling sampled{2, 3};
  CHECK(counts_of_a_walk(shapes[0], sampled, false) == counts_of_a_walk(shapes[0], sampled, true));
}

TEST_CASE("a line thrown out of L1 a moment ago is written back at the end, and found by others") {
  // L1 holds two lines. The third one throws out the first, which is dirty.
  const auto thrown_out = [](Machine& m) {
    m.core->set_owner(1);
    m.core->store(base, 8);
    m.core->load(base + 1 * MiB, 8);
    m.core->load(base + 2 * MiB, 8);
  };
  const Geometry shape{{1, 2, Index::modulo}, hashed(16 * KiB, 8), hashed(64 * KiB, 16)};
  Machine ends(shape);
  thrown_out(ends);
  ends.caches->flush();
  CHECK(ends.lines(1).dram.write == 1);
  Machine shares(shape);
  thrown_out(shares);
  Core* other = shares.caches->attach();
  other->set_owner(2);
  other->load(base, 8);
  CHECK(shares.lines(1).l3.write == 1);
  CHECK(shares.lines(2).dram.read == 0);
}
