// What the page's script works with, as JSON that is safe inside a <script> element.
#pragma once

#include <roofmark/report.hpp>
#include <string>

#include "chart_layout.hpp"

namespace roofmark::report {

/// `chart` and `layout` are those of the static picture: the script draws on the same axes.
std::string html_data(const Profile& profile, const Chart& chart, const ChartLayout& layout,
                      const std::string& level, const HtmlOptions& options, std::size_t labelled);

/// "<", ">" and "&" as \u escapes: the text stays JSON and can't end the element that holds it.
std::string script_safe(const std::string& json);

}  // namespace roofmark::report
