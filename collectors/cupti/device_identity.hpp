// What a device is called wherever it is met: kernels and ceilings of one device, or of one
// instance of a part of it, must have the same name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace roofmark::cupti {

/// By the driver's name: "NVIDIA A100-SXM4-40GB MIG 1g.5gb".
inline bool is_mig_instance(std::string_view name) {
  return name.find(" MIG ") != std::string_view::npos;
}

/// As nvidia-smi writes the 16 bytes; they may be of a signed type.
template <class Byte>
std::string device_uuid(const Byte* bytes, bool mig) {
  constexpr std::string_view digits = "0123456789abcdef";
  constexpr std::size_t length = 16;
  std::string text = mig ? "MIG-" : "GPU-";
  for (std::size_t i = 0; i < length; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    const auto byte = static_cast<unsigned char>(bytes[i]);
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

}  // namespace roofmark::cupti
