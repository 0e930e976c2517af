// Traffic of kernels whose closed form is known. Bytes per element at DRAM: write-allocate reads
// the line that is stored to and writes it back later.
#include "catch.hpp"

#include "cache_support.hpp"

using namespace cache_tests;

namespace {
double ratio(std::uint64_t counted, double expected) {
  return static_cast<double>(counted) / expected;
}
}  // namespace

TEST_CASE("triad moves 32 bytes per element at every interface below L1") {
  Machine m;
  const std::uint64_t n = 4 * MiB;  // 3 x 32 MiB against an L3 of 8 MiB
  for (int repeat = 0; repeat < 2; ++repeat)
    triad(*m.core, n, base, base + 40 * MiB, base + 80 * MiB);
  m.caches->flush();
  const TrafficBytes b = m.bytes();
  const double elements = 2.0 * static_cast<double>(n);
  for (const ByteRange& read : {b.l2_read, b.l3_read, b.dram_read}) {
    CHECK(ratio(read.value, 24 * elements) == Approx(1).margin(1e-9));
  }
  for (const ByteRange& write : {b.l2_write, b.l3_write, b.dram_write}) {
    CHECK(ratio(write.value, 8 * elements) == Approx(1).margin(1e-9));
  }
  CHECK_FALSE(b.policy_dependent);
}

TEST_CASE("axpy moves 24 bytes per element") {
  Machine m;
  const std::uint64_t n = 4 * MiB;
  for (std::uint64_t i = 0; i < n; ++i) {
    m.core->load(base + 8 * i, 8);
    m.core->load(base + 64 * MiB + 8 * i, 8);
    m.core->store(base + 64 * MiB + 8 * i, 8);
  }
  m.caches->flush();
  CHECK(m.bytes().dram_read.value == 16 * n);
  CHECK(m.bytes().dram_write.value == 8 * n);
}

TEST_CASE(
    "triad with non-temporal stores moves 24 bytes per element, none of the stores through L2 and "
    "L3") {
  for (const std::uint32_t vector : {8U, 16U, 32U}) {
    Machine m;
    const std::uint64_t n = 2 * MiB;
    for (std::uint64_t at = 0; at < 8 * n; at += vector) {
      m.core->load(base + at, vector);
      m.core->load(base + 40 * MiB + at, vector);
      m.core->store_nontemporal(base + 80 * MiB + at, vector);
    }
    m.caches->flush();
    const TrafficBytes b = m.bytes();
    CHECK(b.dram_read.value == 16 * n);
    CHECK(b.dram_write.value == 8 * n);
    CHECK(b.l2_write.value == 0);
    CHECK(b.l3_write.value == 0);
  }
}

TEST_CASE(
    "a non-temporal store drops cached copies and writes their dirty data back to its owner") {
  Machine m;
  m.core->set_owner(1);
  m.core->store(base, 8);
  m.core->set_owner(2);
  m.core->store_nontemporal(base, 8);
  CHECK(m.lines(1).dram.write == 1);
  CHECK(m.lines(2).nontemporal == 1);
  m.core->load(base, 8);  // not in any cache: read from DRAM
  CHECK(m.lines(2).dram.read == 1);
  m.core->store_nontemporal(base + 8, 8);  // the load ended the gathering: a second transaction
  CHECK(m.lines(2).nontemporal == 2);
  m.caches->flush();
  CHECK(m.lines(1).dram.write == 1);
  CHECK(m.lines(2).dram.write == 0);
}

TEST_CASE("non-temporal stores gather by line, in a bounded number of buffers") {
  Machine m;
  // 8 streams in turn, 8 bytes each: all gather
  for (std::uint64_t i = 0; i < 1024; ++i) {
    for (std::uint64_t stream = 0; stream < 8; ++stream) {
      m.core->store_nontemporal(base + stream * MiB + 8 * i, 8);
    }
  }
  CHECK(m.lines().nontemporal == 8 * 1024 / 8);
  // a store across two lines is one transaction in each
  m.core->store_nontemporal(base + 32 * MiB + 32, 64);
  CHECK(m.lines().nontemporal == 8 * 1024 / 8 + 2);
  // 32 streams outnumber the buffers: each store is a transaction of its own
  Machine many;
  for (std::uint64_t i = 0; i < 64; ++i) {
    for (std::uint64_t stream = 0; stream < 32; ++stream) {
      many.core->store_nontemporal(base + stream * MiB + 8 * i, 8);
    }
  }
  CHECK(many.lines().nontemporal == 64 * 32);
}

