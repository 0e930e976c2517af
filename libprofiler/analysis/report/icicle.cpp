#include "icicle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "analysis/roofline/gpu_machine.hpp"
#include "analysis/text/plain_text.hpp"
#include "geometry.hpp"
#include "numbers.hpp"
#include "region_row.hpp"
#include "sections.hpp"
#include "svg_marks.hpp"
#include "web_files.hpp"

namespace roofmark {
namespace report {
namespace {

using namespace text;

constexpr std::size_t most_levels = 48;
constexpr double row_px = 22, font_px = 12;

/// Kernels take none of the host's time; where there is no host, theirs is the time.
double seconds_of(const Region& region, bool alone) {
  if (region.kernel && !alone) return 0;
  const auto& time = region.work.wall_s;
  return time && std::isfinite(time->value) ? std::max(0.0, time->value) : 0;
}

/// Of every region the nearest one around it that is in the profile; its own index: none.
std::vector<std::size_t> parents_of(const Profile& profile) {
  std::map<std::vector<std::string>, std::size_t> places;
  for (std::size_t i = 0; i < profile.regions.size(); ++i)
    places.emplace(profile.regions[i].path, i);
  std::vector<std::size_t> parents(profile.regions.size());
  for (std::size_t i = 0; i < parents.size(); ++i) {
    parents[i] = i;
    for (std::vector<std::string> path = profile.regions[i].path; !path.empty();) {
      path.pop_back();
      if (const auto found = places.find(path); found != places.end() && found->second != i) {
        parents[i] = found->second;
        break;
      }
    }
  }
  return parents;
}

class Placing {
 public:
  Placing(const Profile& profile, double least)
      : profile_(profile), least_(least), alone_(kernels_alone(profile)) {
    const std::vector<std::size_t> parents = parents_of(profile);
    children_.resize(parents.size());
    // A kernel takes none of the host's time.
    for (std::size_t i = 0; i < parents.size(); ++i)
      if (!profile.regions[i].kernel || alone_)
        (parents[i] == i ? roots_ : children_[parents[i]]).push_back(i);
  }

  Icicle take() {
    double roots_s = 0;
    for (const std::size_t root : roots_) roots_s += seconds_of(profile_.regions[root], alone_);
    const Figure run = run_time(profile_);
    const double whole_s = std::max(roots_s, run ? run.value() : 0);
    if (!(whole_s > 0)) return {};
    place(roots_, 0, 0, 1, whole_s);
    return std::move(icicle_);
  }

 private:
  struct Part {
    const std::vector<std::size_t>* regions;
    std::size_t depth;
    double from, to, seconds;
  };

  /// Without recursion: a path may be thousands of names long.
  void place(const std::vector<std::size_t>& roots, std::size_t depth, double from, double to,
             double seconds) {
    std::vector<Part> waiting{{&roots, depth, from, to, seconds}};
    while (!waiting.empty()) {
      const Part part = waiting.back();
      waiting.pop_back();
      double all_s = 0;
      for (const std::size_t region : *part.regions)
        all_s += seconds_of(profile_.regions[region], alone_);
      const double per_s = (part.to - part.from) / std::max(all_s, part.seconds);
      double at = part.from;
      for (const std::size_t region : *part.regions) {
        const double own_s = seconds_of(profile_.regions[region], alone_), width = own_s * per_s;
        if (!(width >= least_) || part.depth >= most_levels) {
          ++icicle_.left_out;
        } else {
          icicle_.slabs.push_back({region, part.depth, at, at + width});
          icicle_.depth = std::max(icicle_.depth, part.depth + 1);
          if (!children_[region].empty())
            waiting.push_back({&children_[region], part.depth + 1, at, at + width, own_s});
        }
        at += width;
      }
    }
  }

