#include "svg_marks.hpp"

#include <fmt/format.h>

#include <cmath>

#include "analysis/text/plain_text.hpp"

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

std::string paint(Side side, Brush brush) {
  // Those of chart.css in the light.
  const char* const colour = side == Side::memory     ? "#0072b2"
                             : side == Side::compute  ? "#d55e00"
                             : side == Side::balanced ? "#00835f"
                                                      : "#6b7480";
  const char* const more = brush == Brush::hollow ? " hollow" : brush == Brush::line ? " bar" : "";
  const char* const fill = brush == Brush::hollow ? "#fff" : brush == Brush::line ? "none" : colour;
  return fmt::format("class=\"{}{}\" fill=\"{}\" stroke=\"{}\"", mark_class(side), more, fill,
                     colour);
}

std::string mark(Side side, Spot at, double radius, Brush brush) {
  const std::string painted = paint(side, brush);
  switch (side) {
    case Side::memory:
      return fmt::format("<circle {} cx=\"{}\" cy=\"{}\" r=\"{}\"/>", painted, px(at.x), px(at.y),
                         px(radius));
    case Side::compute: {
      const double half = radius * 0.886;  // sqrt(pi) / 2
      return fmt::format("<rect {} x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>", painted,
                         px(at.x - half), px(at.y - half), px(half * 2), px(half * 2));
    }
    case Side::balanced: {
      const double reach = radius * 1.253;  // sqrt(pi / 2)
      return fmt::format("<path {} d=\"M{} {}l{} {} {} {} {} {}z\"/>", painted, px(at.x - reach),
                         px(at.y), px(reach), px(-reach), px(reach), px(reach), px(-reach),
                         px(reach));
    }
    case Side::unknown:
      break;
  }
  const double reach = radius * 1.347;  // half the side of a triangle of the circle's area
  return fmt::format("<path {} d=\"M{} {}h{}l{} {}z\"/>", painted, px(at.x - reach),
                     px(at.y + reach * 0.577), px(reach * 2), px(-reach), px(-reach * 1.732));
}

std::string multiline_markup(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (at > 0) out += '\n';
    out += text::markup(std::string_view(text).substr(at, end - at));
    at = end + 1;
  }
  return out;
}

}  // namespace roofmark::report
