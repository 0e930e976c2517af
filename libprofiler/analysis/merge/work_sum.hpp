// The sum of what many ranks counted.
#pragma once

#include <cstdint>
#include <map>
#include <roofmark/profile.hpp>
#include <string>
#include <vector>

namespace roofmark {

/// Adds the reasons that are new to the sum's, while there is room: thousands of ranks may lack
/// something each.
void add_reasons(std::vector<Missing>& sum, const std::vector<Missing>& more);

/// A quantity that one rank lacks is lacked by the sum.
class WorkSum {
 public:
  /// Whose work: of a device it is each rank's own launches that were counted, which add up. What
  /// ranks of a host count of a device or a socket that they share would be in the sum several
  /// times.
  enum class Of { host, device };
  explicit WorkSum(Of of = Of::host) : of_(of) {}

  /// `tensor_known`: a type of tensor operations that it has not is 0.
  void add(const Work& work, bool tensor_known = true);
  /// Without times.
  Work work() const;

 private:
  struct BytesSeen {
    std::uint64_t read = 0, write = 0, total = 0;
  };

  bool adds_up(const Count& count) const;

  Of of_;
  std::uint64_t ranks_ = 0;
  Work sum_;
  // By quantity: how many ranks had it.
  std::map<Precision, std::uint64_t> flop_seen_;
  std::map<std::string, BytesSeen> bytes_seen_;
  std::map<std::string, std::uint64_t> operations_seen_, events_seen_;
  std::uint64_t mix_seen_ = 0;
  bool tensor_known_ = true;
};

}  // namespace roofmark
