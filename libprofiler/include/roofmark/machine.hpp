// A machine's own limits: topology and measured ceilings. `roofmark-machine/1` in memory.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <roofmark/words.hpp>
#include <string>
#include <vector>

namespace roofmark {

/// A limit on FLOP/s for one class of operation.
struct ComputeCeiling {
  Precision precision = Precision::f64;
  std::string isa;          ///< "scalar", "sse", "avx2", "avx512", "neon", "sve", "rvv"
  unsigned width_bits = 0;  ///< 0: scalar
  Operation operation = Operation::fma;
  std::string scope = "core";  ///< "core", "llc", "numa", "socket", "machine"
  unsigned threads = 1;
  double flop_per_s = 0;
  double flop_per_cycle = 0;  ///< 0: clock not observed
  double low = 0, high = 0;   ///< p10 and p90 of the windows, as flop_per_s; low <= value <= high
  Source source = Source::measured;
  bool sustained = false;          ///< measured over >= 1 s on all cores of the scope
  std::vector<std::string> flags;  ///< "noisy", "below_theory", "shared_core", ...
  std::string placement;           ///< of those in Machine::apart_compute: "smt"
};

/// A limit on bytes/s at one interface for one access pattern.
struct BandwidthCeiling {
  std::string level;    ///< "L1", "L2", "L3", "DRAM", "HBM"
  std::string pattern;  ///< "read", "write", "copy", "triad", "write_nt", "copy_nt", "triad_nt"
  std::string isa;      ///< as ComputeCeiling::isa, or "gpr": general registers
  std::string scope = "core";
  unsigned threads = 1;
  double interface_bytes_per_s =
      0;  ///< what crosses the interface: write-allocate and write-back included
  double program_bytes_per_s = 0;  ///< what the loads and stores asked for
  double low = 0, high = 0;        ///< p10 and p90, as interface_bytes_per_s
  double page_bytes = 0;           ///< page size the buffer really had
  Source source = Source::measured;
  std::vector<std::string> flags;
  std::string placement;                ///< of those in Machine::apart_bandwidth: "smt", "remote"
  std::optional<unsigned> memory_node;  ///< OS number of the one node that its memory was bound to
};

struct CacheLevel {
  std::string name;  ///< "L1", "L2", "L3"
  std::uint64_t bytes = 0;
  unsigned ways = 0;
  unsigned line_bytes = 64;
  unsigned shared_by = 1;                        ///< cores that share one instance
  std::optional<std::uint64_t> confirmed_bytes;  ///< what the pointer chase found to be ours
  std::optional<double> latency_s;
};

struct Topology {
  unsigned sockets = 1, numa_nodes = 1, cores = 1, threads = 1;  ///< allowed to this process
  unsigned smt = 1;                                              ///< hardware threads per core
  std::vector<CacheLevel> caches;                                ///< as one core sees them
  std::map<std::string, unsigned> core_kinds;                    ///< "P": 8, "E": 16 on hybrids
  std::map<std::string, unsigned> scope_cores;  ///< "llc": 4, "machine": 16: allowed cores in one
  std::map<std::string, std::uint64_t> memory_bytes;  ///< by kind: "DRAM", "HBM"
};

/// A limit of a whole GPU.
struct GpuCeiling {
  std::string quantity;      ///< "flop.f32", "tensor.bf16", "op.i32", "bytes.HBM", "bytes.shared"
  std::string pattern;       ///< what attained it: "fma", "wgmma", "copy"; empty: nothing ran
  double per_s = 0;          ///< FLOPs, operations or bytes
  double per_cycle = 0;      ///< of the SMs' clock, or of memory's for its bytes; 0: not known
  double low = 0, high = 0;  ///< as per_s
  Source source = Source::theoretical;  ///< `measured` on it, `estimated` from its own metrics, ...
  std::vector<std::string> flags;
  bool operator==(const GpuCeiling&) const = default;
};

/// A GPU of the machine. Its locus is "gpu:" and its uuid.
struct Gpu {
  std::string uuid;                ///< "GPU-..." as nvidia-smi writes it
  std::string name;                ///< "NVIDIA H100 80GB HBM3"
  std::string chip;                ///< "GH100"; empty: not known
  std::string compute_capability;  ///< "9.0"
  bool integrated = false;         ///< its memory is the host's
  bool mig = false;                ///< an instance of a part of a GPU
  unsigned multiprocessors = 0;
  std::uint64_t memory_bytes = 0, l2_bytes = 0;
  std::optional<double> sm_clock_hz, memory_clock_hz;  ///< at which the ceilings hold
  std::vector<GpuCeiling> ceilings;
  std::vector<std::string> notes;
  bool operator==(const Gpu&) const = default;
};

struct Machine {
  std::map<std::string, std::string>
      identity;  ///< cpu_model, microcode, cores_allowed, kernel, hostname, virtual, ...
  Topology topology;
  std::optional<double> clock_hz;  ///< core clock seen while measuring
  std::optional<double> tsc_hz;
  std::string measured_at;  ///< RFC 3339
  std::vector<ComputeCeiling> compute;
  std::vector<BandwidthCeiling> bandwidth;
  /// What stands beside the roof and is never it: all hardware threads of a core ("smt"), memory of
  /// another NUMA node ("remote").
  std::vector<ComputeCeiling> apart_compute;
  std::vector<BandwidthCeiling> apart_bandwidth;
  std::vector<Gpu> gpus;
  std::vector<std::string> notes;  ///< what is implausible or was left out, one sentence each
};

}  // namespace roofmark
