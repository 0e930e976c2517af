#include "fma_helpers.hpp"

#include "collectors/emulated/freestanding_intrinsics.hpp"

namespace roofmark::emulator {
namespace {

constexpr UInt slot_bit = 1U << 14;
constexpr UInt negated_bit = 1U << 15;
constexpr UInt offset_mask = slot_bit - 1;

struct Operands {
  UChar* base[2];
  ULong code;

  UChar* at(UInt field) const {
    const auto bits = static_cast<UInt>(code >> (16 * field) & 0xFFFF);
    return base[(bits & slot_bit) != 0] + (bits & offset_mask);
  }
  bool negated(UInt field) const { return (code >> (16 * field) & negated_bit) != 0; }
};

#define HOST_FMA __attribute__((target("fma")))

// Lane by lane, so that earlier narrow stores to the same place forward.
HOST_FMA inline __m128d two_doubles(const UChar* p) {
  const auto* d = reinterpret_cast<const double*>(p);
  return _mm_loadh_pd(_mm_load_sd(d), d + 1);
}
HOST_FMA inline __m128 four_floats(const UChar* p) {
  const auto* half = reinterpret_cast<const __m64*>(p);
  return _mm_loadh_pi(_mm_loadl_pi(_mm_setzero_ps(), half), half + 1);
}

HOST_FMA inline __m128d doubles(const Operands& o, UInt field, UInt part) {
  const __m128d v = two_doubles(o.at(field) + 16 * part);
  return o.negated(field) ? _mm_xor_pd(v, _mm_set1_pd(-0.0)) : v;
}
HOST_FMA inline __m128 floats(const Operands& o, UInt field, UInt part) {
  const __m128 v = four_floats(o.at(field) + 16 * part);
  return o.negated(field) ? _mm_xor_ps(v, _mm_set1_ps(-0.0F)) : v;
}

// All parts are computed before the first is stored: the result may lie where a factor lies.
template <UInt parts>
HOST_FMA void fma_doubles(UChar* guest, ULong code) {
  const Operands o{{guest, scratch.bytes}, code};
  __m128d result[parts];
  for (UInt i = 0; i < parts; ++i)
    result[i] = _mm_fmadd_pd(doubles(o, 0, i), doubles(o, 1, i), doubles(o, 2, i));
  auto* to = reinterpret_cast<double*>(o.at(3));
  for (UInt i = 0; i < parts; ++i) _mm_storeu_pd(to + 2 * i, result[i]);
}

template <UInt parts>
HOST_FMA void fma_floats(UChar* guest, ULong code) {
  const Operands o{{guest, scratch.bytes}, code};
  __m128 result[parts];
  for (UInt i = 0; i < parts; ++i)
    result[i] = _mm_fmadd_ps(floats(o, 0, i), floats(o, 1, i), floats(o, 2, i));
  auto* to = reinterpret_cast<float*>(o.at(3));
  for (UInt i = 0; i < parts; ++i) _mm_storeu_ps(to + 4 * i, result[i]);
}

template <class Real>
HOST_FMA void fma_one(UChar* guest, ULong code) {
  const Operands o{{guest, scratch.bytes}, code};
  Real value[3];
  for (UInt i = 0; i < 3; ++i) {
    const Real v = *reinterpret_cast<const Real*>(o.at(i));
    value[i] = o.negated(i) ? -v : v;
  }
  auto* to = reinterpret_cast<Real*>(o.at(3));
  if constexpr (sizeof(Real) == 8)
    *to = __builtin_fma(value[0], value[1], value[2]);
  else
    *to = __builtin_fmaf(value[0], value[1], value[2]);
}

}  // namespace

ULong encode(const Place (&places)[4]) {
  ULong code = 0;
  for (UInt i = 0; i < 4; ++i) {
    ULong bits = places[i].offset & offset_mask;
    if (places[i].kind == Place::Kind::slot) bits |= slot_bit;
    if (places[i].negated) bits |= negated_bit;
    code |= bits << (16 * i);
  }
  return code;
}

void* fma_helper(UInt lanes, UInt lane_bytes) {
  using Helper = void (*)(UChar*, ULong);
  Helper h = nullptr;
  if (lane_bytes == 8)
    h = lanes == 4   ? &fma_doubles<2>
        : lanes == 2 ? &fma_doubles<1>
        : lanes == 1 ? &fma_one<double>
                     : nullptr;
  else
    h = lanes == 8   ? &fma_floats<2>
        : lanes == 4 ? &fma_floats<1>
        : lanes == 1 ? &fma_one<float>
                     : nullptr;
  return reinterpret_cast<void*>(h);
}

}  // namespace roofmark::emulator
