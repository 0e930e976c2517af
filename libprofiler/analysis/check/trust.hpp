// What the self-test found, kept by processor and microcode: an event that counts wrongly here is
// not to be used silently later.
#pragma once

#include <filesystem>
#include <optional>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

#include "analysis/counters/cpu_identity.hpp"
#include "self_test.hpp"

namespace roofmark::check {

/// What a finding holds for: the same core with the same microcode.
struct TrustKey {
  std::string processor;  ///< to_text(CpuIdentity)
  std::string microcode;  ///< "0x8001250"; empty where the kernel does not say
  bool operator==(const TrustKey&) const = default;
};
/// Of the processor that `cpuinfo` describes first.
TrustKey trust_key(std::string_view cpuinfo);

struct Finding {
  std::string collector, quantity, kernel;
  double factor = 0;
  bool trusted = false;
  bool operator==(const Finding&) const = default;
};

std::filesystem::path trust_file(const std::filesystem::path& folder, const TrustKey& key);
/// Whole or not at all. Rows that were not counted are no findings.
std::optional<Problem> save_findings(const std::filesystem::path& folder, const TrustKey& key,
                                     const std::vector<SelfTestRow>& rows);
/// Empty where there are none; a Problem where the file is damaged or of another processor.
Result<std::vector<Finding>> load_findings(const std::filesystem::path& folder,
                                           const TrustKey& key);
/// The first finding that speaks against a quantity of a collector; null where none does.
const Finding* distrust(const std::vector<Finding>& findings, std::string_view collector,
                        std::string_view quantity);

}  // namespace roofmark::check
