// GLOB[@LIB]: which functions are meant.
#pragma once

#include <stddef.h>

namespace roofmark::functions {

/// `*`, `?` and `[abc]`, `[a-z]`, `[!a]`; all of the text has to match.
bool matches(const char* glob, size_t length, const char* text, size_t text_length);

/// The qualified name of a C++ function without its parameters and template arguments, from its
/// symbol: "work::Solver::run". 0: it is none, or needs more than reading along (an operator).
size_t qualified_name(const char* symbol, char* name, size_t room);

}  // namespace roofmark::functions
