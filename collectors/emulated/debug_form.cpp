// The headers of the units in .debug_info (DWARF 5, section 7.5.1): length, version, unit type.
#include <algorithm>
#include <cstring>

#include "elf_file.hpp"
#include "inspect_parts.hpp"

namespace roofmark::emulated {
namespace {

constexpr std::uint32_t dwarf64_mark = 0xFFFFFFFF;
constexpr std::uint8_t unit_skeleton = 0x04, unit_split = 0x05;
// GNU's split DWARF 4 names its .dwo file by an attribute; Valgrind reads past it.

template <class T>
T load(Bytes bytes, std::size_t at) {
  T value{};
  if (at <= bytes.size() && bytes.size() - at >= sizeof value)
    std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

bool contains(Bytes bytes, std::string_view text) {
  return std::search(bytes.begin(), bytes.end(), text.begin(), text.end()) != bytes.end();
}

}  // namespace

bool DebugForm::unreadable() const {
  return dwarf64 || (version >= 5 && split) || (version >= 5 && clang && units > 1) ||
         (compressed && clang);
}

DebugForm debug_form(const ElfFile& elf) {
  DebugForm form;
  if (const ElfSection* comment = elf.section(".comment"))
    form.clang = contains(comment->content, "clang version");
  const ElfSection* info = elf.section(".debug_info");
  if (info == nullptr) return form;
  if ((info->header.sh_flags & SHF_COMPRESSED) != 0) {
    form.compressed = true;
    return form;
  }
  const Bytes bytes = info->content;
  for (std::size_t at = 0; at + 11 <= bytes.size();) {
    const bool wide = load<std::uint32_t>(bytes, at) == dwarf64_mark;
    const std::size_t header = wide ? 12 : 4;
    const std::uint64_t length =
        wide ? load<std::uint64_t>(bytes, at + 4) : load<std::uint32_t>(bytes, at);
    const auto version = load<std::uint16_t>(bytes, at + header);
    if (version < 2 || version > 5 || length > bytes.size() - at) break;
    ++form.units;
    form.version = std::max(form.version, version);
    form.dwarf64 = form.dwarf64 || wide;
    const auto type = load<std::uint8_t>(bytes, at + header + 2);
    if (version >= 5 && (type == unit_skeleton || type == unit_split)) form.split = true;
    at += header + length;
  }
  return form;
}

}  // namespace roofmark::emulated
