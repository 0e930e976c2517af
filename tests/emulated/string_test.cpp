// Copies and fills by one instruction, which the emulator does ahead of its intermediate code.
#include "catch.hpp"
#include "counted_run.hpp"

using namespace counted;

namespace {

constexpr std::uint64_t KiB = 1024;

}  // namespace

TEST_CASE("a string instruction leaves memory and registers as on the processor, faults included") {
  const Run native = run_native({program("strings")});
  REQUIRE(native.wait_status == 0);
  for (const auto& options : {flop_only(), full(32 * KiB, 256 * KiB, 1024 * KiB)}) {
    const Run counted = run({program("strings")}, options);
    INFO(counted.errors);
    REQUIRE(counted.wait_status == 0);
    REQUIRE(counted.counts.problems.empty());
  }
}

TEST_CASE("its bytes cross the interfaces as those of a loop do") {
  // Of twice the L3, of half the L2, and of half the L1.
  for (const std::uint64_t bytes : {2048 * KiB, 64 * KiB, 8 * KiB}) {
    CAPTURE(bytes);
    constexpr std::uint64_t times = 3;
    const Run r = run({program("strings"), std::to_string(bytes), std::to_string(times)},
                      full(32 * KiB, 256 * KiB, 1024 * KiB));
    REQUIRE(r.wait_status == 0);
    Sum strings = sum(r, {"by string"}), words = sum(r, {"by words"}), filled = sum(r, {"filled"});
    CHECK(strings.operations["loads"] < 100);
    CHECK(strings.operations["instructions"] < 1000);
    CHECK(words.operations["loads"] >= times * bytes / 8);
    for (const char* level : {"L1", "L2", "L3", "DRAM"}) {
      CAPTURE(level);
      const auto& string_bytes = strings.bytes[level];
      const auto& word_bytes = words.bytes[level];
      // The first finds the caches as the fills before it left them, the second as the first did.
      const double slack = 512 * KiB;
      CHECK(double(string_bytes.read.value) == Approx(double(word_bytes.read.value)).margin(slack));
      CHECK(double(string_bytes.write.value) ==
            Approx(double(word_bytes.write.value)).margin(slack));
    }
    const auto asked = double(times * bytes);
    CHECK(double(strings.bytes["L1"].read.value) == Approx(asked).margin(KiB));
    CHECK(double(strings.bytes["L1"].write.value) == Approx(asked).margin(KiB));
    CHECK(double(filled.bytes["L1"].read.value) == Approx(0).margin(KiB));
    CHECK(double(filled.bytes["L1"].write.value) == Approx(asked).margin(KiB));
    if (bytes < 1024 * KiB) continue;
    CHECK(double(strings.bytes["DRAM"].read.value) == Approx(2 * asked).epsilon(0.02));
    CHECK(double(strings.bytes["DRAM"].write.value) == Approx(asked).epsilon(0.2));
  }
}
