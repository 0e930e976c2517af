#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/json/json_reader.hpp"
#include "analysis/json/strict_json.hpp"
#include "analysis/text/parsing.hpp"
#include "event_table.hpp"

namespace roofmark {
namespace {

constexpr const char* remedy = "see docs/events.md for what a table holds, or remove the file";

/// "0x01c7" or 455: codes are written as manuals write them.
std::uint64_t code(const JsonReader& field) {
  if (field.value().is_number_unsigned()) return field.value().get<std::uint64_t>();
  const auto* text = field.value().get_ptr<const std::string*>();
  // Decimal digits in quotes are refused: was it meant as a hexadecimal code?
  if (text != nullptr && text->rfind("0x", 0) == 0)
    if (const auto number = text::code_number(*text)) return *number;
  field.refuse("is neither a whole number nor a hexadecimal code such as \"0x01c7\"");
  return 0;
}

std::optional<std::uint64_t> optional_code(const JsonReader& value, const char* key) {
  if (!value.has(key)) return std::nullopt;
  return code(value.at(key));
}

std::vector<std::uint64_t> codes(const JsonReader& value, const char* key) {
  std::vector<std::uint64_t> all;
  value.each(key, [&](const JsonReader& item) { all.push_back(code(item)); });
  return all;
}

/// [low, high], or one number for both.
NumberRange range(const JsonReader& field) {
  const auto& value = field.value();
  if (value.is_number_unsigned()) return {value.get<std::uint64_t>(), value.get<std::uint64_t>()};
  if (value.is_array() && value.size() == 2 && value[0].is_number_unsigned() &&
      value[1].is_number_unsigned() &&
      value[0].get<std::uint64_t>() <= value[1].get<std::uint64_t>())
    return {value[0].get<std::uint64_t>(), value[1].get<std::uint64_t>()};
  field.refuse("is neither a whole number nor a range [LOW, HIGH]");
  return {};
}

template <class Word, std::size_t N>
Word one_of(const JsonReader& value, const char* key, const std::array<Word, N>& words) {
  const std::string text = value.text(key);
  for (const Word word : words)
    if (spelling(word) == text) return word;
  value.at(key).refuse("has the unknown value `" + text + "`");
  return words.front();
}

MatchRule read_rule(const JsonReader& value) {
  MatchRule rule;
  rule.vendor = value.text_or("vendor", "");
  rule.family = optional_code(value, "family");
  value.each("models", [&](const JsonReader& item) { rule.models.push_back(range(item)); });
  if (value.has("steppings")) rule.steppings = range(value.at("steppings"));
  rule.implementer = optional_code(value, "implementer");
  rule.parts = codes(value, "parts");
  rule.pvrs = codes(value, "pvrs");
  rule.mvendorid = optional_code(value, "mvendorid");
  rule.marchids = codes(value, "marchids");
  rule.uarchs = value.texts("uarchs");
  rule.core_pmu = value.text_or("core_pmu", "cpu");
  const bool names_something = !rule.vendor.empty() || rule.implementer || !rule.pvrs.empty() ||
                               rule.mvendorid || !rule.uarchs.empty();
  if (!names_something)
    value.refuse("names no processor: give vendor, implementer, pvrs, mvendorid or uarchs");
  return rule;
}

CounterEvent read_event(const std::string& name, const JsonReader& value) {
  CounterEvent event;
  event.name = name;
  event.pfm = value.text_or("pfm", "");
  if (value.has("type"))
    event.type = one_of(value, "type",
                        std::array{EventType::raw, EventType::hardware, EventType::software,
                                   EventType::breakpoint, EventType::tracepoint});
  if (value.has("config"))
    event.numbers =
        AttributeNumbers{code(value.at("config")), optional_code(value, "config1").value_or(0),
                         optional_code(value, "config2").value_or(0)};
  event.sysfs = value.text_or("sysfs", "");
  event.pmu = value.text_or("pmu", "");
  event.alias = value.text_or("alias", "");
  if (value.has("scale")) event.scale = value.positive("scale");
  event.unit = value.text_or("unit", "");
  event.breakpoint = value.text_or("breakpoint", "");
  event.fixed = value.flag_or("fixed", false);
  event.watchdog = value.flag_or("watchdog", false);
  event.takes = value.small_count_or("takes", 1);
  value.each("only", [&](const JsonReader& item) {
    event.only.push_back(static_cast<unsigned>(item.as_count(63)));
  });
  event.uses = value.texts("uses");
  if (event.takes < 1 || event.takes > 64) value.at("takes").refuse("is not from 1 to 64");
  if (event.pmu.empty() && !event.numbers)
    value.refuse("is an event of the core and has no `config`");
  if (!event.numbers && event.sysfs.empty() && event.alias.empty())
    value.refuse("says nowhere how it is asked for: give `config`, `sysfs` or `alias`");
  return event;
}

FormulaTerm read_term(const JsonReader& value, const EventTable& table) {
  FormulaTerm term;
  term.weight = value.at("weight").as_number();
  term.event = value.text("event");
  if (value.has("width_bits")) term.width_bits = value.small_count_or("width_bits", 0);
  term.variable = value.text_or("variable", "");
  if (table.event(term.event) == nullptr)
    value.at("event").refuse("names `" + term.event + "`, which is not among the events");
  if (!term.variable.empty() && table.variables.count(term.variable) == 0)
    value.at("variable").refuse("names `" + term.variable + "`, which is not among the variables");
  if (term.weight == 0) value.at("weight").refuse("is zero");
  return term;
}

Formula read_formula(const JsonReader& value, const EventTable& table,
                     const std::map<std::string, std::string>& caveats) {
  Formula formula;
  formula.quantity = value.text("quantity");
  if (!unit_of_quantity(formula.quantity))
    value.at("quantity").refuse("has the unknown value `" + formula.quantity + "`");
  formula.scope = value.word<Scope>("scope");
  formula.bound =
      one_of(value, "bound", std::array{Bound::exact, Bound::lower, Bound::upper, Bound::estimate});
  formula.counts = value.text("counts");
  if (value.has("fma_weight")) formula.fma_weight = value.positive("fma_weight");
  value.each("sum", [&](const JsonReader& item) { formula.sum.push_back(read_term(item, table)); });
  if (formula.sum.empty()) value.refuse("has no terms in `sum`");
  value.each("caveats", [&](const JsonReader& item) {
    const std::string id = item.as_text();
    const auto found = caveats.find(id);
    if (found == caveats.end())
      return item.refuse("names `" + id + "`, which is no caveat of this table or of common.json");
    formula.caveats.push_back(found->second);
  });
  return formula;
}

NotCountable read_not_countable(const JsonReader& value) {
  NotCountable entry{value.texts("quantities"), value.text("reason"), value.text("remedy")};
  for (const std::string& quantity : entry.quantities)
    if (!unit_of_quantity(quantity))
      value.at("quantities").refuse("holds the unknown quantity `" + quantity + "`");
  return entry;
}

std::map<std::string, std::string> texts_by_name(const JsonReader& root, const char* key) {
  std::map<std::string, std::string> all;
  root.each_member(
      key, [&](const std::string& name, const JsonReader& value) { all[name] = value.as_text(); });
  return all;
}

bool speaks_of(const EventTable& table, const std::string& quantity) {
  const auto in = [&](const NotCountable& entry) {
    return std::find(entry.quantities.begin(), entry.quantities.end(), quantity) !=
           entry.quantities.end();
  };
  return std::any_of(table.formulas.begin(), table.formulas.end(),
                     [&](const Formula& formula) { return formula.quantity == quantity; }) ||
         std::any_of(table.not_countable.begin(), table.not_countable.end(), in);
}

void append_common(EventTable& table, const CommonEntries& common) {
  for (NotCountable entry : common.not_countable) {
    auto& names = entry.quantities;
    names.erase(std::remove_if(names.begin(), names.end(),
                               [&](const std::string& name) { return speaks_of(table, name); }),
                names.end());
    if (!names.empty()) table.not_countable.push_back(std::move(entry));
  }
}

/// The document, or why it is none of this schema.
Result<nlohmann::ordered_json> document(std::string_view text, const std::string& name,
                                        const std::string& schema) {
  auto parsed = parse_strictly(text, name);
  if (!parsed) {
    Problem problem = parsed.error();
    problem.remedy = remedy;
    return tl::unexpected(problem);
  }
  if (!parsed->is_object() || !parsed->contains("schema") || (*parsed)["schema"] != schema)
    return tl::unexpected(Problem{"the document is not a `" + schema + "`", name, remedy});
  return parsed;
}

}  // namespace

const CounterEvent* EventTable::event(std::string_view event_name) const {
  for (const CounterEvent& candidate : events)
    if (candidate.name == event_name) return &candidate;
  return nullptr;
}

Result<CommonEntries> common_entries_from_json(std::string_view text, const std::string& name) {
  const auto json = document(text, name, "roofmark-events-common/1");
  if (!json) return tl::unexpected(json.error());
  JsonProblems problems(name, remedy);
  const JsonReader root(*json, "", problems);
  CommonEntries common;
  common.caveats = texts_by_name(root, "caveats");
  root.each("not_countable", [&](const JsonReader& item) {
    common.not_countable.push_back(read_not_countable(item));
  });
  if (!problems.empty()) return tl::unexpected(problems.first());
  return common;
}

Result<EventTable> event_table_from_json(std::string_view text, const std::string& name,
                                         const CommonEntries& common) {
  const auto json = document(text, name, "roofmark-events/1");
  if (!json) return tl::unexpected(json.error());
  JsonProblems problems(name, remedy);
  const JsonReader root(*json, "", problems);
  EventTable table;
  table.file = name;
  table.name = root.text("name");
  table.about = root.text_or("about", "");
  table.core_type = root.text_or("core_type", "");
  table.libpfm = root.text_or("libpfm", "");
  root.each("match", [&](const JsonReader& item) { table.match.push_back(read_rule(item)); });
  if (table.match.empty()) root.refuse("has no rule in `match`");
  const JsonReader counters = root.at("counters");
  table.counters.general = static_cast<unsigned>(counters.at("general").as_count(64));
  table.counters.general_without_smt =
      counters.has("general_without_smt")
          ? static_cast<unsigned>(counters.at("general_without_smt").as_count(64))
          : table.counters.general;
  counters.each_member("limits", [&](const std::string& resource, const JsonReader& value) {
    table.counters.limits[resource] = static_cast<unsigned>(value.as_count(1000));
  });
  table.variables = texts_by_name(root, "variables");
  root.each_member("events", [&](const std::string& event, const JsonReader& value) {
    table.events.push_back(read_event(event, value));
  });
  std::map<std::string, std::string> caveats = texts_by_name(root, "caveats");
  caveats.insert(common.caveats.begin(), common.caveats.end());
  root.each("quantities", [&](const JsonReader& item) {
    table.formulas.push_back(read_formula(item, table, caveats));
  });
  root.each("not_countable", [&](const JsonReader& item) {
    table.not_countable.push_back(read_not_countable(item));
  });
  table.sources = root.texts("sources");
  if (!problems.empty()) return tl::unexpected(problems.first());
  append_common(table, common);
  return table;
}

}  // namespace roofmark
