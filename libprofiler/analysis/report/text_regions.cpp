#include "text_regions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <analysis/profile/path_index.hpp>
#include <set>

#include "analysis/text/plain_text.hpp"
#include "analysis/text/text_table.hpp"
#include "numbers.hpp"
#include "roof_share.hpp"

namespace roofmark::report {
namespace {

using namespace text;

constexpr unsigned spacious = 110;  ///< from this width on, words instead of letters

std::string code_of(const std::optional<Source>& source, bool words) {
  if (!source) return "-";
  const std::string word(spelling(*source));
  // `measured` and `modelled` begin alike: the model is "M".
  return words ? word : *source == Source::modelled ? "M" : word.substr(0, 1);
}

std::string source_of(const RegionRow& row, bool words) {
  if (!row.flop_source && !row.bytes_source) return "-";
  const std::string flop = code_of(row.flop_source, words);
  const std::string bytes = code_of(row.bytes_source, words);
  return words && flop == bytes ? flop : flop + (words ? ", " : "/") + bytes;
}

std::string paint_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::memory:
      return "34";
    case Verdict::compute:
      return "33";
    case Verdict::at_roof:
      return "32";
    case Verdict::above_roof:
      return "31";
    case Verdict::undetermined:
    case Verdict::too_small:
      return "2";
    default:
      return "";
  }
}

/// With its detail where both fit.
std::string verdict_of(const RegionRow& row, std::size_t room) {
  if (!row.roofline) return "-";
  std::string verdict(spelling(row.roofline->verdict));
  std::replace(verdict.begin(), verdict.end(), '_', ' ');
  if (row.roofline->verdict_detail.empty()) return verdict;
  const std::string both = verdict + " " + printable(row.roofline->verdict_detail);
  return text::columns(both) <= room ? both : verdict;
}

/// Its own time; where that is not known, its time with children.
double own_time(const Profile& profile, const RegionRow& row) {
  const Region& region = profile.regions[row.region];
  const Figure self = time_of(region.self, {});
  return self ? self.value() : row.time_s.value();
}

/// The interface that gives the region's roof, where that is not the one of the column.
std::string roof_elsewhere(const RegionRow& row, const std::string& level) {
  if (!row.roofline || !row.intensity) return {};
  const std::string& binding = row.roofline->binding;
  // A GPU's memory is what the host's is to the host.
  if (binding == "HBM" && distance_of_level(level) >= 100) return {};
  return binding != level && row.roofline->levels.count(binding) != 0 ? printable(binding)
                                                                      : std::string();
}

class Cells {
 public:
  explicit Cells(Absences& absences) : absences_(absences) {}

  TextCell of(const Figure& figure, const std::string& path, const std::string& text) const {
    if (!figure) return {fmt::format("-[{}]", absences_.mark_of(figure, path)), "2"};
    return {text, ""};
  }

 private:
  Absences& absences_;
};

std::string key_of(const std::set<Source>& sources, const std::set<std::string>& levels,
                   const std::set<std::string>& elsewhere, const std::set<std::string>& roofs,
                   bool ranges, bool flags, bool words) {
  std::string text = fmt::format("FLOP/B: at {}", fmt::join(levels, ", "));
  if (!elsewhere.empty())
    text += fmt::format("; *: the roof of this region is at {} (--level shows it)",
                        fmt::join(elsewhere, " or "));
  text += ". Roof: share of the machine's roof reached";
  if (!roofs.empty())
    text +=
        fmt::format("; w: of its roof {}, which the verdict is about", fmt::join(roofs, " or "));
  text += ".";
  if (!words && !sources.empty()) {
    text += " Source of FLOPs/bytes:";
    std::string list;
    for (const Source source : sources)
      list += fmt::format("{} {} {}", list.empty() ? "" : ",", code_of(source, false),
                          spelling(source));
    text += list + ".";
  }
  if (ranges) text += " ~: the middle of a range.";
  if (flags) text += " !: see Flags.";
  return text;
}

}  // namespace

std::vector<std::size_t> heaviest(const Profile& profile, const std::vector<RegionRow>& rows,
                                  std::size_t limit) {
  std::vector<std::size_t> order(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (limit == 0 || rows.size() <= limit) return order;
  const PathIndex index(profile.regions);
  std::vector<std::size_t> row_of(profile.regions.size(), PathIndex::none);
  for (std::size_t i = 0; i < rows.size(); ++i) row_of[rows[i].region] = i;
  std::vector<double> times(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) times[i] = own_time(profile, rows[i]);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return times[a] > times[b]; });
  std::set<std::size_t> chosen;
  for (const std::size_t row : order) {
    std::vector<std::size_t> fresh;
    for (std::size_t region = rows[row].region; region != PathIndex::none;
         region = index.nearest_above(region)) {
      const std::size_t at = row_of[region];
      if (at == PathIndex::none) continue;
      // With a row its ancestors were chosen.
      if (chosen.contains(at)) break;
      fresh.push_back(at);
    }
    if (chosen.size() + fresh.size() > limit && !chosen.empty()) break;
    chosen.insert(fresh.begin(), fresh.end());
  }
  return {chosen.begin(), chosen.end()};
}