TEST_CASE("naive dgemm at n = 512 over an L3 of 1 MiB: 8 n^3 + 24 n^2 bytes") {
  // B's columns are 4096 bytes apart. With plain address bits they would share one set in 64.
  Machine m({modulo(32 * KiB, 8), hashed(512 * KiB, 8), hashed(1 * MiB, 16)});
  const std::uint64_t n = 512;
  dgemm_naive(*m.core, n, n, base, base + 2 * MiB, base + 4 * MiB);
  m.caches->flush();
  const double expected = 8.0 * n * n * n + 24.0 * n * n;
  const TrafficBytes b = m.bytes();
  CHECK(ratio(b.dram_read.value + b.dram_write.value, expected) == Approx(1).margin(0.02));
  // Each line of C is written twice (see the next test), but for some of the last row's 64 lines,
  // which L2 or L3 still hold dirty at the end.
  CHECK(b.dram_write.value <= 16 * n * n);
  CHECK(b.dram_write.value >= 16 * n * n - 64 * line_bytes);
}

TEST_CASE("naive dgemm writes C once or twice, as B's columns share its set in L1 or not") {
  const std::uint64_t n = 512, rows = 24;
  const Geometry geometry{modulo(32 * KiB, 8), hashed(256 * KiB, 8), hashed(1 * MiB, 16)};
  const auto written = [&](std::uint64_t offset_of_c) {
    Machine m(geometry);
    dgemm_naive(*m.core, n, rows, base, base + 2 * MiB, base + 4 * MiB + offset_of_c);
    m.caches->flush();
    return m.bytes();
  };
  // In the set of the column: thrown out of L1 after each of the 8 stores to a line, and the last
  // element reaches DRAM a row after the others did, since no lower level holds all of L1.
  const TrafficBytes same = written(0);
  CHECK(same.l2_write.value == 8 * 8 * n * rows);
  CHECK(same.dram_write.value <= 2 * 8 * n * rows);
  CHECK(same.dram_write.value >= 2 * 8 * n * rows - 64 * line_bytes);
  CHECK(same.dram_write.high <= 2 * 8 * n * rows);
  // In any other set it stays in L1 for all 8.
  for (const std::uint64_t offset : {64U, 2048U}) {
    CHECK(written(offset).l2_write.value == 8 * n * rows);
    CHECK(written(offset).dram_write.value == 8 * n * rows);
  }
}

TEST_CASE("the index matters: without a hash naive dgemm moves eight times as much") {
  Machine m({modulo(32 * KiB, 8), modulo(512 * KiB, 8), modulo(1 * MiB, 16)});
  const std::uint64_t n = 512;
  for (std::uint64_t i = 0; i < 16; ++i) {  // 16 rows of C are enough to see it
    for (std::uint64_t j = 0; j < n; ++j) {
      for (std::uint64_t k = 0; k < n; ++k) m.core->load(base + 8 * (k * n + j), 8);
    }
  }
  CHECK(ratio(m.bytes().dram_read.value, 8.0 * n * n * 16) == Approx(8).margin(0.1));
}

TEST_CASE("write-backs belong to the region that dirtied the line, at every interface") {
  Machine m;
  const std::uint64_t array = 400'000;
  // The array is aligned to a line: 6250 lines of it.
  for (int repeat = 0; repeat < 10; ++repeat) {
    m.core->set_owner(1);
    increment(*m.core, base, array);
    m.core->set_owner(2);
    read(*m.core, base + 64 * MiB, 32 * MiB);
  }
  m.caches->flush();
  const TrafficBytes a = m.bytes(1);
  const TrafficBytes b = m.bytes(2);
  CHECK(a.dram_write.value == 4'000'000);
  CHECK(a.l2_write.value == 4'000'000);
  CHECK(a.l3_write.value == 4'000'000);
  CHECK(b.dram_write.value == 0);
  CHECK(b.l2_write.value == 0);
  CHECK(b.l3_write.value == 0);
  CHECK(b.dram_read.value == 10 * 32 * MiB);
  // The other view: who threw the lines out. B did, but for the last 400 kB ..
  CHECK(b.dram_write_evicting + a.dram_write_evicting + m.bytes(0).dram_write_evicting ==
        4'000'000);
  CHECK(b.dram_write_evicting > 3'900'000);
}

