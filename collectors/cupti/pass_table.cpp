#include "pass_table.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/json/json_reader.hpp"
#include "analysis/json/json_writer.hpp"
#include "table_file.hpp"

namespace roofmark::cupti {
namespace {

constexpr const char* schema = "roofmark-gpu-passes/1";

int read_passes(const JsonReader& field) {
  const auto count = field.as_count(1000);
  if (count == 0) field.refuse("is zero");
  return static_cast<int>(count);
}

PassGroup read_group(const JsonReader& value) {
  PassGroup group;
  group.chips = value.texts("chips");
  value.each_member("passes", [&](const std::string& metric, const JsonReader& count) {
    group.passes[metric] = read_passes(count);
  });
  value.each_member("runs", [&](const std::string& set, const JsonReader&) {
    value.at("runs").each(set.c_str(), [&](const JsonReader& item) {
      PackedRun run{item.texts("metrics"), read_passes(item.at("passes"))};
      for (const std::string& metric : run.metrics)
        if (group.passes.count(metric) == 0)
          item.at("metrics").refuse("names `" + metric + "`, which is not among the passes");
      group.runs[set].push_back(std::move(run));
    });
  });
  return group;
}

void write_run(JsonWriter& json, const PackedRun& run) {
  json.new_line();
  json.open_object();
  json.key("passes");
  json.integer(run.passes);
  json.key("metrics");
  json.open_array();
  for (const std::string& metric : run.metrics) json.text(metric);
  json.close_array();
  json.close_object();
}

void write_group(JsonWriter& json, const PassGroup& group) {
  json.new_line();
  json.open_object();
  json.key("chips");
  json.open_array();
  for (const std::string& chip : group.chips) json.text(chip);
  json.close_array();
  json.new_line();
  json.key("passes");
  json.open_object();
  for (const auto& [metric, passes] : group.passes) {
    json.new_line();
    json.key(metric);
    json.integer(passes);
  }
  json.close_object();
  json.new_line();
  json.key("runs");
  json.open_object();
  for (const auto& [set, runs] : group.runs) {
    json.new_line();
    json.key(set);
    json.open_array();
    for (const PackedRun& run : runs) write_run(json, run);
    json.close_array();
  }
  json.close_object();
  json.close_object();
}

/// Every metric that the chip's formulas, probes and peaks name.
Metrics all_metrics(const Chip& chip) {
  Metrics all;
  for (const MetricFormula& formula : chip.formulas)
    for (const MetricTerm& term : formula.sum) all.push_back(term.metric);
  all.insert(all.end(), chip.probe.begin(), chip.probe.end());
  for (const PeakFormula& peak : chip.peaks) {
    all.push_back(peak.per_cycle.metric);
    all.push_back(peak.clock);
  }
  return all;
}

}  // namespace

const PassGroup* PassTable::of_chip(std::string_view chip) const {
  for (const PassGroup& group : groups)
    if (std::find(group.chips.begin(), group.chips.end(), chip) != group.chips.end()) return &group;
  return nullptr;
}

Result<PassTable> pass_table_from_json(std::string_view text, const std::string& name) {
  const auto parsed = table_document(text, name, schema);
  if (!parsed) return tl::unexpected(parsed.error());
  JsonProblems problems(name, table_remedy);
  const JsonReader root(*parsed, "", problems);
  PassTable table;
  table.made_by = root.text("made_by");
  root.each("groups", [&](const JsonReader& item) { table.groups.push_back(read_group(item)); });
  if (!problems.empty()) return tl::unexpected(problems.first());
  return table;
}

Result<PassTable> load_pass_table(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "passes.json";
  const auto text = table_file(file);
  if (!text) return tl::unexpected(text.error());
  return pass_table_from_json(*text, file.string());
}

std::string to_json(const PassTable& table) {
  JsonWriter json;
  json.open_object();
  json.key("schema");
  json.text(schema);
  json.new_line();
  json.key("made_by");
  json.text(table.made_by);
  json.new_line();
  json.key("groups");
  json.open_array();
  for (const PassGroup& group : table.groups) write_group(json, group);
  json.last_line();
  json.close_array();
  json.close_object();
  return json.take() + "\n";
}

std::vector<std::string> tensor_types(const Chip& chip, const std::vector<std::string>& usual) {
  std::vector<std::string> types;
  for (const std::string& type : usual)
    if (chip.formula("tensor." + type, "") != nullptr) types.push_back(type);
  for (const MetricFormula& formula : chip.formulas)
    if (formula.set == "tensor") {
      const std::string type = formula.quantity.substr(formula.quantity.find('.') + 1);
      if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
    }
  return types;
}

Metrics every_run_of(const std::string& set) {
  return set == "sass" ? Metrics{} : Metrics{"gpu__time_duration.sum"};
}

std::vector<PackedItem> items_of(const Chip& chip, const std::string& set,
                                 const std::string& traffic,
                                 const std::vector<std::string>& types) {
  std::vector<PackedItem> items;
  const auto add = [&](const MetricFormula& formula) {
    PackedItem item;
    for (const MetricTerm& term : formula.sum) item.metrics.push_back(term.metric);
    items.push_back(std::move(item));
  };
  if (set == "tensor") {
    for (const std::string& type : types)
      if (const MetricFormula* formula = chip.formula("tensor." + type, "")) add(*formula);
    return items;
  }
  for (const MetricFormula& formula : chip.formulas)
    if (formula.set == set && (formula.traffic.empty() || formula.traffic == traffic)) add(formula);
  if (set != "hw") return items;
  if (!chip.probe.empty()) items.push_back({chip.probe, false});
  for (const PeakFormula& peak : chip.peaks)
    items.push_back({{peak.per_cycle.metric, peak.clock}, true});
  return items;
}

PassTable make_pass_table(
    const ChipTable& chips, const std::string& made_by,
    const std::function<std::optional<int>(const std::string&, const Metrics&)>& passes_of) {
  PassTable table;
  table.made_by = made_by;
  for (const Chip& chip : chips.chips) {
    PassGroup group;
    group.chips = {chip.name};
    const PassesOf of_chip = [&](const Metrics& metrics) { return passes_of(chip.name, metrics); };
    for (const std::string& metric : all_metrics(chip))
      if (const auto passes = of_chip({metric})) group.passes[metric] = *passes;
    const auto pack = [&](const std::string& key, const std::string& set,
                          const std::string& traffic) {
      const auto types = tensor_types(chip, chips.usual_tensor);
      auto runs = pack_runs(items_of(chip, set, traffic, types), every_run_of(set), of_chip);
      if (!runs.empty()) group.runs[key] = std::move(runs);
    };
    pack("sass", "sass", "");
    pack("tensor", "tensor", "");
    for (const std::string& traffic : traffic_words) pack("hw." + traffic, "hw", traffic);
    const auto same = [&](const PassGroup& other) {
      return other.passes == group.passes &&
             to_json({"", {{{}, {}, other.runs}}}) == to_json({"", {{{}, {}, group.runs}}});
    };
    const auto found = std::find_if(table.groups.begin(), table.groups.end(), same);
    if (found == table.groups.end())
      table.groups.push_back(std::move(group));
    else
      found->chips.push_back(chip.name);
  }
  return table;
}

}  // namespace roofmark::cupti
