// JSON lines through Valgrind's file output. Strings are raw bytes: every byte is one code point.
#pragma once

#include "paths.hpp"

namespace roofmark::emulator {

class JsonLines {
 public:
  /// False: the file can't be made.
  bool open(const HChar* path);
  bool close();

  // An object's or array's parts follow each other; commas come by themselves.
  void begin_line() { open_bracket('{'); }
  void end_line() {
    close_bracket('}');
    put('\n');
    first_ = true;
  }
  void begin_object(const HChar* key) { named(key), open_bracket('{'); }
  void begin_object() { next(), open_bracket('{'); }
  void end_object() { close_bracket('}'); }
  void begin_array(const HChar* key) { named(key), open_bracket('['); }
  void begin_array() { next(), open_bracket('['); }
  void end_array() { close_bracket(']'); }
  void text(const HChar* key, const HChar* value) { named(key), string(value, VG_(strlen)(value)); }
  void text(const HChar* value) { next(), string(value, VG_(strlen)(value)); }
  void bytes(const UChar* value, UWord length) {
    next(), string(reinterpret_cast<const HChar*>(value), length);
  }
  void number(const HChar* key, ULong value) { named(key), digits(value); }
  void number(ULong value) { next(), digits(value); }

 private:
  void put(HChar c);
  void put(const HChar* text);
  void write_out();
  void next() {
    if (!first_) put(',');
    first_ = false;
  }
  void named(const HChar* key) {
    next();
    string(key, VG_(strlen)(key));
    put(':');
  }
  void open_bracket(HChar c) {
    put(c);
    first_ = true;
  }
  void close_bracket(HChar c) {
    put(c);
    first_ = false;
  }
  void string(const HChar* value, UWord length);
  void digits(ULong value);

  static constexpr UInt capacity = 1U << 16;
  Int file_ = -1;
  UInt used_ = 0;
  bool first_ = true;
  bool failed_ = false;
  HChar buffer_[capacity] = {};
};

}  // namespace roofmark::emulator
