#include "svg_marks.hpp"

#include <fmt/format.h>

#include <cmath>

namespace roofmark::report {

std::string px(double value) {
  if (!std::isfinite(value)) return "0";
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string mark_class(Side side) {
  return side == Side::unknown ? std::string("unknown") : std::string(spelling(side));
}

std::string mark(Side side, Spot at, double radius, const std::string& classes) {
  switch (side) {
    case Side::memory:
      return fmt::format("<circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>", classes, px(at.x),
                         px(at.y), px(radius));
    case Side::compute: {
      const double half = radius * 0.886;  // sqrt(pi) / 2
      return fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                         classes, px(at.x - half), px(at.y - half), px(half * 2), px(half * 2));
    }
    case Side::balanced: {
      const double reach = radius * 1.253;  // sqrt(pi / 2)
      return fmt::format("<path class=\"{}\" d=\"M{} {}l{} {} {} {} {} {}z\"/>", classes,
                         px(at.x - reach), px(at.y), px(reach), px(-reach), px(reach), px(reach),
                         px(-reach), px(reach));
    }
    case Side::unknown:
      break;
  }
  const double reach = radius * 1.347;  // half the side of a triangle of the circle's area
  return fmt::format("<path class=\"{}\" d=\"M{} {}h{}l{} {}z\"/>", classes, px(at.x - reach),
                     px(at.y + reach * 0.577), px(reach * 2), px(-reach), px(-reach * 1.732));
}

}  // namespace roofmark::report
