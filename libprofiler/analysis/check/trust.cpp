#include "trust.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "analysis/files/write_file.hpp"
#include "analysis/machine/identity.hpp"

namespace roofmark::check {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* schema = "roofmark-findings/1";

std::string text_or_empty(const Json& value, const char* name) {
  return value.is_object() && value.contains(name) && value[name].is_string()
             ? value[name].get<std::string>()
             : std::string();
}

std::optional<Finding> finding(const Json& value) {
  Finding found{text_or_empty(value, "collector"), text_or_empty(value, "quantity"),
                text_or_empty(value, "kernel"), 0, false};
  if (found.collector.empty() || found.quantity.empty()) return std::nullopt;
  const std::string verdict = text_or_empty(value, "verdict");
  if (verdict != "trusted" && verdict != "untrusted") return std::nullopt;
  found.trusted = verdict == "trusted";
  if (value.contains("factor") && value["factor"].is_number())
    found.factor = value["factor"].get<double>();
  return found;
}

}  // namespace

TrustKey trust_key(std::string_view cpuinfo) {
  TrustKey key;
  const std::vector<CpuIdentity> cpus = read_cpuinfo(cpuinfo);
  if (!cpus.empty()) key.processor = to_text(cpus.front());
  std::istringstream lines{std::string(cpuinfo)};
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("microcode", 0) != 0) continue;
    const std::size_t colon = line.find(':');
    const std::size_t first =
        colon == std::string::npos ? colon : line.find_first_not_of(" \t", colon + 1);
    if (first != std::string::npos) key.microcode = line.substr(first);
    break;
  }
  return key;
}

fs::path trust_file(const fs::path& folder, const TrustKey& key) {
  return folder /
         ("counters-" + identity_key({{"processor", key.processor}, {"microcode", key.microcode}}) +
          ".json");
}

std::optional<Problem> save_findings(const fs::path& folder, const TrustKey& key,
                                     const std::vector<SelfTestRow>& rows) {
  Json root = {{"schema", schema}, {"processor", key.processor}, {"microcode", key.microcode}};
  root["findings"] = Json::array();
  for (const SelfTestRow& row : rows) {
    if (row.verdict() == Trust::not_counted) continue;
    Json entry = {{"collector", row.collector}, {"quantity", row.quantity}, {"kernel", row.kernel}};
    if (const auto factor = row.factor()) entry["factor"] = *factor;
    entry["verdict"] = spelling(row.verdict());
    root["findings"].push_back(std::move(entry));
  }
  std::error_code fault;
  fs::create_directories(folder, fault);
  return write_file(trust_file(folder, key),
                    root.dump(1, ' ', false, Json::error_handler_t::replace) + "\n",
                    "set XDG_CACHE_HOME to a writable directory");
}

Result<std::vector<Finding>> load_findings(const fs::path& folder, const TrustKey& key) {
  const fs::path file = trust_file(folder, key);
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return std::vector<Finding>();
  std::ostringstream text;
  text << stream.rdbuf();
  const Problem damaged{"what the self-test found can't be read", file.string(), "roofmark check"};
  const Json root = Json::parse(text.str(), nullptr, false);
  if (root.is_discarded() || text_or_empty(root, "schema") != schema ||
      TrustKey{text_or_empty(root, "processor"), text_or_empty(root, "microcode")} != key ||
      !root.contains("findings") || !root["findings"].is_array())
    return tl::unexpected(damaged);
  std::vector<Finding> findings;
  for (const Json& entry : root["findings"]) {
    auto one = finding(entry);
    if (!one) return tl::unexpected(damaged);
    findings.push_back(std::move(*one));
  }
  return findings;
}

const Finding* distrust(const std::vector<Finding>& findings, std::string_view collector,
                        std::string_view quantity) {
  const auto found = std::find_if(findings.begin(), findings.end(), [&](const Finding& one) {
    return !one.trusted && one.collector == collector && one.quantity == quantity;
  });
  return found == findings.end() ? nullptr : &*found;
}

}  // namespace roofmark::check
