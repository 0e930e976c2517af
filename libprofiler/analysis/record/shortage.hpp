// What is said where an exception of the standard library ends a step: nearly always there was no
// memory, or no room for another thread. The program that is recorded is not touched by it.
#pragma once

#include <exception>
#include <new>
#include <roofmark/result.hpp>
#include <system_error>

namespace roofmark {

inline Problem shortage(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
    return {"there is not enough memory", "", "raise its limit (ulimit -v), or free some"};
  // A thread that can't be made.
  if (dynamic_cast<const std::system_error*>(&error) != nullptr)
    return {error.what(), "", "raise the limits on memory and processes (ulimit -v, ulimit -u)"};
  return {error.what(), "", "report it"};
}

}  // namespace roofmark
