// Samples a program by timers of its threads' processor time, which its own libroofmark-timer.so
// sets: for machines where nobody may use perf. This half makes the files that they share, empties
// the rings of samples, and tells which file's code the addresses are.
#pragma once

#include <libprofiler/arena/timer_layout.h>
#include <sys/types.h>

#include <analysis/sampling/address_spaces.hpp>
#include <analysis/sampling/sample_store.hpp>
#include <analysis/sampling/sampled_run.hpp>
#include <analysis/sampling/system_calls.hpp>
#include <filesystem>
#include <map>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

namespace roofmark::sampling {

/// As perf's; the kernel looks at such timers once in a tick of its clock, and says how many
/// periods have passed.
inline constexpr double timer_period_s = 1009e-6;

class TimerSampling {
 public:
  /// Puts the control file into `directory`, where processes of the program leave theirs.
  static Result<TimerSampling> begin(const std::filesystem::path& directory);
  TimerSampling(TimerSampling&& other) noexcept;
  TimerSampling& operator=(TimerSampling&&) = delete;
  TimerSampling(const TimerSampling&) = delete;
  TimerSampling& operator=(const TimerSampling&) = delete;
  /// Nothing more is sampled.
  ~TimerSampling();

  /// Takes what there is, and removes the files of processes that have ended.
  void drain();
  /// `cpu_s`: the processor time that the kernel accounts for the program.
  Result<SampledRun> take(double cpu_s);

 private:
  struct Ring {
    arena::TimerRing* header = nullptr;
    std::filesystem::path stem;  ///< of its files, without their suffixes
    std::int32_t key = 0;        ///< of its address space
    pid_t process = 0;
    bool mapped = false;  ///< its first mappings have been read
    bool looked = false;  ///< for mappings that are new, in this turn
  };
  TimerSampling() = default;
  void find_rings();
  void open_ring(const std::filesystem::path& file);
  void read_ring(Ring& ring, bool last);
  void add(Ring& ring, const arena::TimerSample& sample, bool last);
  void read_maps(const std::filesystem::path& file, std::int32_t key);
  void close_ring(Ring& ring);
  bool is_over(const Ring& ring) const;
  std::vector<std::string> notes(double cpu_s) const;

  std::filesystem::path directory_;
  arena::TimerControl* control_ = nullptr;
  std::map<std::string, Ring> rings_;  ///< by their files
  std::int32_t keys_ = 0;
  AddressSpaces spaces_;
  SampleStore store_;
  SystemCalls calls_;
  std::uint64_t lost_ = 0, processes_ = 0, in_use_ = 0, refused_ = 0, blocked_ = 0;
  int error_ = 0;
  double seen_s_ = 0;  ///< processor time that all samples stood for, those in the kernel too
};

}  // namespace roofmark::sampling
