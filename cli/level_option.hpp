// `--level`: the interface whose bytes are shown.
#pragma once

#include <roofmark/profile.hpp>
#include <roofmark/result.hpp>
#include <string>

namespace roofmark::cli {

/// The level as the profile spells it. `file`: of the profile.
Result<std::string> level_of(const Profile& profile, const std::string& file,
                             const std::string& wanted);

}  // namespace roofmark::cli
