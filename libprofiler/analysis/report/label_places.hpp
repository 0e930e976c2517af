// Chooses a place for each label: the cheapest candidate that touches no other label.
#pragma once

#include <optional>
#include <vector>

#include "chart_layout.hpp"
#include "geometry.hpp"

namespace roofmark::report {

class LabelPlaces {
 public:
  LabelPlaces(double left, double top, double right, double bottom)
      : left_(left), top_(top), right_(right), bottom_(bottom) {}

  /// Lines may be crossed at a cost, marks at a higher one.
  void add_line(const Segment& line) { lines_.push_back(line); }
  void add_mark(const Box& mark) { marks_.push_back(mark); }
  /// No label may touch it.
  void keep_free(const Box& box) { taken_.push_back(box); }

  /// The label along a line, sliding from `preferred` (0: its start, 1: its end).
  std::optional<PlacedText> along(const Segment& line, const std::string& text, double font_px,
                                  double preferred);
  /// The label beside a mark of this radius, at most `farthest` away; `leader` is set where it
  /// stands off.
  std::optional<PlacedText> beside(Spot mark, double radius, const std::string& text,
                                   double font_px, std::optional<Segment>& leader,
                                   double widened = 1, double farthest = 120);

 private:
  std::optional<double> cost(const Box& box) const;
  double left_, top_, right_, bottom_;
  std::vector<Segment> lines_, leaders_;
  std::vector<Box> marks_;
  std::vector<Box> taken_;
};

}  // namespace roofmark::report
