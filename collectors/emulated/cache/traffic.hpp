// What crossed the interfaces of the hierarchy on behalf of one owner, in lines of 64 bytes.
#pragma once
#include <cstdint>

#include "collectors/emulated/cache/geometry.hpp"

namespace roofmark::cache {

// An interface X is the boundary between X and the next level nearer the core: `read` is what X
// hands up (line fills), `write` what it is handed (write-backs). Fills belong to who asked,
// write-backs to who turned the line from clean to dirty.
struct InterfaceLines {
  std::uint64_t read = 0;
  std::uint64_t write = 0;
};

// The traffic of a sample of sets under one replacement policy.
struct PolicyLines {
  InterfaceLines l3;
  InterfaceLines dram;
};

struct Traffic {
  InterfaceLines l2;              // exact: every access is simulated in L1
  InterfaceLines l3;              // of the sampled sets when L2 and L3 are sampled
  InterfaceLines dram;            // likewise, without non-temporal stores
  std::uint64_t nontemporal = 0;  // exact: lines written past the caches
  std::uint64_t dram_write_evicting =
      0;  // DRAM write-backs that this owner's accesses caused, whoever's data it was
  InterfaceLines l2_sampled;  // the part of l2 whose lines fell into sampled sets
  PolicyLines plru;           // the sample simulated twice: with bit-PLRU ..
  PolicyLines lru;            // .. and with true LRU
};

struct ByteRange {
  std::uint64_t value = 0;
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

struct TrafficBytes {
  ByteRange l2_read, l2_write, l3_read, l3_write, dram_read, dram_write;
  std::uint64_t dram_write_evicting = 0;
  bool policy_dependent = false;  // low and high differ somewhere by more than `policy_tolerance`
};

inline constexpr double policy_tolerance = 0.03;
// Below so many lines in the twice simulated sample a difference is chance and says nothing.
inline constexpr std::uint64_t policy_evidence_lines = 64;

namespace detail {

inline std::uint64_t scaled(std::uint64_t n, double factor) {
  return static_cast<std::uint64_t>(static_cast<double>(n) * factor + 0.5);
}

// `lines` under the simulated policy; the other policy's value follows from the sample's ratio, or,
// where bit-PLRU sent nothing through, from the sample's own size.
inline ByteRange widened(std::uint64_t lines, std::uint64_t plru, std::uint64_t lru,
                         unsigned second_policy_shift, bool& dependent) {
  const std::uint64_t value = lines * line_bytes;
  const std::uint64_t most = plru > lru ? plru : lru;
  const std::uint64_t least = plru > lru ? lru : plru;
  if (second_policy_shift >= no_second_policy || most < policy_evidence_lines ||
      static_cast<double>(most - least) <= policy_tolerance * static_cast<double>(most)) {
    return {value, value, value};
  }
  dependent = true;
  const std::uint64_t other =
      plru >= policy_evidence_lines
          ? scaled(value, static_cast<double>(lru) / static_cast<double>(plru))
          : value + ((lru - plru) << second_policy_shift) * line_bytes;
  return {value, value < other ? value : other, value < other ? other : value};
}

// What passed an interface, from what passed it in the sampled sets and from how many lines came up
// to it: of the sample and in all. Where (nearly) every line of the sample that came also passed,
// the unsampled did too: that share of all that came is right for an array of any size, even a few
// lines in whose rounding plain scaling would be off. Elsewhere lines differ in how often they
// come, and the sample is scaled by the sets left out.
inline std::uint64_t passed(std::uint64_t sampled, std::uint64_t came_sampled, std::uint64_t came,
                            unsigned shift) {
  if (shift == 0) return sampled;
  const double share =
      came_sampled == 0 ? 0 : static_cast<double>(sampled) / static_cast<double>(came_sampled);
  return share >= 0.9 ? scaled(came, share) : sampled << shift;
}

}  // namespace detail

// Lines to bytes.
inline TrafficBytes bytes_of(const Traffic& t, const Sampling& sampling) {
  TrafficBytes b;
  const auto exact = [](std::uint64_t lines) {
    return ByteRange{lines * line_bytes, lines * line_bytes, lines * line_bytes};
  };
  b.l2_read = exact(t.l2.read);
  b.l2_write = exact(t.l2.write);
  const auto range = [&](std::uint64_t lines, std::uint64_t plru, std::uint64_t lru) {
    return detail::widened(lines, plru, lru, sampling.second_policy_shift, b.policy_dependent);
  };
  const unsigned shift = sampling.shift;
  const InterfaceLines l3{detail::passed(t.l3.read, t.l2_sampled.read, t.l2.read, shift),
                          detail::passed(t.l3.write, t.l2_sampled.write, t.l2.write, shift)};
  b.l3_read = range(l3.read, t.plru.l3.read, t.lru.l3.read);
  b.l3_write = range(l3.write, t.plru.l3.write, t.lru.l3.write);
  b.dram_read = range(detail::passed(t.dram.read, t.l3.read, l3.read, shift), t.plru.dram.read,
                      t.lru.dram.read);
  b.dram_write = range(detail::passed(t.dram.write, t.l3.write, l3.write, shift), t.plru.dram.write,
                       t.lru.dram.write);
  const std::uint64_t nontemporal = t.nontemporal * line_bytes;
  b.dram_write.value += nontemporal;
  b.dram_write.low += nontemporal;
  b.dram_write.high += nontemporal;
  b.dram_write_evicting = (t.dram_write_evicting << sampling.shift) * line_bytes + nontemporal;
  return b;
}

}  // namespace roofmark::cache
