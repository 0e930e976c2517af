// Style sheets and scripts of the HTML report, embedded at build time from web/.
#pragma once

#include <string_view>

namespace roofmark::report {

/// The content of web/NAME; empty for a name that does not exist.
std::string_view web_file(std::string_view name);

}  // namespace roofmark::report
