// What the texts of all counting halves' plans have in common: lines that each have an end, and
// writing into a buffer of a given size. The C library alone: this is compiled into the target too.
#pragma once

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstring>

namespace roofmark {

/// Hands each line to `take(number from 1, begin, end)` until that says what is wrong. `line` is
/// the number of the last one. A text that was cut off in a word or a number must not be taken for
/// one with a shorter one, so the last line needs its end too.
template <class Take>
const char* each_plan_line(const char* text, std::size_t length, unsigned& line, Take take) {
  const char* const end = text + length;
  line = 0;
  while (text != end) {
    ++line;
    const void* const stop = std::memchr(text, '\n', static_cast<std::size_t>(end - text));
    if (stop == nullptr) return "the last line has no end";
    const char* const stopped = static_cast<const char*>(stop);
    if (const char* const wrong = take(line, text, stopped)) return wrong;
    text = stopped + 1;
  }
  return nullptr;
}

/// printf into what is left of a buffer.
struct PlanWriter {
  char* text;
  std::size_t room;
  std::size_t length = 0;
  bool full = false;

  __attribute__((format(printf, 2, 3))) void add(const char* format, ...) {
    if (full) return;
    va_list arguments;
    va_start(arguments, format);
    const int written = std::vsnprintf(text + length, room - length, format, arguments);
    va_end(arguments);
    full = written < 0 || static_cast<std::size_t>(written) >= room - length;
    if (!full) length += static_cast<std::size_t>(written);
  }
};

}  // namespace roofmark
