#include <nlohmann/json.hpp>

#include "analysis/text/plain_text.hpp"
#include "capabilities.hpp"

namespace roofmark::check {
namespace {

using Json = nlohmann::ordered_json;

/// `reason` and `fix` are there where something is not.
void add_problem(Json& value, const std::optional<Problem>& problem) {
  if (!problem) return;
  value["reason"] = text::printable(problem->reason);
  if (!problem->remedy.empty()) value["fix"] = text::printable(problem->remedy);
}

Json to_value(const SelfTestRow& row) {
  Json value = {{"collector", row.collector},
                {"quantity", row.quantity},
                {"kernel", row.kernel},
                {"expected", row.expected}};
  if (row.counted) value["counted"] = *row.counted;
  if (const auto factor = row.factor()) value["factor"] = *factor;
  value["verdict"] = spelling(row.verdict());
  if (!row.reason.empty()) value["reason"] = row.reason;
  return value;
}

}  // namespace

std::string render_check_json(const CheckReport& report) {
  Json root = {{"schema", "roofmark-check/1"}};
  root["system"] = Json::array();
  for (const Fact& fact : report.facts) {
    Json value = {{"name", fact.name}, {"value", text::printable(fact.value)}};
    if (!fact.fix.empty()) value["fix"] = fact.fix;
    root["system"].push_back(std::move(value));
  }
  root["collectors"] = Json::array();
  for (const Collector& collector : report.collectors) {
    Json value = {{"name", collector.name}, {"available", !collector.problem}};
    add_problem(value, collector.problem);
    if (!collector.limit.empty()) value["limit"] = collector.limit;
    root["collectors"].push_back(std::move(value));
  }
  root["quantities"] = Json::array();
  for (const QuantityState& state : report.quantities) {
    Json value = {{"table", state.table},
                  {"quantity", state.quantity},
                  {"scope", spelling(state.scope)},
                  {"available", !state.problem}};
    add_problem(value, state.problem);
    root["quantities"].push_back(std::move(value));
  }
  root["self_test"] = Json::array();
  for (const SelfTestRow& row : report.self_test) root["self_test"].push_back(to_value(row));
  root["not_tested"] = Json::array();
  for (const Problem& problem : report.problems) {
    Json value = {{"where", text::printable(problem.where)}};
    add_problem(value, problem);
    root["not_tested"].push_back(std::move(value));
  }
  root["notes"] = report.notes;
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace roofmark::check