  const Profile& profile_;
  double least_;
  bool alone_;  ///< kernels, and no host
  std::vector<std::size_t> roots_;
  std::vector<std::vector<std::size_t>> children_;
  Icicle icicle_;
};

/// What bounds a region, as the chart colours it; what has no ceiling to blame is grey.
Side bound_of(const Roofline* roofline) {
  if (roofline == nullptr) return Side::unknown;
  switch (roofline->verdict) {
    case Verdict::memory:
    case Verdict::no_flop:
      return Side::memory;
    case Verdict::compute:
      return Side::compute;
    case Verdict::balanced:
    case Verdict::at_roof:
      return Side::balanced;
    default:
      return Side::unknown;
  }
}

std::string tooltip(const RegionRow& row) {
  std::string text = row.path;
  if (row.time_s) text += "\n" + duration(row.time_s.interval());
  if (row.share) text += ", " + percent_text(row.share.interval()) + " of the run";
  if (row.roofline != nullptr) {
    text += "\n" + std::string(spelling(row.roofline->verdict));
    if (!row.roofline->verdict_detail.empty())
      text += " " + printable(row.roofline->verdict_detail);
  }
  return text;
}

/// As much of a name as has room; nothing where that would be next to none of it.
std::string fitted(const std::string& name, double room_px) {
  constexpr std::size_t fewest = 3;
  for (auto letters = static_cast<std::size_t>(std::max(0.0, room_px / (0.35 * font_px)));
       letters >= fewest; --letters) {
    std::string text = elided(name, letters);
    if (text_width(text, font_px) <= room_px) return text;
  }
  return "";
}

std::string colour_key(double x, double y) {
  std::string text = "<g class=\"key\" font-size=\"11.5\" fill=\"#57606a\" text-anchor=\"start\">";
  static constexpr std::array<std::pair<Side, const char*>, 4> entries = {
      {{Side::memory, "bound by memory"},
       {Side::compute, "by computing"},
       {Side::balanced, "by both, or at the roof"},
       {Side::unknown, "by something else, or not known"}}};
  for (const auto& [side, words] : entries) {
    text += fmt::format(
        "<rect {} fill-opacity=\"0.3\" x=\"{}\" y=\"{}\" width=\"14\" height=\"11\"/>"
        "<text class=\"soft\" x=\"{}\" y=\"{}\">{}</text>",
        paint(side, Brush::solid), px(x), px(y - 10), px(x + 20), px(y), words);
    x += 20 + text_width(words, 11.5) + 22;
  }
  return text + "</g>\n";
}

}  // namespace

Icicle icicle_of(const Profile& profile, double least) {
  return Placing(profile, least).take();
}

std::string icicle_svg(const Profile& profile, double width, const std::string& id) {
  const double left = 1, right = width - 1, room = right - left;
  const Icicle icicle = icicle_of(profile, 0.5 / room);
  if (icicle.slabs.empty()) return "";
  const std::vector<RegionRow> rows = rows_of(profile, {});
  std::vector<const RegionRow*> row_of(profile.regions.size(), nullptr);
  for (const RegionRow& row : rows) row_of[row.region] = &row;

  const double bottom = static_cast<double>(icicle.depth) * row_px;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"rm-chart rm-icicle\" id=\"{0}\" "
      "role=\"img\" aria-label=\"Time of the run by region, callers above what they enter\" "
      "viewBox=\"0 0 {1} {2}\" width=\"{1}\" height=\"{2}\" font-family=\"sans-serif\" "
      "font-size=\"{3}\">\n<style>{4}</style>\n"
      "<rect class=\"paper\" fill=\"#fff\" width=\"{1}\" height=\"{2}\"/>\n<g class=\"slabs\">\n",
      id, px(width), px(bottom + 30), px(font_px), web_file("chart.css"));
  for (const IcicleSlab& slab : icicle.slabs) {
    const RegionRow* row = row_of[slab.region];
    if (row == nullptr) continue;
    const double x = left + slab.from * room, wide = (slab.to - slab.from) * room;
    const double y = static_cast<double>(slab.depth) * row_px;
    const std::vector<std::string>& path = profile.regions[slab.region].path;
    const std::string name = path.empty() ? "(whole program)" : printable(path.back());
    out += fmt::format(
        "<g class=\"slab\" data-region=\"{}\" data-from=\"{:.6f}\" data-to=\"{:.6f}\">"
        "<rect {} fill-opacity=\"0.3\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>"
        "<text fill=\"#1c2128\" x=\"{}\" y=\"{}\">{}</text><title>{}</title></g>\n",
        slab.region, slab.from, slab.to, paint(bound_of(row->roofline), Brush::solid), px(x),
        px(y + 1), px(std::max(0.4, wide - 1)), px(row_px - 2), px(x + 4),
        px(y + row_px / 2 + font_px * 0.35), markup(fitted(name, wide - 8)),
        multiline_markup(tooltip(*row)));
  }
  out += "</g>\n" + colour_key(left, bottom + 20) + "</svg>\n";
  return out;
}

}  // namespace report

std::string render_icicle(const Profile& profile) {
  return report::icicle_svg(profile, 1180, "icicle");
}

}  // namespace roofmark
