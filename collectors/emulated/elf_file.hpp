// A 64-bit little-endian ELF file in memory: bounds-checked views of its parts. Whatever the bytes
// are, no access leaves them.
#pragma once

#include <elf.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <roofmark/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace roofmark::emulated {

using Bytes = std::span<const std::uint8_t>;

struct ElfSection {
  std::string_view name;
  Elf64_Shdr header{};
  Bytes content;  ///< empty where it lies outside the file
};

class ElfFile {
 public:
  /// Reads a whole file; a problem when it can't be read or is no ELF file at all.
  static Result<ElfFile> read(const std::filesystem::path& path);
  explicit ElfFile(std::vector<std::uint8_t> bytes);

  bool is_elf64_little() const { return valid_; }
  std::uint16_t machine() const { return machine_; }  ///< of 32-bit files too
  bool is_32_bit() const { return is_32_bit_; }
  std::uint16_t type() const { return header_.e_type; }
  const std::vector<ElfSection>& sections() const { return sections_; }
  bool has_segment(std::uint32_t type) const;
  std::vector<std::string_view> needed_libraries() const;
  /// True if a symbol of .symtab or .dynsym, defined or not, has the name.
  bool has_symbol(std::string_view name) const;

 private:
  void parse();
  std::string_view text_at(Bytes table, std::size_t offset) const;
  Bytes range(std::uint64_t offset, std::uint64_t size) const;
  const ElfSection* linked(const ElfSection& section) const;

  std::vector<std::uint8_t> bytes_;
  bool valid_ = false;
  bool is_32_bit_ = false;
  std::uint16_t machine_ = EM_NONE;
  Elf64_Ehdr header_{};
  std::vector<ElfSection> sections_;
  std::vector<Elf64_Phdr> segments_;
};

}  // namespace roofmark::emulated
