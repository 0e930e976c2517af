#include <algorithm>
#include <analysis/functions/function_parts.hpp>

namespace roofmark::functions {
namespace {

using ByLine = std::map<std::pair<std::string, unsigned>, double>;

double weight_in(const Weights& weights, const symbols::Extent& extent) {
  double sum = 0;
  for (auto it = weights.lower_bound(extent.first); it != weights.end() && it->first < extent.end;
       ++it)
    sum += it->second;
  return sum;
}

/// What of an extent lies in none of the parts.
std::vector<symbols::Extent> what_is_left(const symbols::Extent& whole,
                                          const std::vector<Part>& parts) {
  std::vector<symbols::Extent> taken;
  for (const Part& part : parts)
    taken.insert(taken.end(), part.extents.begin(), part.extents.end());
  std::sort(taken.begin(), taken.end(),
            [](const symbols::Extent& a, const symbols::Extent& b) { return a.first < b.first; });
  std::vector<symbols::Extent> left;
  std::uint64_t at = whole.first;
  for (const symbols::Extent& extent : taken) {
    if (extent.first > at) left.push_back({at, extent.first});
    at = std::max(at, extent.end);
  }
  if (at < whole.end) left.push_back({at, whole.end});
  return left;
}

}  // namespace

Lines hot_lines(const ByLine& by_line) {
  std::map<std::string, double> by_file;
  for (const auto& [place, weight] : by_line)
    if (place.second != 0) by_file[place.first] += weight;
  if (by_file.empty()) return {};
  const std::string file =
      std::max_element(by_file.begin(), by_file.end(), [](const auto& a, const auto& b) {
        return a.second < b.second;
      })->first;
  // The shortest stretch that holds enough of the file's weight.
  std::vector<std::pair<unsigned, double>> lines;
  for (const auto& [place, weight] : by_line)
    if (place.first == file && place.second != 0 && weight > 0)
      lines.emplace_back(place.second, weight);
  if (lines.empty()) return {};
  const double enough = 0.9 * by_file[file];
  Lines best{file, lines.front().first, lines.back().first};
  double inside = 0;
  for (std::size_t first = 0, last = 0; last < lines.size(); ++last) {
    inside += lines[last].second;
    while (inside - lines[first].second >= enough) inside -= lines[first++].second;
    if (inside >= enough && lines[last].first - lines[first].first < best.last - best.first)
      best = {file, lines[first].first, lines[last].first};
  }
  return best;
}

void add_loops(Part& part, const std::vector<symbols::Extent>& loops,
               const std::vector<symbols::CodeLine>& layout, const Weights& weights, double least) {
  const auto overlap = [](const symbols::Extent& a, const symbols::Extent& b) {
    return symbols::Extent{std::max(a.first, b.first), std::min(a.end, b.end)};
  };
  std::vector<Part> hot;
  std::vector<symbols::Extent> taken;  // of inner loops that are rows
  for (const symbols::Extent& loop : loops) {
    Part row;
    ByLine lines;
    for (const symbols::Extent& extent : part.extents) {
      const symbols::Extent inside = overlap(extent, loop);
      if (inside.first >= inside.end) continue;
      row.extents.push_back(inside);
      row.weight += weight_in(weights, inside);
      for (const symbols::Extent& inner : taken) {
        const symbols::Extent of_inner = overlap(inside, inner);
        if (of_inner.first < of_inner.end) row.weight -= weight_in(weights, of_inner);
      }
    }
    if (row.weight < least) continue;
    for (const symbols::CodeLine& piece : layout) {
      const bool of_part = part.name.empty() || piece.inlined == part.name;
      const symbols::Extent inside = overlap(piece.extent, loop);
      if (of_part && inside.first < inside.end)
        lines[{piece.file, piece.line}] += weight_in(weights, inside);
    }
    row.lines = hot_lines(lines);
    taken.insert(taken.end(), row.extents.begin(), row.extents.end());
    hot.push_back(std::move(row));
  }
  if (hot.size() == 1 && hot.front().weight > 0.9 * part.weight) return;
  part.loops = std::move(hot);
}

std::vector<Part> parts_of(const symbols::Function& function,
                           const std::vector<symbols::CodeLine>& layout, const Weights& weights,
                           double least) {
  std::map<std::string, Part> by_name;
  std::map<std::string, ByLine> lines;
  for (const symbols::CodeLine& piece : layout) {
    const double weight = weight_in(weights, piece.extent);
    Part& part = by_name[piece.inlined];
    part.name = piece.inlined;
    part.weight += weight;
    part.extents.push_back(piece.extent);
    lines[piece.inlined][{piece.file, piece.line}] += weight;
  }
  std::vector<Part> parts;
  Part rest;
  ByLine lines_of_rest;
  for (auto& [name, part] : by_name) {
    if (!name.empty() && part.weight >= least) {
      part.lines = hot_lines(lines[name]);
      parts.push_back(std::move(part));
      continue;
    }
    rest.weight += part.weight;
    for (const auto& [place, weight] : lines[name]) lines_of_rest[place] += weight;
  }
  std::sort(parts.begin(), parts.end(),
            [](const Part& a, const Part& b) { return a.weight > b.weight; });
  rest.lines = hot_lines(lines_of_rest);
  rest.extents = what_is_left(function.extent, parts);
  if (layout.empty()) rest.weight = weight_in(weights, function.extent);
  parts.push_back(std::move(rest));
  return parts;
}

}  // namespace roofmark::functions
