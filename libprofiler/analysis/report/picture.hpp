// A chart for those who can't use SVG: PNG and PDF, made by librsvg's command where it is
// installed.
#pragma once

#include <roofmark/result.hpp>
#include <string>

namespace roofmark {

/// `format` is "png" (twice the SVG's pixels) or "pdf". A Problem with the remedy where the
/// converter is missing or fails.
Result<std::string> picture_of(const std::string& svg, const std::string& format);

}  // namespace roofmark
