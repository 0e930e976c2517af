#include "cpu_features.hpp"

#include <sys/auxv.h>

#include "kernel.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace roofmark {
namespace {

constexpr bool bit(std::uint64_t word, unsigned number) {
  return (word >> number & 1) != 0;
}

}  // namespace

// Bit numbers: Intel SDM volume 2, CPUID; volume 1, 13.3 (XCR0).
std::set<std::string> x86_features(const X86Registers& r) {
  std::set<std::string> features;
  if (bit(r.leaf1_edx, 26)) features.insert("sse2");
  const bool os_saves = bit(r.leaf1_ecx, 27);
  const bool ymm = os_saves && (r.xcr0 & 0x6) == 0x6;
  const bool zmm = os_saves && (r.xcr0 & 0xe6) == 0xe6;
  if (!ymm || !bit(r.leaf1_ecx, 28)) return features;
  features.insert("avx");
  if (bit(r.leaf1_ecx, 12)) features.insert("fma");
  if (bit(r.leaf7_ebx, 5)) features.insert("avx2");
  if (zmm && bit(r.leaf7_ebx, 16)) features.insert("avx512f");
  return features;
}

// Linux, arch/arm64/include/uapi/asm/hwcap.h
std::set<std::string> aarch64_features(unsigned long hwcap) {
  std::set<std::string> features;
  if (bit(hwcap, 1)) features.insert("neon");
  if (bit(hwcap, 22)) features.insert("sve");
  return features;
}

// Linux, arch/riscv/include/uapi/asm/hwcap.h: one bit per letter.
std::set<std::string> riscv64_features(unsigned long hwcap) {
  std::set<std::string> features;
  if (bit(hwcap, 'd' - 'a')) features.insert("rv64d");
  if (bit(hwcap, 'v' - 'a')) features.insert("rvv");
  return features;
}

bool tsc_is_invariant(const X86Registers& registers) {
  return bit(registers.leaf80000007_edx, 8);
}

X86Registers read_x86_registers() {
  X86Registers r;
#if defined(__x86_64__)
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0) {
    r.leaf1_ecx = ecx;
    r.leaf1_edx = edx;
    if (bit(ecx, 27)) {
      std::uint32_t low = 0, high = 0;
      __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
      r.xcr0 = std::uint64_t{high} << 32 | low;
    }
  }
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0) r.leaf7_ebx = ebx;
  if (__get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) != 0) r.leaf80000007_edx = edx;
#endif
  return r;
}

const std::set<std::string>& cpu_features() {
#if defined(__x86_64__)
  static const std::set<std::string> features = x86_features(read_x86_registers());
#elif defined(__aarch64__)
  static const std::set<std::string> features = aarch64_features(getauxval(AT_HWCAP));
#elif defined(__riscv) && __riscv_xlen == 64
  static const std::set<std::string> features = riscv64_features(getauxval(AT_HWCAP));
#else
  static const std::set<std::string> features;
#endif
  return features;
}

}  // namespace roofmark
