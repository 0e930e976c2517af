#include <algorithm>
#include <analysis/json/json_writer.hpp>
#include <analysis/trace/trace_verdicts.hpp>
#include <cmath>
#include <optional>
#include <roofmark/roofline.hpp>
#include <string_view>
#include <utility>

namespace roofmark {
namespace {

/// As many digits as a conclusion has that mean something.
constexpr int digits = 4;

using ShownAs = std::map<std::string, std::string>;

std::string joined(const std::vector<std::string>& path, const ShownAs& shown_as) {
  std::string text;
  for (const std::string& name : path) {
    const auto shown = shown_as.find(name);
    text += (text.empty() ? "" : "/") + (shown == shown_as.end() ? name : shown->second);
  }
  return text;
}

/// At the interface that bounds it, else at the outermost that has one.
std::optional<std::pair<std::string, double>> intensity_of(const Roofline& roofline) {
  const auto usable = [](const LevelPlacement& level) {
    return std::isfinite(level.intensity) && level.intensity > 0;
  };
  const auto binding = roofline.levels.find(roofline.binding);
  if (binding != roofline.levels.end() && usable(binding->second))
    return std::pair(binding->first, binding->second.intensity);
  std::optional<std::pair<std::string, double>> outermost;
  // Caches are "L1", "L2", ...; memories, of any kind, lie beyond them.
  for (const auto& [name, level] : roofline.levels) {
    if (!usable(level)) continue;
    const bool memory = name.empty() || name[0] != 'L';
    if (outermost && !memory && outermost->first[0] != 'L') continue;
    outermost = std::pair(name, level.intensity);
  }
  return outermost;
}

std::string why_not_judged(const Region& region, const std::string& otherwise) {
  for (const char* quantity : {"time.wall", "flop", "bytes"})
    for (const Missing& missing : region.missing)
      if (missing.quantity.starts_with(quantity)) return missing.quantity + ": " + missing.reason;
  return otherwise;
}

std::string members(const Region& region, const std::string& no_roof, const ShownAs& shown_as) {
  JsonWriter json;
  json.open_object();
  json.key("region");
  json.text(joined(region.path, shown_as));
  const Roofline* roofline = inclusive_roofline(region);
  json.key("verdict");
  if (roofline == nullptr) {
    json.text("not judged");
    json.key("why");
    json.text(why_not_judged(region, no_roof));
  } else {
    const std::string detail =
        roofline->verdict_detail.empty() ? "" : " " + roofline->verdict_detail;
    const bool open = roofline->verdict == Verdict::undetermined;
    json.text(std::string(spelling(roofline->verdict)) + (open ? "" : detail));
    if (open) {
      json.key("why");
      json.text(roofline->verdict_detail.empty() ? why_not_judged(region, no_roof)
                                                 : roofline->verdict_detail);
    }
    if (roofline->fraction && std::isfinite(*roofline->fraction)) {
      json.key("roof_fraction");
      json.number(*roofline->fraction, digits);
    }
    if (const auto intensity = intensity_of(*roofline)) {
      json.key("flop_per_byte_" + intensity->first);
      json.number(intensity->second, digits);
    }
  }
  json.close_object();
  std::string text = json.take();
  return text.substr(1, text.size() - 2);
}

}  // namespace

TraceVerdicts::TraceVerdicts(const Profile* judged, const ShownAs& shown_as) {
  if (judged == nullptr) {
    none_because_ =
        "it was written when the timed run had ended, and Roofmark ended before the "
        "run was judged";
    return;
  }
  std::string no_roof = "no ceilings of this machine are known";
  for (const std::string& note : judged->notes)
    if (note.starts_with("No roof: ")) no_roof = note.substr(9);
  if (!no_roof.empty() && no_roof.back() == '.') no_roof.pop_back();
  bool any = false;
  for (const Region& region : judged->regions) {
    if (region.path.empty()) continue;
    any = any || std::any_of(region.rooflines.begin(), region.rooflines.end(),
                             [](const Roofline& roofline) {
                               return roofline.verdict != Verdict::undetermined;
                             });
    members_[region.path] = members(region, no_roof, shown_as);
  }
  if (any) return;
  none_because_ = no_roof;
  for (const Region& region : judged->regions)
    if (!region.path.empty() && !region.rooflines.empty()) {
      none_because_ = region.rooflines[0].verdict_detail;
      if (none_because_.empty()) none_because_ = why_not_judged(region, no_roof);
      break;
    }
}

const std::string& TraceVerdicts::members_of(const std::vector<std::string>& path) const {
  static const std::string nothing;
  const auto found = members_.find(path);
  return found != members_.end() ? found->second : nothing;
}

}  // namespace roofmark
