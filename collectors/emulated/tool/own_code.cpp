#include "own_code.hpp"

namespace roofmark::emulator {
namespace {

constinit Addr set_first = 0;
constinit Addr set_end = 0;

constexpr const HChar* prefix = "libroofmark-";
constexpr const HChar* suffix = ".so";

bool is_own(const HChar* file) {
  if (file == nullptr) return false;
  const HChar* slash = VG_(strrchr)(file, '/');
  const HChar* name = slash != nullptr ? slash + 1 : file;
  const SizeT length = VG_(strlen)(name);
  const SizeT before = VG_(strlen)(prefix);
  const SizeT behind = VG_(strlen)(suffix);
  return length >= before + behind && VG_(strncmp)(name, prefix, before) == 0 &&
         VG_(strcmp)(name + length - behind, suffix) == 0;
}

}  // namespace

void set_own_code(Addr first, Addr end) {
  if (first == set_first && end == set_end) return;
  set_first = first;
  set_end = end;
  VG_(discard_translations_safely)(first, end - first, "roofmark");
}

bool OwnCode::holds(Addr a) {
  if (a >= set_first && a < set_end) return true;
  if (a >= first_ && a <= last_) return own_;
  const NSegment* segment = VG_(am_find_nsegment)(a);
  if (segment == nullptr) return false;
  first_ = segment->start;
  last_ = segment->end;
  own_ = is_own(VG_(am_get_filename)(segment));
  return own_;
}

}  // namespace roofmark::emulator
