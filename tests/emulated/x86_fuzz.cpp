// Fuzzes the decoder: x86_fuzz SECONDS [SEED]. Random bytes, and instructions of the zoo with bits
// flipped; a sanitizer build finds reads past the end, the checks find results that can't be.
#include <collectors/emulated/x86/decode.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>

using namespace roofmark::x86;

extern "C" const std::uint8_t roofmark_zoo[];
extern "C" const std::uint8_t roofmark_zoo_end[];

namespace {

bool plausible(const Instruction& i) {
  if (i.width_bits != 0 && i.width_bits != 128 && i.width_bits != 256 && i.width_bits != 512)
    return false;
  if (i.kind != Kind::flop) return i.flop == 0;
  const bool empty_dot = i.operation == Operation::dot && i.flop == 0;
  return (i.flop > 0 || empty_dot) && i.flop <= 128;
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 1;
  std::mt19937_64 random(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
  const auto zoo_slots = static_cast<std::size_t>(roofmark_zoo_end - roofmark_zoo) / 32;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  unsigned long long rounds = 0;
  while (std::chrono::steady_clock::now() < end) {
    for (int batch = 0; batch < 10'000; ++batch, ++rounds) {
      const std::size_t length = random() % 20;
      // On the heap and of exactly this size, so that a read past the end is seen.
      const std::unique_ptr<std::uint8_t[]> bytes(new std::uint8_t[length]);
      const std::uint8_t* form = roofmark_zoo + 32 * (random() % zoo_slots);
      const bool mutate = random() % 2 == 0;
      for (std::size_t i = 0; i < length; ++i) {
        bytes[i] = mutate ? form[i] : static_cast<std::uint8_t>(random());
        if (mutate && random() % 8 == 0)
          bytes[i] = static_cast<std::uint8_t>(bytes[i] ^ (1U << (random() % 8)));
      }
      if (plausible(decode(bytes.get(), length))) continue;
      std::printf("implausible after %llu rounds:", rounds);
      for (std::size_t i = 0; i < length; ++i) std::printf(" %02x", bytes[i]);
      std::printf("\n");
      return 1;
    }
  }
  std::printf("%llu instructions decoded\n", rounds);
  return 0;
}
