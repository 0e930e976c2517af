// Errors are values: what went wrong, where, and what the reader can do about it.
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace roofmark {

struct Problem {
  std::string reason;  ///< one clause, no trailing full stop: "the file ends inside a string"
  std::string where;   ///< file, file:line, option or quantity; may be empty
  std::string remedy;  ///< the one thing to do; may be empty when nothing can be done
};

template <class T>
using Result = tl::expected<T, Problem>;

/// "WHERE: REASON; REMEDY" on one line, the parts that are empty left out.
std::string to_line(const Problem& problem);

}  // namespace roofmark
