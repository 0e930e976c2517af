// Rectangles that may be turned, and lines, in pixels: enough to keep labels apart.
#pragma once

#include <array>
#include <string_view>
#include <vector>

namespace roofmark::report {

struct Spot {
  double x = 0, y = 0;
};

struct Segment {
  Spot from, to;
};

/// A rectangle around a centre, turned by an angle in radians (positive: clockwise, since y grows
/// downwards).
struct Box {
  Spot centre;
  double width = 0, height = 0;
  double angle = 0;
};

std::array<Spot, 4> corners(const Box& box);
/// True where the boxes, each grown by half the margin on every side, share a point.
bool overlap(const Box& a, const Box& b, double margin = 0);
bool crosses(const Box& box, const Segment& segment);
bool inside(const Box& box, double left, double top, double right, double bottom);

/// The part of a convex shape inside a rectangle (Sutherland and Hodgman); empty where there is
/// none.
std::vector<Spot> clipped(std::vector<Spot> shape, double left, double top, double right,
                          double bottom);

/// Width of a line of text in pixels for a sans-serif face of this size. Widths of DejaVu Sans,
/// which is the widest of the faces that browsers fall back to, so that real text is rarely wider.
double text_width(std::string_view utf8, double font_px);

}  // namespace roofmark::report
