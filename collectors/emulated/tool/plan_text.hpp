// Lists that the recorder hands over: lines of hexadecimal digits with marks between them.
#pragma once

#include "support.hpp"

namespace roofmark::emulator {

/// A whole file, read from its beginning on. What is read stays valid until the object is gone.
class PlanText {
 public:
  explicit PlanText(const HChar* path) {
    const Int file = VG_(fd_open)(path, VKI_O_RDONLY, 0);
    if (file < 0) return;
    HChar buffer[4096];
    for (Int got = VG_(read)(file, buffer, sizeof buffer); got > 0;
         got = VG_(read)(file, buffer, sizeof buffer))
      for (Int i = 0; i < got; ++i) text_.push(buffer[i]);
    VG_(close)(file);
    is_readable_ = true;
    at_ = text_.begin();
  }
  ~PlanText() { text_.free(); }
  PlanText(const PlanText&) = delete;
  PlanText& operator=(const PlanText&) = delete;

  bool is_readable() const { return is_readable_; }
  bool done() const { return at_ == text_.end(); }
  bool take(HChar c) {
    if (done() || *at_ != c) return false;
    ++at_;
    return true;
  }
  /// Two digits a byte; none is no fault.
  bool bytes(Vector<UChar>& to) {
    for (Int high = digit(); high >= 0; high = digit()) {
      const Int low = digit();
      if (low < 0) return false;
      to.push(static_cast<UChar>(high * 16 + low));
    }
    return true;
  }
  bool number(ULong& to) {
    Int value = digit();
    if (value < 0) return false;
    for (to = 0; value >= 0; value = digit()) to = to << 4 | static_cast<ULong>(value);
    return true;
  }

 private:
  Int digit() {
    if (done()) return -1;
    const HChar c = *at_;
    const Int value = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (value >= 0) ++at_;
    return value;
  }

  Vector<HChar> text_;
  const HChar* at_ = nullptr;
  bool is_readable_ = false;
};

}  // namespace roofmark::emulator
