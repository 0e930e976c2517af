// The writing half. One line a region, so that two profiles can be compared line by line and a
// large one can be read with grep.
#include "analysis/profile/profile_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/machine/machine_json.hpp"
#include "analysis/profile/bytes_text.hpp"

namespace roofmark {
namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// JSON has no NaN and no infinity: such a number is absent.
void put(Json& object, const char* key, double value) {
  if (std::isfinite(value)) object[key] = value;
}
void put(Json& object, const char* key, const std::optional<double>& value) {
  if (value) put(object, key, *value);
}
void put(Json& object, const char* key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

void put(Json& object, const char* key, const std::optional<Measure>& measure) {
  if (!measure || !std::isfinite(measure->value)) return;
  Json value = {{"value", measure->value}, {"source", spelling(measure->source)}};
  put(value, "low", measure->low);
  put(value, "high", measure->high);
  object[key] = std::move(value);
}

Json to_value(const Count& count) {
  Json value = {{"value", count.value}, {"source", spelling(count.source)}};
  put(value, "collector", count.collector);
  value["scope"] = spelling(count.scope);
  if (count.low) value["low"] = *count.low;
  if (count.high) value["high"] = *count.high;
  if (!count.caveats.empty()) value["caveats"] = count.caveats;
  return value;
}
void put(Json& object, const char* key, const std::optional<Count>& count) {
  if (count) object[key] = to_value(*count);
}

/// Names that are not UTF-8 stand as U+FFFD in `key` and as hexadecimal bytes in `bytes_key`.
void put_names(Json& object, const char* key, const char* bytes_key,
               const std::vector<std::string>& names) {
  object[key] = names;
  bool valid = true;
  Json bytes = Json::array();
  for (const std::string& name : names) {
    const bool is_valid = is_utf8(name);
    valid = valid && is_valid;
    bytes.push_back(is_valid ? Json() : Json(to_hex(name)));
  }
  if (!valid) object[bytes_key] = std::move(bytes);
}

void put_work(Json& object, const Work& work) {
  put(object, "wall_s", work.wall_s);
  put(object, "thread_s", work.thread_s);
  object["flop"] = Json::object();
  for (const auto& [precision, count] : work.flop)
    object["flop"][std::string(spelling(precision))] = to_value(count);
  object["bytes"] = Json::object();
  for (const auto& [level, traffic] : work.bytes) {
    Json value = Json::object();
    put(value, "read", traffic.read);
    put(value, "write", traffic.write);
    object["bytes"][level] = std::move(value);
  }
  if (!work.operations.empty()) {
    object["operations"] = Json::object();
    for (const auto& [name, count] : work.operations) object["operations"][name] = to_value(count);
  }
  if (!work.mix.empty()) {
    object["mix"] = Json::array();
    for (const ComputeClass& part : work.mix)
      object["mix"].push_back({{"precision", spelling(part.precision)},
                               {"width_bits", part.width_bits},
                               {"op", spelling(part.operation)},
                               {"flop", part.flop}});
  }
  if (work.declared_flop || work.declared_bytes) {
    Json declared = Json::object();
    put(declared, "flop", work.declared_flop);
    put(declared, "bytes", work.declared_bytes);
    object["declared"] = std::move(declared);
  }
}

Json to_value(const LevelPlacement& level) {
  Json value = Json::object();
  if (level.intensity > 0) {  // else no FLOPs: there is no point on the chart
    put(value, "intensity", level.intensity);
    put(value, "roof_flop_per_s", level.roof_flop_per_s);
    put(value, "ridge", level.ridge);
  }
  put(value, "bandwidth_bytes_per_s", level.bandwidth_bytes_per_s);
  put(value, "achieved_bytes_per_s", level.achieved_bytes_per_s);
  return value;
}

Json to_value(const Advice& advice) {
  Json value = {{"text", advice.text}};
  put(value, "falsifier", advice.falsifier);
  put(value, "gain", advice.gain);
  return value;
}

Json to_value(const Roofline& roofline) {
  Json value = {{"locus", roofline.locus}};
  put(value, "precision", roofline.precision);
  put(value, "binding", roofline.binding);
  value["side"] = spelling(roofline.side);
  value["side_as_written"] = spelling(roofline.side_as_written);
  value["verdict"] = spelling(roofline.verdict);
  put(value, "verdict_detail", roofline.verdict_detail);
  put(value, "roof_flop_per_s", roofline.roof_flop_per_s);
  put(value, "roof_as_written_flop_per_s", roofline.roof_as_written_flop_per_s);
  put(value, "achieved_flop_per_s", roofline.achieved_flop_per_s);
  put(value, "fraction", roofline.fraction);
  put(value, "fraction_as_written", roofline.fraction_as_written);
  put(value, "uncertainty", roofline.uncertainty);
  put(value, "explained_s", roofline.explained_s);
  value["levels"] = Json::object();
  for (const auto& [level, placement] : roofline.levels)
    value["levels"][level] = to_value(placement);
  value["ladder"] = Json::array();
  for (const Rung& rung : roofline.ladder)
    if (std::isfinite(rung.gain))
      value["ladder"].push_back({{"name", rung.name}, {"gain", rung.gain}});
  if (!roofline.notes.empty()) value["notes"] = roofline.notes;
  put(value, "why", roofline.why);
  value["advice"] = Json::array();
  for (const Advice& advice : roofline.advice) value["advice"].push_back(to_value(advice));
  return value;
}

Json to_value(const std::vector<Roofline>& rooflines) {
  Json list = Json::array();
  for (const Roofline& roofline : rooflines) list.push_back(to_value(roofline));
  return list;
}

Json to_value(const VisitTimes& times) {
  Json value = Json::object();
  put(value, "min", times.min);
  put(value, "median", times.median);
  put(value, "max", times.max);
  put(value, "stddev", times.stddev);
  put(value, "first", times.first);
  return value;
}

/// What a later version wrote goes back as it was, after our own fields.
void put_unknown(Json& object, const std::string& unknown) {
  if (unknown.empty()) return;
  const Json fields = Json::parse(unknown, nullptr, false);
  if (!fields.is_object()) return;
  for (const auto& [key, value] : fields.items())
    if (!object.contains(key)) object[key] = value;
}

Json to_value(const Region& region) {
  Json value = Json::object();
  put_names(value, "path", "name_bytes", region.path);
  value["visits"] = region.visits;
  value["threads"] = region.threads;
  value["flags"] = region.flags;
  put_work(value, region.work);
  put(value, "marker_s", region.marker_s);
  if (region.visit_s) value["visit_s"] = to_value(*region.visit_s);
  put(value, "imbalance", region.imbalance);
  put(value, "cores_used", region.cores_used);
  Json self = Json::object();
  put_work(self, region.self);
  Json rooflines = to_value(region.rooflines);
  Json self_rooflines = to_value(region.self_rooflines);
  if (self_rooflines != rooflines) self["rooflines"] = std::move(self_rooflines);
  value["self"] = std::move(self);
  value["rooflines"] = std::move(rooflines);
  value["missing"] = Json::array();
  for (const Missing& missing : region.missing)
    value["missing"].push_back(
        {{"quantity", missing.quantity}, {"reason", missing.reason}, {"fix", missing.fix}});
  put_unknown(value, region.unknown_fields);
  return value;
}

Json to_value(const Program& program) {
  Json value = Json::object();
  put_names(value, "command", "command_bytes", program.command);
  value["exit_status"] = program.exit_status;
  value["started"] = program.started;
  value["host"] = program.host;
  return value;
}

Json to_value(const Pass& pass) {
  Json value = {{"purpose", pass.purpose}, {"collector", pass.collector}};
  if (pass.exit_status) value["exit_status"] = *pass.exit_status;
  put(value, "wall_s", pass.wall_s);
  put(value, "coverage", pass.coverage);
  put(value, "note", pass.note);
  return value;
}

/// `"key": [` and one item a line.
template <class Items>
void write_list(std::string& text, const char* key, const Items& items) {
  text += ",\n\"" + std::string(key) + "\": [";
  const char* separator = "\n";
  for (const auto& item : items) {
    text += separator + dump(to_value(item));
    separator = ",\n";
  }
  text += items.empty() ? "]" : "\n]";
}

}  // namespace

std::string to_json(const Profile& profile) {
  std::string text = "{\"schema\": \"roofmark-profile/1\",\n\"program\": ";
  text += dump(to_value(profile.program));
  text += ",\n\"machine\": " + dump(machine_to_value(profile.machine));
  write_list(text, "passes", profile.passes);
  text += ",\n\"notes\": " + dump(Json(profile.notes));
  Json unknown = Json::object();
  put_unknown(unknown, profile.unknown_fields);
  for (const auto& [key, value] : unknown.items())
    text += ",\n" + dump(Json(key)) + ": " + dump(value);
  write_list(text, "regions", profile.regions);
  return text + "}\n";
}

}  // namespace roofmark
