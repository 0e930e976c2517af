// What the slices of a trace say of their regions, once those have been judged.
#pragma once

#include <map>
#include <roofmark/profile.hpp>
#include <string>
#include <vector>

namespace roofmark {

class TraceVerdicts {
 public:
  /// Without a profile: the run has not been judged yet. `shown_as` is the trace's.
  explicit TraceVerdicts(const Profile* judged,
                         const std::map<std::string, std::string>& shown_as = {});

  /// Why no region has a verdict; empty where some have.
  const std::string& none_because() const { return none_because_; }

  /// The members of a slice's `args`, as JSON text without braces; empty where nothing is known of
  /// this region.
  const std::string& members_of(const std::vector<std::string>& path) const;

 private:
  std::map<std::vector<std::string>, std::string> members_;
  std::string none_because_;
};

}  // namespace roofmark