TEST_CASE("an array of 409600 bytes: 4096000 bytes of writes, all of them the writer's") {
  Machine m;
  for (int repeat = 0; repeat < 10; ++repeat) {
    m.core->set_owner(1);
    increment(*m.core, base, 409'600);
    m.core->set_owner(2);
    read(*m.core, base + 64 * MiB, 32 * MiB);
  }
  m.caches->flush();
  CHECK(m.bytes(1).dram_write.value == 4'096'000);
  CHECK(m.bytes(2).dram_write.value == 0);
}

TEST_CASE("the flush hands every dirty line to its owner, wherever it lies, and only once") {
  Machine m;
  const std::uint64_t sizes[] = {8 * KiB, 200 * KiB, 4 * MiB};  // left in L1, L2, L3
  for (std::uint32_t owner = 0; owner < 3; ++owner) {
    m.core->set_owner(owner + 1);
    increment(*m.core, base + owner * 64 * MiB, sizes[owner]);
  }
  m.caches->flush();
  for (std::uint32_t owner = 0; owner < 3; ++owner) {
    CHECK(m.bytes(owner + 1).l2_write.value == sizes[owner]);
    CHECK(m.bytes(owner + 1).l3_write.value == sizes[owner]);
    CHECK(m.bytes(owner + 1).dram_write.value == sizes[owner]);
  }
  m.caches->flush();
  CHECK(m.bytes(1).dram_write.value == sizes[0]);
}

TEST_CASE("a kernel that fits stays in its level") {
  Machine m;
  for (int repeat = 0; repeat < 100; ++repeat) read(*m.core, base, 16 * KiB);
  CHECK(m.bytes().l2_read.value == 16 * KiB);  // L1
  Machine two;
  for (int repeat = 0; repeat < 20; ++repeat) read(*two.core, base, 256 * KiB);
  CHECK(two.bytes().l2_read.value == 20 * 256 * KiB);
  CHECK(two.bytes().l3_read.value == 256 * KiB);  // L2
  Machine three;
  for (int repeat = 0; repeat < 5; ++repeat) read(*three.core, base, 4 * MiB);
  CHECK(three.bytes().l3_read.value == 5 * 4 * MiB);
  CHECK(three.bytes().dram_read.value == 4 * MiB);  // L3
}

TEST_CASE("accesses of any size and alignment touch each of their lines once") {
  Machine m;
  m.core->load(base + 60, 8);
  CHECK(m.lines().l2.read == 2);
  m.core->load(base + 128, 64);
  CHECK(m.lines().l2.read == 3);
  m.core->load(base + 192 + 1, 64);
  CHECK(m.lines().l2.read == 5);
  m.core->store(base + 4096 + 10, 512);  // an fxsave: 522 bytes from a line's start, 9 lines
  CHECK(m.lines().l2.read == 14);
  m.core->load(base, 0);
  CHECK(m.lines().l2.read == 14);
  m.core->load(~std::uint64_t{0} - 3, 4);  // the last bytes of the address space
  CHECK(m.lines().l2.read == 15);
  m.caches->flush();
  CHECK(m.lines().l2.write == 9);
}

TEST_CASE("geometries: prime set counts, few and many ways, no L2, no L3, this machine's L3") {
  const std::uint64_t n = MiB;  // elements; 24 MiB in all
  for (const LevelShape l1 : {LevelShape{61, 3, Index::modulo}, LevelShape{64, 12, Index::modulo},
                              LevelShape{512, 1, Index::modulo}}) {
    for (const LevelShape l2 :
         {LevelShape{1021, 8, Index::hashed}, LevelShape{}, LevelShape{997, 20, Index::modulo}}) {
      for (const LevelShape l3 : {LevelShape{8191, 12, Index::hashed}, LevelShape{},
                                  LevelShape{4099, 32, Index::hashed}}) {
        Machine m({l1, l2, l3});
        REQUIRE(m.wrong == nullptr);
        // offsets that keep the three streams out of each other's set in the direct-mapped L1
        triad(*m.core, n, base, base + 40 * MiB + 4 * KiB, base + 80 * MiB + 8 * KiB);
        m.caches->flush();
        CHECK(m.bytes().dram_read.value == 24 * n);
        CHECK(m.bytes().dram_write.value == 8 * n);
      }
    }
  }
  const LevelShape host = hashed(480 * MiB, 16);
  CHECK(host.sets == 491520);
  CHECK(host.bytes() == 480 * MiB);
  Machine m({modulo(48 * KiB, 12), hashed(2 * MiB, 16), host});
  REQUIRE(m.wrong == nullptr);
  for (int repeat = 0; repeat < 3; ++repeat) read(*m.core, base, 64 * MiB);
  CHECK(m.bytes().dram_read.value == 64 * MiB);
}

TEST_CASE("what can't be simulated is said") {
  CHECK(Machine({LevelShape{}, {}, {}}).wrong != nullptr);
  CHECK(Machine({LevelShape{64, 33, Index::modulo}, {}, {}}).wrong != nullptr);
  CHECK(Machine({modulo(32 * KiB, 8), modulo(512 * KiB, 8), {}}, Sampling{3, 4}).wrong != nullptr);
  Hierarchy* caches = new Hierarchy;
  const Memory none{[](void*, std::uint64_t) -> void* { return nullptr; }, nullptr};
  CHECK(caches->create(none, small, {}) != nullptr);
  delete caches;
}

TEST_CASE("a line's owner is bounded: beyond that the first owner pays") {
  Machine m;
  CHECK(m.core->set_owner(Hierarchy::max_owners - 1));
  CHECK_FALSE(m.core->set_owner(Hierarchy::max_owners));
  m.core->load(base, 8);
  CHECK(m.lines(0).l2.read == 1);
  CHECK(m.caches->traffic_of(5 * 1024) == nullptr);
}
