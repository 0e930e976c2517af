// The marks of points: a shape and a colour for each side of the ridge.
#pragma once

#include <roofmark/words.hpp>
#include <string>

#include "geometry.hpp"

namespace roofmark::report {

/// "memory", "compute", "balanced", "unknown": also the class of the colour.
std::string mark_class(Side side);

/// How a mark or a line of a side is painted: solid, a ring in the colour of the paper, or a line.
enum class Brush { solid, hollow, line };

/// The attributes: a class for style sheets, and colours for what reads an SVG without them.
std::string paint(Side side, Brush brush);

/// Circle, square, diamond or triangle of the same area, as an SVG element.
std::string mark(Side side, Spot at, double radius, Brush brush);

/// A pixel coordinate: two decimals are a hundredth of a pixel.
std::string px(double value);

/// Markup, but with the line breaks that we put in ourselves.
std::string multiline_markup(const std::string& text);

}  // namespace roofmark::report
