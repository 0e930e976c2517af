// What rows of functions are called.
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace roofmark::functions {

/// Of code that no symbol names: its file in brackets.
std::string name_of_object(const std::string& object);

/// Of a loop: its source lines; where they are not known, how far behind its function's start it
/// begins.
std::string name_of_loop(const std::string& file, unsigned first_line, unsigned last_line,
                         std::uint64_t offset);

/// Gives each a name of its own.
class UniqueNames {
 public:
  /// The name alone where it is free, with the object file behind it where that is free, or with a
  /// number.
  std::string take(const std::string& name, const std::string& object = "");

 private:
  std::set<std::string> taken_;
};

}  // namespace roofmark::functions
