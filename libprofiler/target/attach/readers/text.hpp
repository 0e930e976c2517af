// Names put together from what tools give: wide characters, a domain before a name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cwchar>

namespace roofmark::readers {

/// What is longer is cut; the runtime keeps no longer names either.
inline constexpr size_t longest_name = 4096;

struct Text {
  char bytes[longest_name];
  size_t length = 0;
  bool full = false;

  void add(char byte) {
    full = full || length == longest_name;
    if (!full) bytes[length++] = byte;
  }
  void add(const char* text) {
    for (; text != nullptr && *text != '\0' && !full; ++text) add(*text);
  }
  /// As UTF-8. What is no character becomes U+FFFD.
  void add(const wchar_t* text) {
    for (; text != nullptr && *text != L'\0' && !full; ++text)
      add_character(static_cast<uint32_t>(*text));
  }
  /// Hexadecimal, without leading zeros.
  void add_hexadecimal(uint64_t value) {
    bool begun = false;
    for (int shift = 60; shift >= 0; shift -= 4) {
      const unsigned digit = static_cast<unsigned>(value >> shift) & 15;
      begun = begun || digit != 0 || shift == 0;
      if (begun) add("0123456789abcdef"[digit]);
    }
  }

 private:
  void add_character(uint32_t c) {
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) c = 0xfffd;
    const int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    full = full || length + static_cast<size_t>(more) >= longest_name;  // no half characters
    if (full) return;
    constexpr unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
    add(static_cast<char>(first[more] | c >> (6 * more)));
    for (int i = more - 1; i >= 0; --i) add(static_cast<char>(0x80 | (c >> (6 * i) & 0x3f)));
  }
};

}  // namespace roofmark::readers
