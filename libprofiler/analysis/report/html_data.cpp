#include "html_data.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <roofmark/roofline.hpp>
#include <set>
#include <tuple>

#include "analysis/machine/scaled.hpp"
#include "analysis/roofline/ceilings.hpp"
#include "analysis/text/plain_text.hpp"
#include "flag_words.hpp"
#include "numbers.hpp"
#include "rank_table.hpp"
#include "region_facts.hpp"
#include "region_row.hpp"
#include "roof_share.hpp"
#include "sections.hpp"

namespace roofmark::report {
namespace {

using namespace text;

using Json = nlohmann::ordered_json;

/// JSON knows no NaN and no infinity: null.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json number(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}

/// [value, low, high, source]; what has no upper bound has the largest number there.
Json figure(const Figure& figure) {
  if (!figure || !std::isfinite(figure.value())) return nullptr;
  std::optional<double> high = figure.number->high;
  if (high && std::isinf(*high)) high = std::numeric_limits<double>::max();
  return Json::array({figure.value(), number(figure.number->low), number(high),
                      static_cast<int>(figure.source.value_or(Source::measured))});
}

Json work_of(const Region& region, const Work& work, const std::vector<std::string>& levels) {
  Json value = Json::object();
  value["time"] = figure(time_of(work, {}));
  value["flop"] = Json::object();
  for (const Rate& rate : rates_of(work, {}))
    if (rate.flop) value["flop"][rate.unit] = figure(rate.flop);
  value["bytes"] = Json::object();
  for (const std::string& level : levels)
    if (const Figure bytes = bytes_for_intensity(region, work, level_for(region, level)))
      value["bytes"][printable(level)] = figure(bytes);
  // Absent where there are none: most profiles have none.
  for (const auto& [name, count] : work.events)
    value["events"][printable(name)] = figure(event_at(work, name, {}));
  return value;
}

Json roofline_of(const Region& region, const Work& work, const Roofline& roofline,
                 const std::vector<std::string>& levels) {
  Json value = Json::object();
  value["verdict"] = spelling(roofline.verdict);
  value["detail"] = printable(roofline.verdict_detail);
  value["sides"] = Json::object();
  for (const std::string& level : levels)
    if (const Side side = side_at(roofline, level_for(region, level)); side != Side::unknown)
      value["sides"][printable(level)] = spelling(side);
  value["precision"] = printable(roofline.precision);
  value["fraction"] = number(roofline.fraction);
  const auto wall_s = work.wall_s ? std::optional(work.wall_s->value) : std::nullopt;
  if (const auto beside = share_beside_verdict(roofline, wall_s); beside && beside->of[0] != 0)
    value["beside"] = {{"share", number(beside->share)}, {"of", beside->of}};
  if (roofline.uncertainty > 0) value["spread"] = number(roofline.uncertainty);
  value["why"] = printable(roofline.why);
  value["advice"] = Json::array();
  for (const Advice& advice : roofline.advice) {
    std::string text = printable(advice.text);
    if (advice.gain && std::isfinite(*advice.gain))
      text += " At most " + gain_text(*advice.gain, roofline.uncertainty) + ".";
    if (!advice.falsifier.empty()) text += " Wrong if: " + printable(advice.falsifier) + ".";
    value["advice"].push_back(text);
  }
  value["notes"] = Json::array();
  for (const std::string& note : roofline.notes) value["notes"].push_back(printable(note));
  return value;
}

Json part_of(const WorkShare::Part& part, const Region& region,
             const std::vector<std::string>& levels) {
  Json value = {{"time", number(part.wall_s)}, {"flop", Json::object()}, {"bytes", Json::object()}};
  for (const auto& [precision, count] : part.flop) value["flop"][spelling(precision)] = count;
  for (const std::string& level : levels)
    if (const auto found = part.bytes.find(level_for(region, level)); found != part.bytes.end())
      value["bytes"][printable(level)] = found->second;
  return value;
}

/// The dots around a region's point, and why the others have none.
Json shares_of(const WorkShares& shares, const Region& region,
               const std::vector<std::string>& levels) {
  Json value = {{"of", shares.of == WorkShares::Of::ranks ? "ranks" : "threads"},
                {"total", shares.total},
                {"two", shares.two_runs},
                {"each", Json::array()},
                {"left", Json::array()}};
  for (const WorkShare& share : shares.each) {
    Json one = {{"number", share.number}, {"work", part_of(share.work, region, levels)}};
    if (share.self != share.work) one["self"] = part_of(share.self, region, levels);
    value["each"].push_back(std::move(one));
  }
  for (const WorkShares::LeftOut& left : shares.left_out)
    value["left"].push_back(Json::array({left.count, printable(left.reason), printable(left.fix)}));
  return value;
}

/// What one core has of the machine's roof while all work, and one rank of its job's.
Json share_roofs(const Profile& profile, const std::vector<std::string>& levels) {
  Json roofs = Json::object();
  std::set<WorkShares::Of> kinds;
  std::set<Precision> precisions;
  for (const Region& region : profile.regions)
    if (region.shares) {
      kinds.insert(region.shares->of);
      for (const auto& [precision, count] : region.work.flop) precisions.insert(precision);
    }
  for (const WorkShares::Of kind : kinds) {
    const bool ranks = kind == WorkShares::Of::ranks;
    if (ranks && (!profile.program.ranks || profile.program.ranks->recorded == 0)) continue;
    const Machine share = share_of(profile.machine, ranks ? profile.program.ranks->recorded
                                                          : model::cores_of(profile.machine));
    Json& of = roofs[ranks ? "ranks" : "threads"] = Json::object();
    for (const Precision precision : precisions) {
      const auto roof = machine_roof(share, precision);
      if (!roof) continue;
      Json& one = of[std::string(spelling(precision))];
      one["peak"] = number(roof->peak.per_s);
      one["levels"] = Json::object();
      for (const LevelCeiling& level : roof->levels)
        if (std::find(levels.begin(), levels.end(), level.level) != levels.end())
          one["levels"][printable(level.level)] = number(level.bandwidth.per_s);
    }
  }
  return roofs;
}

/// Texts that many regions share, each once.
class Words {
 public:
  std::size_t index_of(const std::string& text) {
    const auto [place, added] = places_.try_emplace(text, words_.size());
    if (added) words_.push_back(printable(text));
    return place->second;
  }
  Json take() { return std::move(words_); }

