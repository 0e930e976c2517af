#include "cpuid.hpp"

extern "C" {
#include <libvex_guest_amd64.h>
}

namespace roofmark::emulator {
namespace {

struct Leaf {
  UInt a, b, c, d;
};

Leaf host_leaf(UInt leaf, UInt subleaf) {
  Leaf r{leaf, 0, subleaf, 0};
  __asm__ volatile("cpuid" : "+a"(r.a), "=b"(r.b), "+c"(r.c), "=d"(r.d));
  return r;
}

// What follows the state: whether the host has F16C, RDRAND and RDSEED; not all of VEX's helpers
// ask.
using CpuidHelper = void (*)(VexGuestAMD64State*, HWord, HWord, HWord);
constinit CpuidHelper vex_cpuid = nullptr;

void answer(VexGuestAMD64State* guest, const Leaf& r) {
  guest->guest_RAX = r.a;
  guest->guest_RBX = r.b;
  guest->guest_RCX = r.c;
  guest->guest_RDX = r.d;
}

constexpr UInt logical_processors = 0xFFU << 16;
constexpr UInt enhanced_rep_movsb = 1U << 9, fast_short_rep_movsb = 1U << 4;

void copy_bits(ULong& to, UInt from, UInt bits) {
  to = (to & ~ULong{bits}) | (from & bits);
}

void cpuid_of_host(VexGuestAMD64State* guest, ULong set_subleaf, HWord f16c, HWord rdrand,
                   HWord rdseed) {
  if (set_subleaf != Subleaf::unknown) guest->guest_RCX = set_subleaf;
  const auto leaf = static_cast<UInt>(guest->guest_RAX);
  const auto subleaf = static_cast<UInt>(guest->guest_RCX);
  vex_cpuid(guest, f16c, rdrand, rdseed);
  const Leaf host = host_leaf(leaf, subleaf);
  switch (leaf) {
    case 0:  // vendor; the highest leaf stays VEX's
      guest->guest_RBX = host.b;
      guest->guest_RCX = host.c;
      guest->guest_RDX = host.d;
      break;
    case 1:  // family, model, stepping; how many logical processors a package has
      guest->guest_RAX = host.a;
      copy_bits(guest->guest_RBX, host.b, logical_processors);
      break;
    case 2:           // Intel cache descriptors
    case 4:           // Intel caches
    case 0xB:         // topology: which processors share a cache
    case 0x80000000:  // highest extended leaf: the AMD cache leaves lie up there
    case 0x80000002:  // brand
    case 0x80000003:
    case 0x80000004:
    case 0x80000005:  // AMD L1
    case 0x80000006:  // AMD L2 and L3
    case 0x80000008:  // AMD core count
    case 0x8000001D:  // AMD caches
    case 0x8000001E:  // AMD topology
      answer(guest, host);
      break;
    case 7:  // how quick string instructions are: glibc's thresholds hang on it
      if (subleaf != 0) break;
      copy_bits(guest->guest_RBX, host.b, enhanced_rep_movsb);
      copy_bits(guest->guest_RDX, host.d, fast_short_rep_movsb);
      break;
    default:
      break;
  }
}

}  // namespace

void Subleaf::pass(Addr address, UInt length) {
  constexpr UInt ecx = 1;
  const auto* code = reinterpret_cast<const UChar*>(address);
  if (asked_ || length < 2) value_ = unknown;
  asked_ = length == 2 && code[0] == 0x0F && code[1] == 0xA2;  // CPUID itself, which sets ECX
  if (asked_ || length < 2) return;
  const bool of_registers = length == 2 && code[1] >= 0xC0;
  const UInt reg = code[1] >> 3 & 7, rm = code[1] & 7;
  if (length == 5 && code[0] == 0xB8 + ecx) {  // mov ecx, constant
    value_ = code[1] | code[2] << 8 | code[3] << 16 | ULong{code[4]} << 24;
  } else if (of_registers && (code[0] == 0x31 || code[0] == 0x33) && reg == ecx && rm == ecx) {
    value_ = 0;  // xor ecx, ecx
  } else {
    // Setting another register may stand between; whatever else does may change ECX.
    const bool constant = length == 5 && code[0] >= 0xB8 && code[0] <= 0xBF;
    const bool copied =
        of_registers && ((code[0] == 0x89 && rm != ecx) || (code[0] == 0x8B && reg != ecx));
    if (!constant && !copied) value_ = unknown;
  }
}

const IRDirty* with_host_identity(const IRDirty* call, ULong subleaf) {
  if (VG_(strstr)(call->cee->name, "CPUID") == nullptr) return nullptr;
  vex_cpuid = reinterpret_cast<CpuidHelper>(reinterpret_cast<UWord>(call->cee->addr));
  IRDirty* ours = deepCopyIRDirty(call);
  ours->cee =
      mkIRCallee(call->cee->regparms, "cpuid_of_host", reinterpret_cast<void*>(&cpuid_of_host));
  // The state comes first; what VEX's helper is told besides, moves up behind the sub-leaf.
  IRExpr* told[3];
  Int next = 1;
  for (IRExpr*& each : told)
    each = call->args[next] != nullptr ? call->args[next++] : mkIRExpr_HWord(0);
  ours->args =
      mkIRExprVec_5(call->args[0], IRExpr_Const(IRConst_U64(subleaf)), told[0], told[1], told[2]);
  return ours;
}

const HChar* host_isa() {
  if (host_leaf(0, 0).a >= 7) {
    const UInt features = host_leaf(7, 0).b;
    if ((features >> 16 & 1) != 0) return "avx512";
    if ((features >> 5 & 1) != 0) return "avx2";
  }
  return (host_leaf(1, 0).c >> 28 & 1) != 0 ? "avx" : "sse2";
}

const HChar* emulated_isa() {
  VexArch arch;
  VexArchInfo info;
  VG_(machine_get_VexArchInfo)(&arch, &info);
  if ((info.hwcaps & VEX_HWCAPS_AMD64_AVX2) != 0) return "avx2";
  return (info.hwcaps & VEX_HWCAPS_AMD64_AVX) != 0 ? "avx" : "sse2";
}

bool host_has_fma() {
  return (host_leaf(1, 0).c >> 12 & 1) != 0;
}

}  // namespace roofmark::emulator
