// Files of the kernel's own trees, which are read in one call or not at all.
#pragma once

#include <string>

namespace roofmark {

/// The first 4 KiB at most; empty where it can't be read.
std::string read_small(const std::string& path);

}  // namespace roofmark
