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

using CpuidHelper = void (*)(VexGuestAMD64State*);
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

void cpuid_of_host(VexGuestAMD64State* guest) {
  const auto leaf = static_cast<UInt>(guest->guest_RAX);
  const auto subleaf = static_cast<UInt>(guest->guest_RCX);
  vex_cpuid(guest);
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

const IRDirty* with_host_identity(const IRDirty* call) {
  if (VG_(strstr)(call->cee->name, "CPUID") == nullptr) return nullptr;
  vex_cpuid = reinterpret_cast<CpuidHelper>(reinterpret_cast<UWord>(call->cee->addr));
  IRDirty* ours = deepCopyIRDirty(call);
  ours->cee =
      mkIRCallee(call->cee->regparms, "cpuid_of_host", reinterpret_cast<void*>(&cpuid_of_host));
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