std::string regions_table(const Profile& profile, const std::vector<RegionRow>& rows,
                          const TextOptions& options, Absences& absences) {
  const bool words = options.width >= spacious;
  const std::string level = options.level.empty() ? default_level(profile) : options.level;
  const std::vector<std::size_t> shown = heaviest(profile, rows, options.rows);
  const Cells cells(absences);

  const bool precisions = std::any_of(rows.begin(), rows.end(), [](const RegionRow& row) {
    return (!row.precision.empty() && row.precision != "f64" && row.precision != "any") ||
           !row.other_precisions.empty();
  });
  const std::size_t verdict_columns = words ? 30 : 14;
  std::vector<TextColumn> columns = {
      {"Region", false, 400, 0, true}, {"Visits", true, 8, 3, false},
      {"Time", true, 8, 2, false},     {"Share", true, 6, 0, false},
      {"GFLOP/s", true, 8, 0, false},  {"FLOP/B", true, 9, 1, false},
      {"Roof", true, 6, 0, false},     {"Verdict", false, verdict_columns, 0, false},
      {"Source", false, 20, 4, false}};
  if (precisions) columns.insert(columns.begin() + 5, {"Unit", false, words ? 20u : 4u, 5, false});
  TextTable table(columns);

  std::set<Source> sources;
  std::set<std::string> elsewhere, roofs;
  bool ranges = false, flags = false, kernels = false;
  const PathIndex paths(profile.regions);
  std::set<std::size_t> printed;
  for (const std::size_t index : shown) {
    const RegionRow& row = rows[index];
    const Region& region = profile.regions[row.region];
    const bool below = !region.path.empty() && printed.contains(paths.parent(row.region));
    printed.insert(row.region);
    constexpr std::size_t deepest = 6;
    std::string name =
        below ? std::string(2 * std::min(row.depth, deepest), ' ') + row.name : row.path;
    // Under the region that launched it, and none of its time.
    if (region.kernel) name.insert(name.find_first_not_of(' '), "> "), kernels = true;
    if (!options.utf8) name = printable_ascii(name);
    if (!region.flags.empty()) name += " !", flags = true;
    for (const Figure* figure : {&row.time_s, &row.flop_per_s, &row.intensity})
      if (figure->is_range()) ranges = true;
    for (const auto& source : {row.flop_source, row.bytes_source})
      if (source) sources.insert(*source);

    const std::string roof_at = roof_elsewhere(row, level);
    if (!roof_at.empty()) elsewhere.insert(roof_at);

    const std::string roof_of = row.fraction ? share_beside_verdict(row).of : "";
    if (!roof_of.empty()) roofs.insert(roof_of);

    std::vector<TextCell> line = {
        {name, ""},
        {has_visits(region) ? whole(static_cast<double>(region.visits)) : "", ""},
        cells.of(row.time_s, row.path, duration(row.time_s.interval(), options.utf8)),
        cells.of(row.share, row.path, percent(row.share.interval())),
        cells.of(row.flop_per_s, row.path, significant_padded(row.flop_per_s.interval(), 1e9)),
        cells.of(row.intensity, row.path,
                 significant_padded(row.intensity.interval()) + (roof_at.empty() ? "" : "*")),
        cells.of(row.fraction, row.path, roof_percent(row) + (roof_of.empty() ? "" : "w")),
        {options.utf8 ? verdict_of(row, verdict_columns)
                      : printable_ascii(verdict_of(row, verdict_columns)),
         row.roofline ? paint_of(row.roofline->verdict) : "2"},
        {source_of(row, words), "2"}};
    if (precisions) {
      std::string unit = row.precision.empty() ? "-" : row.precision;
      if (!row.other_precisions.empty()) unit += words ? ", " + row.other_precisions : "+";
      line.insert(line.begin() + 5, {unit, "2"});
    }
    table.add(std::move(line));
  }
  std::string text = table.render(options.width, options.utf8, options.colour);
  if (shown.size() < rows.size())
    text +=
        fmt::format("({} lighter regions more: --all shows them)\n", rows.size() - shown.size());
  for (const std::string& line :
       wrapped(key_of(sources, {printable(level)}, elsewhere, roofs, ranges, flags, words) +
                   (kernels ? " >: a kernel; time and roof are its GPU's, memory is its HBM." : ""),
               options.width))
    text += painted(line, "2", options.colour) + '\n';
  return text;
}

}  // namespace roofmark::report
