// FNV-1a. Freestanding: host code tests it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace roofmark::emulator {

inline constexpr std::uint64_t hash_start = 0xCBF29CE484222325ULL;

constexpr std::uint64_t hash_byte(std::uint64_t hash, unsigned char byte) {
  return (hash ^ byte) * 0x100000001B3ULL;
}

inline std::uint64_t hash_bytes(std::uint64_t hash, const void* data, std::size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < size; ++i) hash = hash_byte(hash, bytes[i]);
  return hash;
}

/// A text and its end: "ab" and "c" behind each other are not "a" and "bc".
constexpr std::uint64_t hash_text(std::uint64_t hash, const char* text) {
  for (; *text != '\0'; ++text) hash = hash_byte(hash, static_cast<unsigned char>(*text));
  return hash_byte(hash, 0);
}

}  // namespace roofmark::emulator
