// A machine with round ceilings, and regions that do a known share of them.
#pragma once

#include <roofmark/profile.hpp>
#include <roofmark/roofline.hpp>
#include <string>
#include <vector>

namespace roofmark::test {

struct ClassOfWidth {
  const char* isa;
  unsigned width_bits;
};

inline void add_compute(Machine& machine, Precision precision, ClassOfWidth width, Operation op,
                        double flop_per_s, unsigned threads) {
  ComputeCeiling ceiling;
  ceiling.precision = precision;
  ceiling.isa = width.isa;
  ceiling.width_bits = width.width_bits;
  ceiling.operation = op;
  ceiling.threads = threads;
  ceiling.scope = threads == 1 ? "core" : "machine";
  ceiling.flop_per_s = flop_per_s * threads;
  ceiling.low = ceiling.flop_per_s * 0.99;
  ceiling.high = ceiling.flop_per_s * 1.01;
  machine.compute.push_back(ceiling);
}

inline void add_bandwidth(Machine& machine, const char* level, const char* pattern, const char* isa,
                          unsigned threads, double interface_bytes_per_s,
                          double program_share = 1) {
  BandwidthCeiling ceiling;
  ceiling.level = level;
  ceiling.pattern = pattern;
  ceiling.isa = isa;
  ceiling.threads = threads;
  ceiling.scope = threads == 1 ? "core" : "machine";
  ceiling.interface_bytes_per_s = interface_bytes_per_s;
  ceiling.program_bytes_per_s = interface_bytes_per_s * program_share;
  ceiling.low = interface_bytes_per_s * 0.98;
  ceiling.high = interface_bytes_per_s * 1.02;
  machine.bandwidth.push_back(ceiling);
}

/// Says that all of a machine's bandwidths are of memory in large pages, and adds main memory in
/// small ones at this share of the rate.
inline void add_small_pages(Machine& machine, double share) {
  std::vector<BandwidthCeiling> small;
  for (BandwidthCeiling& ceiling : machine.bandwidth) {
    ceiling.page_bytes = 2 << 20;
    if (ceiling.level != "DRAM") continue;
    small.push_back(ceiling);
    BandwidthCeiling& added = small.back();
    added.page_bytes = 4096;
    for (double* rate :
         {&added.interface_bytes_per_s, &added.program_bytes_per_s, &added.low, &added.high})
      *rate *= share;
  }
  machine.bandwidth.insert(machine.bandwidth.end(), small.begin(), small.end());
}

/// The same main memory once more, of another kind and at this multiple of the rate.
inline void add_memory_kind(Machine& machine, const char* kind, double factor) {
  const std::vector<BandwidthCeiling> own = machine.bandwidth;
  for (BandwidthCeiling ceiling : own) {
    if (ceiling.level != "DRAM") continue;
    ceiling.level = kind;
    for (double* rate : {&ceiling.interface_bytes_per_s, &ceiling.program_bytes_per_s, &ceiling.low,
                         &ceiling.high})
      *rate *= factor;
    machine.bandwidth.push_back(ceiling);
  }
}

/// Two cores of 20 GFLOP/s (f64 AVX2 FMA) under a shared DRAM of 20 GB/s for one and 30 for both.
inline Machine two_cores() {
  Machine machine;
  machine.topology.cores = machine.topology.threads = 2;
  machine.topology.caches = {{"L1", 32 << 10, 8, 64, 1, {}, {}},
                             {"L2", 512 << 10, 8, 64, 1, {}, {}},
                             {"L3", 8 << 20, 16, 64, 2, {}, {}}};
  machine.clock_hz = 2.5e9;
  for (const unsigned threads : {1U, 2U}) {
    for (const Precision precision : {Precision::f64, Precision::f32}) {
      const double lanes = precision == Precision::f32 ? 2 : 1;
      const auto at = [&](ClassOfWidth width, Operation op, double per_s) {
        add_compute(machine, precision, width, op, per_s, threads);
      };
      at({"scalar", 0}, Operation::fma, 10e9);
      at({"scalar", 0}, Operation::add, 5e9);
      at({"scalar", 0}, Operation::mul, 5e9);
      at({"scalar", 0}, Operation::muladd, 7.5e9);
      at({"scalar", 0}, Operation::div, 0.5e9);
      at({"scalar", 0}, Operation::sqrt, 0.4e9);
      at({"avx2", 256}, Operation::fma, 20e9 * lanes);
      at({"avx2", 256}, Operation::add, 10e9 * lanes);
      at({"avx2", 256}, Operation::mul, 10e9 * lanes);
      at({"avx2", 256}, Operation::muladd, 20e9 * lanes);
      at({"avx2", 256}, Operation::div, 1e9 * lanes);
      at({"avx2", 256}, Operation::sqrt, 0.8e9 * lanes);
    }
    for (const auto& [isa, per_s] : {std::pair{"scalar", 20e9}, std::pair{"avx2", 80e9}})
      for (const char* pattern : {"read", "copy", "triad"})
        add_bandwidth(machine, "L1", pattern, isa, threads, per_s * threads);
    add_bandwidth(machine, "L1", "write", "scalar", threads, 10e9 * threads);
    add_bandwidth(machine, "L1", "write", "avx2", threads, 40e9 * threads);
    for (const auto& [level, per_s] : {std::pair{"L2", 70e9}, std::pair{"L3", 50e9}}) {
      add_bandwidth(machine, level, "read", "avx2", threads, per_s * threads);
      add_bandwidth(machine, level, "triad", "avx2", threads, per_s * threads, 3.0 / 4);
      add_bandwidth(machine, level, "copy", "avx2", threads, per_s * threads, 2.0 / 3);
      add_bandwidth(machine, level, "write", "avx2", threads, per_s * threads, 1.0 / 2);
    }
    const double share = threads == 1 ? 1 : 1.5;
    add_bandwidth(machine, "DRAM", "read", "avx2", threads, 16e9 * share);
    add_bandwidth(machine, "DRAM", "triad", "avx2", threads, 20e9 * share, 3.0 / 4);
    add_bandwidth(machine, "DRAM", "copy", "avx2", threads, 18e9 * share, 2.0 / 3);
    add_bandwidth(machine, "DRAM", "write", "avx2", threads, 15e9 * share, 1.0 / 2);
    add_bandwidth(machine, "DRAM", "triad_nt", "avx2", threads, 19e9 * share);
    add_bandwidth(machine, "DRAM", "copy_nt", "avx2", threads, 17e9 * share);
    add_bandwidth(machine, "DRAM", "write_nt", "avx2", threads, 25e9 * share);
  }
  return machine;
}

inline Count counted(double value, Source source = Source::counted) {
  Count count;
  count.value = static_cast<std::uint64_t>(value);
  count.source = source;
  count.collector = "emulated";
  return count;
}

/// A region on one thread. Interfaces that are not set are not counted.
class RegionMaker {
 public:
  explicit RegionMaker(std::vector<std::string> path = {"kernel"}) {
    region_.path = std::move(path);
    region_.visits = 1;
    region_.threads = 1;
  }
  RegionMaker& wall(double seconds) {
    region_.work.wall_s = Measure{seconds, Source::measured, {}, {}};
    return *this;
  }
  RegionMaker& threads(unsigned threads, double cores_used) {
    region_.threads = threads;
    region_.cores_used = Measure{cores_used, Source::measured, {}, {}};
    return *this;
  }
  RegionMaker& flop(double value, unsigned width_bits = 256, Operation op = Operation::fma,
                    Precision precision = Precision::f64) {
    const double before =
        region_.work.flop.count(precision) ? double(region_.work.flop[precision].value) : 0;
    region_.work.flop[precision] = counted(before + value);
    if (value > 0)
      region_.work.mix.push_back({precision, width_bits, op, static_cast<std::uint64_t>(value)});
    return *this;
  }
  RegionMaker& bytes(const char* level, double read, double write,
                     Source source = Source::modelled) {
    region_.work.bytes[level] = {counted(read, source), counted(write, source)};
    return *this;
  }
  /// Nothing beyond L1.
  RegionMaker& in_l1(double read = 0, double write = 0) {
    return bytes("L1", read, write, Source::counted)
        .bytes("L2", 0, 0)
        .bytes("L3", 0, 0)
        .bytes("DRAM", 0, 0);
  }
  RegionMaker& operations(const char* name, double value) {
    region_.work.operations[name] = counted(value);
    return *this;
  }
  RegionMaker& flag(const char* name) {
    region_.flags.insert(name);
    return *this;
  }
  Region& edit() { return region_; }
  operator Region() const { return region_; }

 private:
  Region region_;
};

/// n elements of a[i] = b[i] + s * c[i] from main memory, in `wall` seconds.
inline RegionMaker triad(double n, double wall) {
  return RegionMaker({"triad"})
      .wall(wall)
      .flop(2 * n)
      .bytes("L1", 16 * n, 8 * n, Source::counted)
      .bytes("L2", 24 * n, 8 * n)
      .bytes("L3", 24 * n, 8 * n)
      .bytes("DRAM", 24 * n, 8 * n);
}

}  // namespace roofmark::test
