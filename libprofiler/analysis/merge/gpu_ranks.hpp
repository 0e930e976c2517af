// What the ranks of a job did on GPUs, summed for each device apart: a rank's kernels are its own,
// and so are their counts. Ranks' files have no common clock, so what several of them did on one
// device may have run at once or in turns: such times are ranges, and gaps are not known.
#pragma once

#include <analysis/merge/work_sum.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <roofmark/profile.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace roofmark {

class GpuRanks {
 public:
  /// Devices that are kept apart; what further ones did is left out and said. More roofs than these
  /// nobody looks at, and what is kept stays bounded whatever the size of the job.
  static constexpr std::size_t most_devices = 64;

  /// The rank that the next regions are of.
  void begin_rank(const Machine& machine);
  /// `place`: the number of the region that launched it.
  void add_kernel(std::size_t place, const Region& kernel);
  /// What a region of the host had done on GPUs.
  void add_region(std::size_t place, const Region& region);

  bool has_kernels(std::size_t place) const;
  /// Kernels behind the rows that launched them, shares of the rows, GPUs and notes. `places`: of
  /// each row of the job.
  void put(const std::vector<std::size_t>& places, Profile& job) const;

 private:
  struct TimeSum {
    double value_s = 0, longest_s = 0, high_s = 0;
    std::uint64_t ranks = 0;
    std::optional<Measure> first;

    void add(const Measure& time);
    std::optional<Measure> measure() const;
  };
  struct Device {
    std::string uuid;
    Gpu gpu;
    std::uint64_t ranks = 0, last_rank = 0;
  };
  struct KernelSum {
    Region first;
    std::uint64_t ranks = 0, visits = 0, graph_launches = 0;
    bool shapes_differ = false, all_timed = true, all_clocks = true;
    double cycles = 0;  ///< clock x launches
    TimeSum time;
    WorkSum work{WorkSum::Of::device};
    std::set<std::string> flags;
    std::vector<Missing> missing;
  };
  struct ShareSum {
    GpuShare first;
    std::optional<GpuShare> with_kernels;  ///< the first rank's that launched any there
    std::uint64_t ranks = 0, launches = 0, counted_ranks = 0;
    bool all_timed = true;
    TimeSum busy;
    std::optional<GpuCalls> calls;
    std::map<std::string, GpuCopies> copies;
    WorkSum work{WorkSum::Of::device};
    std::vector<Missing> missing;
  };
  struct KernelPlace {
    std::size_t place = 0, device = 0;
    std::string symbol;
    auto operator<=>(const KernelPlace&) const = default;
  };

  /// Nothing for a device beyond those that are kept.
  std::optional<std::size_t> device(const std::string& uuid);
  Region kernel_row(const KernelSum& sum) const;
  GpuShare share_of(const ShareSum& sum) const;
  void put_shares(std::size_t place, Region& region) const;
  std::vector<Region> kernel_rows(std::size_t place) const;
  void name(const std::vector<std::size_t>& places, Profile& job,
            std::vector<std::vector<Region>>& kernels) const;
  void put_notes(Profile& job) const;

  const Machine* machine_ = nullptr;  ///< of the rank that is being added
  std::uint64_t rank_ = 0;
  std::vector<Device> devices_;
  std::map<std::string, std::size_t> by_uuid_;
  std::set<std::string> left_out_;
  std::map<KernelPlace, KernelSum> kernels_;
  std::map<std::pair<std::size_t, std::size_t>, ShareSum> shares_;  ///< by place and device
  std::map<std::size_t, GpuCalls> calls_;
};

}  // namespace roofmark
