// Which processors a machine has, by what /proc/cpuinfo says of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roofmark {

/// One kind of core. A field that this architecture does not have is absent.
struct CpuIdentity {
  std::string vendor;  ///< "GenuineIntel"
  std::optional<std::uint64_t> family, model, stepping;
  std::optional<std::uint64_t> implementer, part;   ///< Arm
  std::optional<std::uint64_t> pvr;                 ///< POWER: the upper half, "0x4e"
  std::optional<std::uint64_t> mvendorid, marchid;  ///< RISC-V
  std::string uarch;                                ///< RISC-V: "sifive,u74-mc"
  std::string title;                                ///< what a person calls it; may be empty
  bool hypervisor = false;                          ///< x86: this is a virtual machine
  unsigned processors = 0;                          ///< hardware threads of this kind

  bool same_kind(const CpuIdentity& other) const;
};

/// "GenuineIntel family 6 model 85 stepping 4", "implementer 0x41 part 0xd0c", ...
std::string to_text(const CpuIdentity& identity);

/// The kinds of cores in the order in which they first appear; empty where the text names none.
std::vector<CpuIdentity> read_cpuinfo(std::string_view text);

}  // namespace roofmark
