// Private caches, and what happens where threads share lines.
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