 private:
  std::map<std::string, std::size_t> places_;
  Json words_ = Json::array();
};

/// [group, name, text, source], each a place in the words; a source of -1: absent, for this reason.
Json facts_json(const std::vector<Fact>& facts, Words& words) {
  Json list = Json::array();
  for (const Fact& fact : facts)
    list.push_back({words.index_of(title_of(fact.group)), words.index_of(fact.name),
                    words.index_of(fact.text),
                    fact.absent ? Json(-1) : Json(words.index_of(fact.source))});
  return list;
}

/// The reasons of all regions, each once.
class MissingTable {
 public:
  std::size_t index_of(const Missing& missing) {
    const auto key = std::tuple(missing.quantity, missing.reason, missing.fix);
    const auto [place, added] = places_.try_emplace(key, entries_.size());
    if (added)
      entries_.push_back({{"quantity", printable(missing.quantity)},
                          {"reason", printable(missing.reason)},
                          {"fix", printable(missing.fix)}});
    return place->second;
  }
  Json take() { return std::move(entries_); }

 private:
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places_;
  Json entries_ = Json::array();
};

}  // namespace

std::string script_safe(const std::string& json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    switch (c) {
      case '<':
        safe += "\\u003c";
        break;
      case '>':
        safe += "\\u003e";
        break;
      case '&':
        safe += "\\u0026";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string html_data(const Profile& profile, const Chart& chart, const ChartLayout& layout,
                      const std::string& level, const HtmlOptions& options, std::size_t labelled) {
  const std::string locus =
      options.chart.locus.empty() ? default_locus(profile) : options.chart.locus;
  const std::vector<std::string> levels = levels_of(profile, locus);
  Json data = Json::object();
  data["level"] = printable(level);
  data["self"] = options.chart.self;
  data["levels"] = Json::array();
  for (const std::string& name : levels) data["levels"].push_back(printable(name));
  data["sources"] = Json::array();
  for (const Source source : {Source::measured, Source::counted, Source::modelled, Source::declared,
                              Source::estimated, Source::theoretical})
    data["sources"].push_back(spelling(source));
  const Figure total = run_time(profile);
  data["total"] = total ? number(total.value()) : Json(nullptr);
  data["mostPoints"] = options.chart.points;
  data["labelled"] = labelled;
  data["plot"] = {{"left", layout.left},
                  {"top", layout.top},
                  {"right", layout.right},
                  {"bottom", layout.bottom},
                  {"x", {number(chart.x_min), number(chart.x_max)}},
                  {"y", {number(chart.y_min), number(chart.y_max)}}};
  data["flagWords"] = Json::object();
  data["noRoof"] = no_roof_of(profile);
  data["noMachine"] = model::no_machine(profile.machine).has_value();
  MissingTable missing;
  Words words;
  Json regions = Json::array();
  for (const RegionRow& row : rows_of(profile, {options.chart.self, level})) {
    const Region& region = profile.regions[row.region];
    Json value = Json::object();
    value["name"] = row.name + (region.kernel ? " [GPU]" : "");
    value["path"] = row.path;
    // Another roof than the chart's: it has a chart of its own.
    if (locus_of(region) != locus) value["elsewhere"] = true;
    value["depth"] = row.depth;
    value["visits"] = has_visits(region) ? Json(region.visits) : Json(nullptr);
    if (const std::string place = place_text(region); !place.empty()) value["place"] = place;
    if (region.ranks) value["ranks"] = spread_text(*region.ranks);
    if (region.shares && locus_of(region) == locus)
      value["shares"] = shares_of(*region.shares, region, levels);
    if (const auto scatter = scatter_of_visits(region))
      value["scatter"] = {number(scatter->low), number(scatter->high)};
    value["flags"] = Json::array();
    for (const std::string& flag : region.flags) {
      value["flags"].push_back(printable(flag));
      data["flagWords"][printable(flag)] = meaning_of_flag(flag);
    }
    value["work"] = work_of(region, region.work, levels);
    // Absent where the same: most regions have no children.
    if (Json self = work_of(region, region.self, levels); self != value["work"])
      value["self"] = std::move(self);
    const Roofline* inclusive = inclusive_roofline(region);
    const Roofline* self = self_roofline(region);
    value["roofline"] =
        inclusive ? roofline_of(region, region.work, *inclusive, levels) : Json(nullptr);
    // Of a region without children it is the same, and half of what the page would hold.
    const bool differs = self && !(inclusive && *self == *inclusive);
    if (differs) value["selfRoofline"] = roofline_of(region, region.self, *self, levels);
    value["facts"] = facts_json(facts_of(profile, region, false), words);
    if (differs || !(region.self == region.work))
      if (Json facts = facts_json(facts_of(profile, region, true), words); facts != value["facts"])
        value["selfFacts"] = std::move(facts);
    value["missing"] = Json::array();
    for (const std::string& wanted : levels)
      if (const Figure bytes = bytes_for_intensity(region, region.work, wanted); !bytes.fix.empty())
        value["missing"].push_back(missing.index_of({bytes.quantity, bytes.reason, bytes.fix}));
    for (const Missing& entry : region.missing) value["missing"].push_back(missing.index_of(entry));
    regions.push_back(std::move(value));
  }
  data["shareRoofs"] = share_roofs(profile, levels);
  data["missing"] = missing.take();
  data["words"] = words.take();
  data["regions"] = std::move(regions);
  return script_safe(data.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace roofmark::report
