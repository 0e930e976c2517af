#include "label_places.hpp"

#include <array>
#include <cmath>

namespace roofmark::report {
namespace {

constexpr double gap_px = 4;  // between labels

PlacedText text_at(const std::string& text, double font_px, Spot centre, double angle) {
  PlacedText placed;
  placed.text = text;
  placed.font_px = font_px;
  placed.angle = angle;
  placed.box = Box{centre, text_width(text, font_px), font_px * 1.2, angle};
  // From the middle of the box to the baseline: about a third of the font size.
  const double down = font_px * 0.34;
  placed.at = {centre.x - down * std::sin(angle), centre.y + down * std::cos(angle)};
  return placed;
}

/// A leader through a name strikes it out: farther away is better.
constexpr double through_a_name = 150;

}  // namespace

std::optional<double> LabelPlaces::cost(const Box& box) const {
  if (!inside(box, left_ + 2, top_ + 2, right_ - 2, bottom_ - 2)) return std::nullopt;
  for (const Box& other : taken_)
    if (overlap(box, other, gap_px)) return std::nullopt;
  double sum = 0;
  for (const Segment& line : lines_)
    if (crosses(box, line)) sum += 30;
  for (const Segment& leader : leaders_)
    if (crosses(box, leader)) sum += through_a_name;
  for (const Box& mark : marks_)
    if (overlap(box, mark)) sum += 60;
  return sum;
}

std::optional<PlacedText> LabelPlaces::along(const Segment& line, const std::string& text,
                                             double font_px, double preferred) {
  const double dx = line.to.x - line.from.x, dy = line.to.y - line.from.y;
  const double length = std::hypot(dx, dy);
  const double width = text_width(text, font_px);
  if (length < 1) return std::nullopt;
  const double angle = std::atan2(dy, dx);
  const Spot normal{dy / length, -dx / length};  // points up for a line that runs to the right
  const double off = font_px * 0.6 + 4;
  std::optional<PlacedText> best;
  double best_cost = INFINITY;
  // A label may stick out of a line that is shorter than itself, if it stays inside the plot.
  const double room = std::max(0.0, length - width);
  const double step = std::max(room / 160, 4.0);
  for (double start = 0; start <= room + 1e-9; start += step) {
    const double middle = start + std::min(width, length) / 2;
    for (const double side : {1.0, -1.0}) {
      const Spot centre{line.from.x + dx * middle / length + normal.x * off * side,
                        line.from.y + dy * middle / length + normal.y * off * side};
      PlacedText candidate = text_at(text, font_px, centre, angle);
      const auto crossings = cost(candidate.box);
      if (!crossings) continue;
      const double slide = room > 0 ? std::abs(start / room - preferred) : 0;
      const double total = *crossings + slide * 40 + (side < 0 ? 12 : 0);
      if (total < best_cost) {
        best_cost = total;
        best = candidate;
      }
    }
  }
  if (best) taken_.push_back(best->box);
  return best;
}

std::optional<PlacedText> LabelPlaces::beside(Spot mark, double radius, const std::string& text,
                                              double font_px, std::optional<Segment>& leader,
                                              double widened, double farthest) {
  constexpr std::array<double, 7> distances = {5, 14, 26, 42, 62, 88, 120};
  constexpr int directions = 16;
  const double width = text_width(text, font_px) * widened, height = font_px * 1.2;
  std::optional<PlacedText> best;
  std::optional<Segment> best_leader;
  double best_cost = INFINITY;
  for (const double distance : distances) {
    if (distance > farthest) break;
    for (int i = 0; i < directions; ++i) {
      const double turn = 2 * std::acos(-1.0) * i / directions;
      const double ux = std::cos(turn), uy = std::sin(turn);
      const Spot touch{mark.x + ux * (radius + distance), mark.y + uy * (radius + distance)};
      // The side of the text that faces the mark stands at `touch`.
      const Spot centre{touch.x + ux * width / 2, touch.y + uy * height / 2};
      PlacedText candidate = text_at(text, font_px, centre, 0);
      candidate.box.width = width;
      const auto crossings = cost(candidate.box);
      if (!crossings) continue;
      double total = *crossings + distance + (ux < -0.1 ? 6 : 0) + std::abs(uy) * 3;
      std::optional<Segment> line;
      if (distance > 10) {
        line = Segment{{mark.x + ux * (radius + 1), mark.y + uy * (radius + 1)},
                       {touch.x - ux * 2, touch.y - uy * 2}};
        for (const Box& name : taken_)
          if (report::crosses(name, *line)) total += through_a_name;
      }
      if (total < best_cost) {
        best_cost = total;
        best = candidate;
        best_leader = line;
      }
    }
  }
  if (best) taken_.push_back(best->box);
  if (best_leader) leaders_.push_back(*best_leader);
  leader = best_leader;
  return best;
}

}  // namespace roofmark::report
