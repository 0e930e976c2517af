// Names of functions for people.
#pragma once

#include <string>

namespace roofmark::symbols {

/// Demangled where it is mangled; otherwise as it is.
std::string demangled(const std::string& symbol);

/// Without return type and parameters, and with template arguments only where they are short.
std::string shortened(const std::string& demangled_name);

/// Code that a compiler moved away from its function (`f.cold`) belongs to it: the function's
/// symbol. Others are their own.
std::string home_of_part(const std::string& symbol);

/// What is left of a name without the words for an instruction set or a processor: functions of one
/// library whose names have it in common are one function for several processors. Empty: the name
/// has no such word.
std::string without_processor(const std::string& symbol);

}  // namespace roofmark::symbols
