#include "elf_file.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>

namespace roofmark::emulated {
namespace {

template <class T>
std::optional<T> load(Bytes bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace

Result<ElfFile> ElfFile::read(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return tl::unexpected(Problem{"there is no such file", path.string(), "check the name"});
  }
  std::ifstream file(path, std::ios::binary);
  // In one piece: executables of hundreds of MiB are looked at before each run.
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  std::vector<std::uint8_t> bytes(error ? 0 : size);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (error || !file)
    return tl::unexpected(
        Problem{"the file can't be read", path.string(), "check its permissions"});
  ElfFile elf(std::move(bytes));
  if (elf.bytes_.size() < EI_NIDENT || std::memcmp(elf.bytes_.data(), ELFMAG, SELFMAG) != 0) {
    return tl::unexpected(
        Problem{"the file is neither an ELF program nor a script", path.string(), ""});
  }
  return elf;
}

ElfFile::ElfFile(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {
  parse();
}

Bytes ElfFile::range(std::uint64_t offset, std::uint64_t size) const {
  if (offset > bytes_.size() || size > bytes_.size() - offset) return {};
  return Bytes(bytes_).subspan(offset, size);
}

std::string_view ElfFile::text_at(Bytes table, std::size_t offset) const {
  if (offset >= table.size()) return {};
  const auto* first = reinterpret_cast<const char*>(table.data()) + offset;
  const std::size_t most = table.size() - offset;
  return {first, strnlen(first, most)};
}

void ElfFile::parse() {
  if (bytes_.size() < EI_NIDENT || std::memcmp(bytes_.data(), ELFMAG, SELFMAG) != 0) return;
  is_32_bit_ = bytes_[EI_CLASS] == ELFCLASS32;
  if (bytes_[EI_DATA] != ELFDATA2LSB) return;
  machine_ = load<std::uint16_t>(bytes_, offsetof(Elf64_Ehdr, e_machine)).value_or(EM_NONE);
  const auto header = load<Elf64_Ehdr>(bytes_, 0);
  if (bytes_[EI_CLASS] != ELFCLASS64 || !header) return;
  header_ = *header;
  valid_ = true;
  for (unsigned i = 0; i < header_.e_phnum; ++i) {
    if (const auto segment = load<Elf64_Phdr>(bytes_, header_.e_phoff + i * sizeof(Elf64_Phdr)))
      segments_.push_back(*segment);
  }
  for (unsigned i = 0; i < header_.e_shnum; ++i) {
    const auto section = load<Elf64_Shdr>(bytes_, header_.e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) break;
    const bool in_file = section->sh_type != SHT_NOBITS && section->sh_type != SHT_NULL;
    sections_.push_back(
        {{}, *section, in_file ? range(section->sh_offset, section->sh_size) : Bytes{}});
  }
  if (header_.e_shstrndx >= sections_.size()) return;
  const Bytes names = sections_[header_.e_shstrndx].content;
  for (ElfSection& section : sections_) section.name = text_at(names, section.header.sh_name);
}

bool ElfFile::has_segment(std::uint32_t type) const {
  return std::any_of(segments_.begin(), segments_.end(),
                     [&](const Elf64_Phdr& s) { return s.p_type == type; });
}

const ElfSection* ElfFile::linked(const ElfSection& section) const {
  return section.header.sh_link < sections_.size() ? &sections_[section.header.sh_link] : nullptr;
}

std::vector<std::string_view> ElfFile::needed_libraries() const {
  std::vector<std::string_view> names;
  for (const ElfSection& section : sections_) {
    const ElfSection* strings = section.header.sh_type == SHT_DYNAMIC ? linked(section) : nullptr;
    if (strings == nullptr) continue;
    for (std::size_t at = 0;; at += sizeof(Elf64_Dyn)) {
      const auto entry = load<Elf64_Dyn>(section.content, at);
      if (!entry || entry->d_tag == DT_NULL) break;
      if (entry->d_tag == DT_NEEDED) names.push_back(text_at(strings->content, entry->d_un.d_val));
    }
  }
  return names;
}

bool ElfFile::has_symbol(std::string_view name) const {
  for (const ElfSection& section : sections_) {
    if (section.header.sh_type != SHT_SYMTAB && section.header.sh_type != SHT_DYNSYM) continue;
    const ElfSection* strings = linked(section);
    if (strings == nullptr) continue;
    for (std::size_t at = 0;; at += sizeof(Elf64_Sym)) {
      const auto symbol = load<Elf64_Sym>(section.content, at);
      if (!symbol) break;
      if (text_at(strings->content, symbol->st_name) == name) return true;
    }
  }
  return false;
}

}  // namespace roofmark::emulated
