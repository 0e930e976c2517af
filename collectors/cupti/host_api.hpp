// The host half of CUPTI: which metrics a chip has, and in how many passes they are counted. It
// needs no GPU and no driver; it is loaded where it is installed, and never linked.
#pragma once

#include <memory>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

namespace roofmark::cupti {

class HostApi {
 public:
  /// $ROOFMARK_CUPTI_LIBRARY where it is set, else where CUDA is usually installed. A Problem where
  /// there is none, or one that this program was not built for.
  static Result<HostApi> load();

  std::string version() const;  ///< "CUPTI 13.0 (API version 130001)"

  /// Names in capitals, as CUPTI spells them; of all chips that it can plan for.
  std::vector<std::string> chips() const;

  /// Whether the chip has this metric, with its roll-up.
  bool has_metric(const std::string& chip, const std::string& metric) const;

  /// How many passes the metrics take together; a Problem where the chip lacks one of them.
  Result<int> passes(const std::string& chip, const std::vector<std::string>& metrics) const;

 private:
  struct Functions;
  std::shared_ptr<const Functions> functions_;
};

}  // namespace roofmark::cupti
