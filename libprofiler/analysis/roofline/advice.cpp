// Applies the table in data/advice.json.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/roofline/advice_facts.hpp"
#include "analysis/roofline/gpu_machine.hpp"
#include "analysis/roofline/judgement.hpp"
#include "analysis/roofline/thresholds.hpp"
#include "analysis/text/quantities.hpp"

namespace roofmark::model {
namespace {

using Bounds = std::map<std::string, double>;
using Facts = std::map<std::string, AdviceFact>;

struct Entry {
  std::vector<Verdict> verdicts;
  std::vector<std::string> details;  ///< empty: any
  Bounds at_least, below;
  std::vector<std::string> absent;
  std::string text, falsifier, gain;
  bool of_gpu = false;
  bool otherwise = false;  ///< where no other entry holds
};

template <class Value>
Value field_or(const nlohmann::json& object, const char* key, Value otherwise) {
  return object.contains(key) ? object.at(key).get<Value>() : otherwise;
}

std::vector<Entry> read_entries() {
  std::vector<Entry> entries;
  const auto document = nlohmann::json::parse(advice_text());
  for (const auto& item : document.at("entries")) {
    Entry entry;
    for (const auto& word : item.at("verdicts"))
      entry.verdicts.push_back(parse_word<Verdict>(word.get<std::string>()).value());
    entry.details = field_or<std::vector<std::string>>(item, "details", {});
    entry.at_least = field_or<Bounds>(item, "at_least", {});
    entry.below = field_or<Bounds>(item, "below", {});
    entry.absent = field_or<std::vector<std::string>>(item, "absent", {});
    entry.text = item.at("text").get<std::string>();
    entry.falsifier = item.at("falsifier").get<std::string>();
    entry.gain = field_or<std::string>(item, "gain", "");
    entry.of_gpu = field_or<std::string>(item, "on", "cpu") == "gpu";
    entry.otherwise = field_or(item, "otherwise", false);
    entries.push_back(std::move(entry));
  }
  return entries;
}

template <class List, class Item>
bool holds(const List& list, const Item& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

bool applies(const Entry& entry, const Roofline& roofline, const Facts& facts) {
  if (!holds(entry.verdicts, roofline.verdict)) return false;
  if (!entry.details.empty() && !holds(entry.details, roofline.verdict_detail)) return false;
  for (const auto& [name, bound] : entry.at_least)
    if (const auto fact = facts.find(name); fact == facts.end() || fact->second.value < bound)
      return false;
  for (const auto& [name, bound] : entry.below)
    if (const auto fact = facts.find(name); fact == facts.end() || fact->second.value >= bound)
      return false;
  return std::none_of(entry.absent.begin(), entry.absent.end(),
                      [&](const std::string& name) { return facts.count(name) > 0; });
}

std::string formatted(const AdviceFact& fact, std::string_view format) {
  const auto [value, spread] = fact;
  if (format == "percent") return text::percent_text(value, spread);
  if (format == "factor") return text::gain_text(value, spread);
  const double told = text::within_share(value, spread);
  if (format == "seconds") return text::duration(told);
  if (format == "bytes_per_s") return text::with_prefix(told, "B/s");
  if (format == "flop_per_s") return text::with_prefix(told, "FLOP/s");
  return text::plain(told);
}

/// "{name|format}" replaced by the fact, "{binding}" by the ceiling's name, "{detail}" by the
/// verdict's; nothing where a fact is not known.
std::optional<std::string> filled(std::string_view text, const Roofline& roofline,
                                  const Facts& facts) {
  std::string made;
  while (true) {
    const auto open = text.find('{');
    made += text.substr(0, open);
    if (open == text.npos) return made;
    const auto close = text.find('}', open);
    const std::string_view field = text.substr(open + 1, close - open - 1);
    text.remove_prefix(close + 1);
    if (field == "binding" || field == "detail") {
      made += field == "binding" ? roofline.binding : roofline.verdict_detail;
      continue;
    }
    const auto bar = field.find('|');
    const auto fact = facts.find(std::string(field.substr(0, bar)));
    if (fact == facts.end()) return std::nullopt;
    made += formatted(fact->second, bar == field.npos ? "" : field.substr(bar + 1));
  }
}

}  // namespace

std::vector<Advice> advice(const Case& it, const Roofline& roofline) {
  static const std::vector<Entry> table = read_entries();
  const Facts facts = advice_facts(it, roofline);
  std::vector<Advice> made;
  for (const Entry& entry : table) {
    if (entry.of_gpu != is_gpu(it.machine) || !applies(entry, roofline, facts)) continue;
    if (entry.otherwise && !made.empty()) continue;
    const auto text = filled(entry.text, roofline, facts);
    const auto falsifier = filled(entry.falsifier, roofline, facts);
    if (!text || !falsifier) continue;
    Advice one{*text, *falsifier, std::nullopt};
    if (const auto gain = facts.find(entry.gain); gain != facts.end() && gain->second.value > 1)
      one.gain = gain->second.value;
    made.push_back(std::move(one));
  }
  // The largest gain first; what has no bound keeps the order of the table.
  std::stable_sort(made.begin(), made.end(), [](const Advice& a, const Advice& b) {
    return a.gain.value_or(1) > b.gain.value_or(1);
  });
  return made;
}

}  // namespace roofmark::model
