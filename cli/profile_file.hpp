// A profile as a command reads it.
#pragma once

#include <roofmark/profile.hpp>
#include <roofmark/result.hpp>
#include <string>

namespace roofmark::cli {

/// Judged; "-" is standard input.
Result<Profile> load_profile(const std::string& file);

}  // namespace roofmark::cli
