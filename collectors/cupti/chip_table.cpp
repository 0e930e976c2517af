#include "chip_table.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/json/json_reader.hpp"
#include "table_file.hpp"

namespace roofmark::cupti {
namespace {

using Texts = std::map<std::string, std::string>;
template <class Item>
using Groups = std::map<std::string, std::vector<Item>>;

std::string one_of(const JsonReader& value, const char* key, const std::string& otherwise,
                   const std::set<std::string>& words) {
  if (!value.has(key) && !otherwise.empty()) return otherwise;
  std::string text = value.text(key);
  if (words.count(text) == 0) value.at(key).refuse("has the unknown value `" + text + "`");
  return text;
}

/// "flop.f64", "tensor.bf16", "op.i32", "bytes.HBM.read", "clock.sm", "time".
std::string quantity(const JsonReader& value) {
  std::string text = value.text("quantity");
  const std::string kind = text.substr(0, text.find('.'));
  const bool known = kind == "flop" || kind == "tensor" || kind == "op" || kind == "bytes" ||
                     kind == "clock" || text == "time";
  if (!known || text.back() == '.')
    value.at("quantity").refuse("has the unknown value `" + text + "`");
  return text;
}

/// CUPTI wants names with their roll-up: "sm__cycles_elapsed.avg.per_second".
std::string metric(const JsonReader& field) {
  std::string name = field.as_text();
  if (name.find("__") == std::string::npos || name.find('.') == std::string::npos)
    field.refuse("is no metric with its roll-up, such as `dram__bytes.sum`");
  return name;
}

double weight(const JsonReader& value) {
  const double number = value.number_or("weight", 1);
  if (number == 0) value.at("weight").refuse("is zero");
  return number;
}

MetricFormula read_formula(const JsonReader& value, const Texts& caveats) {
  MetricFormula formula;
  formula.quantity = quantity(value);
  formula.set = one_of(value, "set", "", {"sass", "hw", "tensor"});
  if (value.has("traffic"))
    formula.traffic = one_of(value, "traffic", "", {"interface", "nersc", "ncu", "import"});
  formula.source = one_of(value, "source", "measured", {"measured", "counted", "estimated"});
  value.each("sum", [&](const JsonReader& item) {
    formula.sum.push_back({metric(item.at("metric")), weight(item)});
  });
  if (formula.sum.empty()) value.refuse("has no terms in `sum`");
  value.each("caveats", [&](const JsonReader& item) {
    const auto found = caveats.find(item.as_text());
    if (found == caveats.end())
      return item.refuse("names `" + item.as_text() + "`, which is not among the caveats");
    formula.caveats.push_back(found->second);
  });
  return formula;
}

PeakFormula read_peak(const JsonReader& value) {
  PeakFormula peak{quantity(value), {metric(value.at("metric")), weight(value)}, {}};
  peak.clock = metric(value.at("clock"));
  return peak;
}

template <class Item>
std::vector<Item> items_of(const JsonReader& family, const char* key, const Groups<Item>& groups) {
  std::vector<Item> all;
  family.each(key, [&](const JsonReader& item) {
    const auto found = groups.find(item.as_text());
    if (found == groups.end())
      return item.refuse("names the unknown group `" + item.as_text() + "`");
    all.insert(all.end(), found->second.begin(), found->second.end());
  });
  return all;
}

void check_formulas(const JsonReader& family, const Chip& chip) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const MetricFormula& formula : chip.formulas)
    if (!seen.emplace(formula.quantity, formula.traffic).second)
      family.at("groups").refuse("give `" + formula.quantity + "` twice");
}

void read_family(const JsonReader& family, const Groups<MetricFormula>& groups,
                 const Groups<PeakFormula>& peaks, ChipTable& table) {
  Chip chip;
  chip.family = family.text("name");
  chip.integrated = family.flag_or("integrated", false);
  if (family.has("not_collected")) {
    chip.not_collected = family.at("not_collected").text("reason");
    chip.not_collected_fix = family.at("not_collected").text("fix");
  }
  chip.formulas = items_of(family, "groups", groups);
  check_formulas(family, chip);
  family.each("probe", [&](const JsonReader& item) { chip.probe.push_back(metric(item)); });
  chip.peaks = items_of(family, "peaks", peaks);
  family.each("not_counted", [&](const JsonReader& item) {
    chip.not_counted.push_back({quantity(item), item.text("reason"), item.text_or("fix", "")});
  });
  Texts notes;
  family.each_member("theory_notes", [&](const std::string& name, const JsonReader& value) {
    notes[name] = value.as_text();
  });
  family.each_member("theory", [&](const std::string& name, const JsonReader& value) {
    const double number = value.as_number();
    if (number <= 0) value.refuse("is not a positive number");
    chip.theory.push_back({name, number, notes[name]});
  });
  family.each_member("chips", [&](const std::string& name, const JsonReader& capability) {
    if (table.chip(name) != nullptr) capability.refuse("is in a second family");
    chip.name = name;
    chip.compute_capability = capability.as_text();
    table.chips.push_back(chip);
  });
}

template <class Item, class Read>
Groups<Item> groups_in(const JsonReader& root, const char* key, Read read) {
  Groups<Item> groups;
  root.each_member(key, [&](const std::string& name, const JsonReader& list) {
    if (!list.value().is_array()) return list.refuse("is not an array");
    root.at(key).each(name.c_str(),
                      [&](const JsonReader& item) { groups[name].push_back(read(item)); });
  });
  return groups;
}

}  // namespace

const MetricFormula* Chip::formula(std::string_view quantity, std::string_view traffic) const {
  for (const MetricFormula& candidate : formulas)
    if (candidate.quantity == quantity && candidate.traffic == traffic) return &candidate;
  return nullptr;
}

const Chip* ChipTable::chip(std::string_view name) const {
  for (const Chip& candidate : chips)
    if (candidate.name == name) return &candidate;
  return nullptr;
}

const Chip* ChipTable::of_capability(std::string_view capability) const {
  for (const Chip& candidate : chips)
    if (candidate.compute_capability == capability) return &candidate;
  return nullptr;
}

bool ChipTable::is_alone(const Chip& chip) const {
  return std::count_if(chips.begin(), chips.end(), [&](const Chip& other) {
           return other.compute_capability == chip.compute_capability;
         }) == 1;
}

Result<ChipTable> chip_table_from_json(std::string_view text, const std::string& name) {
  const auto parsed = table_document(text, name, "roofmark-gpu-chips/1");
  if (!parsed) return tl::unexpected(parsed.error());
  JsonProblems problems(name, table_remedy);
  const JsonReader root(*parsed, "", problems);
  Texts caveats;
  root.each_member("caveats", [&](const std::string& id, const JsonReader& value) {
    caveats[id] = value.as_text();
  });
  const auto groups = groups_in<MetricFormula>(
      root, "groups", [&](const JsonReader& item) { return read_formula(item, caveats); });
  const auto peaks = groups_in<PeakFormula>(root, "peaks", read_peak);
  ChipTable table;
  table.usual_tensor = root.texts("usual_tensor");
  root.each("families",
            [&](const JsonReader& family) { read_family(family, groups, peaks, table); });
  if (table.chips.empty() && problems.empty()) root.refuse("has no chips in `families`");
  if (!problems.empty()) return tl::unexpected(problems.first());
  return table;
}

Result<ChipTable> load_chip_table(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "chips.json";
  const auto text = table_file(file);
  if (!text) return tl::unexpected(text.error());
  return chip_table_from_json(*text, file.string());
}

}  // namespace roofmark::cupti
