// Fuzzes the reader of counts: counts_fuzz SECONDS [SEED]. Lines of a true file with bytes changed,
// cut, doubled and swapped; whatever they are, reading ends in a value or a problem, under
// sanitizers without a finding.
#include <unistd.h>

#include <chrono>
#include <collectors/emulated/counts.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "tests/fuzz/mutation.hpp"

namespace {

const char* const true_file =
    R"({"schema": "roofmark-counts/1", "pid": 7, "ppid": 1, "sequence": 0, "exe": "/bin/x", "arguments": ["x"], "context": ["a", "b"], "isa": {"host": "avx512", "emulated": "avx2", "executed": "avx2", "queried_by": ["libopenblas.so.0"]}, "cpu_identity_of_host": 1, "fma_by_host": 1, "caches": "sampled", "sampling": "sets 1/8", "geometry": [{"name": "L1", "bytes": 49152, "ways": 12, "line_bytes": 64}]}
{"thread": 0, "tid": 7}
{"thread": 1, "tid": 8, "creator": 0}
{"region": ["solve", "spmv"], "thread": 0, "visits": 10, "flags": ["adopted"], "mix": [["f64", 256, "fma", 4096], ["x87", 0, "other", 3]], "operations": {"instructions": 900, "loads": 10}, "bytes": {"L1": [80, 40], "L2": [640, 640, 704, 0, 0, 0], "DRAM": [1, 2, 3, 4, 5, 18446744073709551615]}, "declared": {"flop": 100, "bytes": 800}}
{"function": "spmv", "object": "/bin/x", "file": "x.c", "flop": 10, "load_bytes": 80, "store_bytes": 8}
{"line": 12, "function": "spmv", "object": "/bin/x", "file": "x.c", "flop": 10, "load_bytes": 80, "store_bytes": 8}
{"note": "one sentence"}
{"end": "exit"}
)";

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 1;
  std::mt19937_64 random(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
  const auto file = std::filesystem::temp_directory_path() /
                    ("roofmark-counts-fuzz-" + std::to_string(getpid()) + ".jsonl");
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  unsigned long long rounds = 0, values = 0;
  while (std::chrono::steady_clock::now() < end) {
    std::ofstream(file, std::ios::binary | std::ios::trunc)
        << (rounds == 0 ? std::string(true_file) : roofmark::fuzz::mutated(true_file, random));
    const auto counts = roofmark::read_counts(file);
    if (counts) ++values;
    if ((rounds == 0 && !counts) || (!counts && counts.error().reason.empty())) {
      std::printf("round %llu: %s; the file is kept: %s\n", rounds,
                  counts ? "no reason" : counts.error().reason.c_str(), file.c_str());
      return 1;
    }
    ++rounds;
  }
  std::filesystem::remove(file);
  std::printf("%llu files read, %llu of them with a value\n", rounds, values);
  return 0;
}
