#include "json.hpp"

namespace roofmark::emulator {

bool JsonLines::open(const HChar* path) {
  file_ = VG_(fd_open)(path, VKI_O_CREAT | VKI_O_TRUNC | VKI_O_WRONLY, 0644);
  used_ = 0;
  first_ = true;
  failed_ = file_ < 0;
  return !failed_;
}

bool JsonLines::close() {
  write_out();
  VG_(close)(file_);
  return !failed_;
}

void JsonLines::write_out() {
  UInt done = 0;
  while (done < used_ && !failed_) {
    const Int n = VG_(write)(file_, buffer_ + done, static_cast<Int>(used_ - done));
    if (n <= 0)
      failed_ = true;
    else
      done += static_cast<UInt>(n);
  }
  used_ = 0;
}

void JsonLines::put(HChar c) {
  if (used_ == capacity) write_out();
  buffer_[used_++] = c;
}

void JsonLines::put(const HChar* text) {
  while (*text != 0) put(*text++);
}

void JsonLines::string(const HChar* value, UWord length) {
  constexpr const HChar* hex = "0123456789abcdef";
  put('"');
  for (UWord i = 0; i < length; ++i) {
    const auto c = static_cast<UChar>(value[i]);
    if (c == '"' || c == '\\') {
      put('\\');
      put(static_cast<HChar>(c));
    } else if (c >= 0x20 && c < 0x7F) {
      put(static_cast<HChar>(c));
    } else {
      put("\\u00");
      put(hex[c >> 4]);
      put(hex[c & 15]);
    }
  }
  put('"');
}

void JsonLines::digits(ULong value) {
  HChar text[20];
  UInt n = 0;
  do {
    text[n++] = static_cast<HChar>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  while (n > 0) put(text[--n]);
}

}  // namespace roofmark::emulator
