// Which instruction sets may run here. The rules are pure, so that tests can ask about other
// machines.
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace roofmark {

/// What CPUID and XGETBV of an x86-64 say.
struct X86Registers {
  std::uint32_t leaf1_ecx = 0, leaf1_edx = 0;
  std::uint32_t leaf7_ebx = 0;
  std::uint64_t xcr0 = 0;  ///< state that the operating system saves; 0 without XSAVE
  std::uint32_t leaf80000007_edx = 0;
};

std::set<std::string> x86_features(const X86Registers& registers);
std::set<std::string> aarch64_features(unsigned long hwcap);
std::set<std::string> riscv64_features(unsigned long hwcap);

/// The time-stamp counter runs at one rate whatever the core does.
bool tsc_is_invariant(const X86Registers& registers);
X86Registers read_x86_registers();

}  // namespace roofmark
