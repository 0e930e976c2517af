// Libraries that know about counters, looked at where they are installed and never linked.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace roofmark::check {

struct Library {
  std::string name;     ///< "libpfm4"
  std::string file;     ///< where the loader found it; empty: not installed
  std::string version;  ///< empty: not installed
};

/// The version in a file's name: "/usr/lib/libpfm.so.4.13.0" -> "4.13.0"; empty where there is
/// none.
std::string version_in_name(const std::string& file);

std::vector<Library> libraries_here();

}  // namespace roofmark::check
