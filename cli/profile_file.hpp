// A profile as a command reads it.
#pragma once

#include <roofmark/profile.hpp>
#include <roofmark/result.hpp>
#include <string>

namespace roofmark::cli {

/// Judged; "-" is standard input. A directory is what programs left that were started with
/// libroofmark-preload.so: judged by the machine of that file, else by this one where it was
/// recorded here.
Result<Profile> load_profile(const std::string& file, const std::string& machine_file = {});

}  // namespace roofmark::cli
