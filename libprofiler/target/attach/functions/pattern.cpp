#include "pattern.hpp"

namespace roofmark::functions {
namespace {

/// Of "[...]" at `at`: does it hold the letter? `at` goes to its end; without an end it is a
/// letter.
bool class_holds(const char* glob, size_t length, size_t& at, char letter) {
  size_t i = at + 1;
  const bool inverted = i < length && (glob[i] == '!' || glob[i] == '^');
  if (inverted) ++i;
  bool holds = false;
  for (const size_t start = i; i < length && (glob[i] != ']' || i == start); ++i) {
    if (i + 2 < length && glob[i + 1] == '-' && glob[i + 2] != ']') {
      holds = holds || (letter >= glob[i] && letter <= glob[i + 2]);
      i += 2;
    } else {
      holds = holds || glob[i] == letter;
    }
  }
  if (i >= length) return glob[at] == letter;
  at = i;
  return holds != inverted;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Reads along a symbol and writes a name.
class Reader {
 public:
  Reader(const char* symbol, char* name, size_t room) : at_(symbol), name_(name), room_(room) {}

  size_t read() {
    if (at_[0] != '_' || at_[1] != 'Z') return 0;
    at_ += 2;
    if (*at_ != 'N') {
      skip_std();
      return part() ? end() : 0;
    }
    ++at_;
    while (*at_ == 'K' || *at_ == 'V' || *at_ == 'r' || *at_ == 'R' || *at_ == 'O') ++at_;
    skip_std();
    for (;;) {
      if (*at_ == 'E') return end();
      if (*at_ == 'I') {
        if (!skip_arguments()) return 0;
      } else if ((*at_ == 'C' || *at_ == 'D') && is_digit(at_[1])) {
        const bool is_destructor = *at_ == 'D';
        at_ += 2;
        if (!again(is_destructor)) return 0;
      } else if (!part()) {
        return 0;
      }
    }
  }

 private:
  bool put(const char* text, size_t count) {
    if (length_ + count >= room_) return false;
    for (size_t i = 0; i < count; ++i) name_[length_++] = text[i];
    return true;
  }
  size_t end() {
    if (room_ > 0) name_[length_] = '\0';
    return length_;
  }
  void skip_std() {
    if (at_[0] != 'S' || at_[1] != 't') return;
    at_ += 2;
    part_start_ = 0;
    put("std", 3);
  }

  bool part() {
    if (*at_ == 'L') ++at_;  // local to its file
    if (!is_digit(*at_)) return false;
    size_t count = 0;
    for (; is_digit(*at_); ++at_) {
      count = count * 10 + static_cast<size_t>(*at_ - '0');
      if (count > 4096) return false;
    }
    for (size_t i = 0; i < count; ++i)
      if (at_[i] == '\0') return false;
    if (length_ > 0 && !put("::", 2)) return false;
    part_start_ = length_;
    constexpr char nameless[] = "_GLOBAL__N_";
    bool is_nameless = count > sizeof nameless - 1;
    for (size_t i = 0; is_nameless && i < sizeof nameless - 1; ++i)
      is_nameless = at_[i] == nameless[i];
    const bool written = is_nameless ? put("(anonymous)", 11) : put(at_, count);
    at_ += count;
    while (*at_ == 'B') {  // an ABI tag
      ++at_;
      size_t tag = 0;
      for (; is_digit(*at_); ++at_) tag = tag * 10 + static_cast<size_t>(*at_ - '0');
      for (; tag > 0 && *at_ != '\0'; --tag) ++at_;
    }
    return written;
  }

  /// A constructor bears the name of its class.
  bool again(bool is_destructor) {
    const size_t from = part_start_, to = length_;
    if (!put(is_destructor ? "::~" : "::", is_destructor ? 3 : 2)) return false;
    part_start_ = length_;
    return put(name_ + from, to - from);
  }

  /// I...E, in which names are counted and everything else that ends in E begins with a letter of
  /// its own.
  bool skip_arguments() {
    int depth = 0;
    while (*at_ != '\0') {
      if (is_digit(*at_)) {
        size_t count = 0;
        for (; is_digit(*at_) && count < 4096; ++at_)
          count = count * 10 + static_cast<size_t>(*at_ - '0');
        for (; count > 0 && *at_ != '\0'; --count) ++at_;
        continue;
      }
      const char c = *at_++;
      if (c == 'S' && *at_ != '\0') {  // a substitution: S_, S0_, St, Sa
        if (*at_ == '_' || is_digit(*at_) || (*at_ >= 'A' && *at_ <= 'Z'))
          while (*at_ != '\0' && *at_++ != '_') {
          }
        else
          ++at_;
        continue;
      }
      if (c == 'L') {  // a literal: L, a type of one letter, digits
        while (*at_ != '\0' && *at_ != 'E') ++at_;
        if (*at_ == 'E') ++at_;
        continue;
      }
      if (c == 'I' || c == 'N' || c == 'F' || c == 'J' || c == 'X') ++depth;
      if (c == 'E' && --depth == 0) return true;
    }
    return false;
  }

  const char* at_;
  char* name_;
  size_t room_;
  size_t length_ = 0;
  size_t part_start_ = 0;
};

}  // namespace

bool matches(const char* glob, size_t length, const char* text, size_t text_length) {
  size_t at = 0, i = 0;
  size_t star = length, taken = 0;
  while (i < text_length) {
    if (at < length && glob[at] == '*') {
      star = at++;
      taken = i;
      continue;
    }
    size_t next = at;
    const bool same = at < length && (glob[at] == '?' || glob[at] == text[i] || glob[at] == '[') &&
                      (glob[at] != '[' || class_holds(glob, length, next, text[i]));
    if (same) {
      at = next + 1;
      ++i;
    } else if (star < length) {
      at = star + 1;
      i = ++taken;
    } else {
      return false;
    }
  }
  while (at < length && glob[at] == '*') ++at;
  return at == length;
}

size_t qualified_name(const char* symbol, char* name, size_t room) {
  return Reader(symbol, name, room).read();
}

}  // namespace roofmark::functions
