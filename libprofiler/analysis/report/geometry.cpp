#include "geometry.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/text/plain_text.hpp"

namespace roofmark::report {
namespace {

using namespace text;

Spot operator-(Spot a, Spot b) {
  return {a.x - b.x, a.y - b.y};
}
double dot(Spot a, Spot b) {
  return a.x * b.x + a.y * b.y;
}

struct Reach {
  double low, high;
};

template <std::size_t N>
Reach reach(const std::array<Spot, N>& points, Spot axis) {
  Reach reach{dot(points[0], axis), dot(points[0], axis)};
  for (const Spot& point : points) {
    reach.low = std::min(reach.low, dot(point, axis));
    reach.high = std::max(reach.high, dot(point, axis));
  }
  return reach;
}

/// Convex shapes are apart if and only if some edge normal separates them.
template <std::size_t N, std::size_t M>
bool separated(const std::array<Spot, N>& a, const std::array<Spot, M>& b, Spot axis) {
  const Reach first = reach(a, axis), second = reach(b, axis);
  return first.high < second.low || second.high < first.low;
}

std::array<Spot, 2> axes(const Box& box) {
  return {Spot{std::cos(box.angle), std::sin(box.angle)},
          Spot{-std::sin(box.angle), std::cos(box.angle)}};
}

/// Thousandths of the font size.
int advance(char32_t code) {
  if (code >= 0x1100 && columns([&] {
                          std::string text;
                          append_utf8(text, code);
                          return text;
                        }()) == 2)
    return 1050;
  if (code >= 0x80) return 700;
  const char c = static_cast<char>(code);
  const auto one_of = [&](std::string_view set) { return set.find(c) != std::string_view::npos; };
  if (one_of("ijlI|!'")) return 300;
  if (one_of(".,:;/\\ ft-")) return 390;
  if (one_of("r()[]{}\"`*")) return 460;
  if (one_of("cksvxyz_JT?")) return 600;
  if (one_of("mMwW%@")) return 990;
  if (one_of("+=<>#~^&QOGDNHU")) return 840;
  return c >= 'A' && c <= 'Z' ? 700 : 640;
}

}  // namespace

std::array<Spot, 4> corners(const Box& box) {
  const double c = std::cos(box.angle), s = std::sin(box.angle);
  const double w = box.width / 2, h = box.height / 2;
  const auto at = [&](double x, double y) {
    return Spot{box.centre.x + x * c - y * s, box.centre.y + x * s + y * c};
  };
  return {at(-w, -h), at(w, -h), at(w, h), at(-w, h)};
}

bool overlap(const Box& a, const Box& b, double margin) {
  Box first = a, second = b;
  for (Box* box : {&first, &second}) {
    box->width += margin;
    box->height += margin;
  }
  const auto one = corners(first), two = corners(second);
  for (const Box* box : {&first, &second})
    for (const Spot axis : axes(*box))
      if (separated(one, two, axis)) return false;
  return true;
}

bool crosses(const Box& box, const Segment& segment) {
  const std::array<Spot, 2> line = {segment.from, segment.to};
  const auto shape = corners(box);
  for (const Spot axis : axes(box))
    if (separated(shape, line, axis)) return false;
  const Spot along = segment.to - segment.from;
  return !separated(shape, line, Spot{-along.y, along.x});
}

bool inside(const Box& box, double left, double top, double right, double bottom) {
  for (const Spot& corner : corners(box))
    if (corner.x < left || corner.x > right || corner.y < top || corner.y > bottom) return false;
  return true;
}

std::vector<Spot> clipped(std::vector<Spot> shape, double left, double top, double right,
                          double bottom) {
  // How far inside an edge a spot is.
  const auto cut = [&](auto depth) {
    std::vector<Spot> kept;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const Spot a = shape[i], b = shape[(i + 1) % shape.size()];
      const double from = depth(a), to = depth(b);
      if (from >= 0) kept.push_back(a);
      if ((from >= 0) == (to >= 0)) continue;
      const double part = from / (from - to);
      kept.push_back({a.x + part * (b.x - a.x), a.y + part * (b.y - a.y)});
    }
    shape = std::move(kept);
  };
  cut([&](Spot s) { return s.x - left; });
  cut([&](Spot s) { return right - s.x; });
  cut([&](Spot s) { return s.y - top; });
  cut([&](Spot s) { return bottom - s.y; });
  return shape;
}

double text_width(std::string_view utf8, double font_px) {
  double thousandths = 0;
  for (std::size_t at = 0; at < utf8.size();) {
    const Decoded next = decode(utf8, at);
    at += next.length;
    thousandths += advance(next.code);
  }
  return thousandths * font_px / 1000;
}

}  // namespace roofmark::report
