// The layout is that of the Linux Standard Base, Core Generic, 10.6 (Exception Frames).
#include <analysis/symbols/unwind_table.hpp>
#include <cstring>
#include <map>
#include <optional>

namespace roofmark::symbols {
namespace {

/// How a pointer is written: its size and sign below, what it is relative to above.
namespace encoding {
constexpr std::uint8_t absolute = 0x00, u2 = 0x02, u4 = 0x03, u8 = 0x04, s2 = 0x0a, s4 = 0x0b,
                       s8 = 0x0c, size_mask = 0x0f, place_mask = 0x70, aligned = 0x50,
                       table_of_offsets = 0x30 | s4;
}

std::optional<std::size_t> size_of(std::uint8_t written) {
  switch (written & encoding::size_mask) {
    case encoding::u2:
    case encoding::s2:
      return 2;
    case encoding::u4:
    case encoding::s4:
      return 4;
    case encoding::absolute:
    case encoding::u8:
    case encoding::s8:
      return 8;
    default:
      return std::nullopt;
  }
}

/// Reads on until something is missing; from then on everything is 0.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  bool failed() const { return failed_; }

  template <class Number>
  Number take() {
    Number number{};
    if (const std::string_view bytes = take(sizeof number); !bytes.empty())
      std::memcpy(&number, bytes.data(), sizeof number);
    return number;
  }
  std::string_view take(std::size_t bytes) {
    if (bytes > rest_.size()) failed_ = true;
    if (failed_) return {};
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }
  std::uint64_t take_unsigned(std::size_t bytes) {
    std::uint64_t number = 0;
    if (const std::string_view taken = take(bytes); !taken.empty())
      std::memcpy(&number, taken.data(), bytes);
    return number;
  }
  /// A number of seven bits a byte, whose value nobody here asks for.
  void skip_leb128() {
    while ((take<std::uint8_t>() & 0x80U) != 0 && !failed_) {
    }
  }
  std::string_view take_text() {
    const std::size_t end = rest_.find('\0');
    if (end == std::string_view::npos) failed_ = true;
    if (failed_) return {};
    const std::string_view text = take(end);
    take(1);
    return text;
  }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

/// How functions that share this entry write where they begin and how long they are.
std::optional<std::uint8_t> pointer_encoding(std::string_view common_entry) {
  Reader reader(common_entry);
  reader.take<std::uint32_t>();  // its length
  if (reader.take<std::uint32_t>() != 0) return std::nullopt;
  const auto version = reader.take<std::uint8_t>();
  const std::string_view augmentation = reader.take_text();
  if (reader.failed() || (version != 1 && version != 3)) return std::nullopt;
  if (augmentation.empty()) return encoding::absolute;
  if (augmentation.front() != 'z') return std::nullopt;
  reader.skip_leb128();  // code alignment
  reader.skip_leb128();  // data alignment
  if (version == 1)
    reader.take<std::uint8_t>();
  else
    reader.skip_leb128();  // return address register
  reader.skip_leb128();    // length of what follows
  for (const char what : augmentation.substr(1)) {
    if (what == 'R') {
      const auto written = reader.take<std::uint8_t>();
      return reader.failed() ? std::nullopt : std::optional(written);
    }
    if (what == 'L') {
      reader.take<std::uint8_t>();
    } else if (what == 'P') {
      const auto written = reader.take<std::uint8_t>();
      const auto size = size_of(written);
      if (!size || (written & encoding::place_mask) == encoding::aligned) return std::nullopt;
      reader.take(*size);
    } else if (what != 'S' && what != 'B' && what != 'G') {
      return std::nullopt;
    }
  }
  return encoding::absolute;
}

class Entries {
 public:
  explicit Entries(const LoadedBytes& loaded) : loaded_(loaded) {}

  /// The length in bytes of the function that the entry at this address describes.
  std::optional<std::uint64_t> length(std::uint64_t entry) {
    Reader reader(loaded_(entry));
    const auto entry_bytes = reader.take<std::uint32_t>();
    const auto back = reader.take<std::uint32_t>();
    // 0: the end; all ones: a length of 64 bits, which no linker needed yet.
    if (reader.failed() || entry_bytes == 0 || entry_bytes == UINT32_MAX || back == 0)
      return std::nullopt;
    const auto pointers = pointers_of(entry + sizeof entry_bytes - back);
    const auto size = pointers ? size_of(*pointers) : std::nullopt;
    if (!size) return std::nullopt;
    reader.take(*size);  // where it begins: the table says so, too
    const std::uint64_t length = reader.take_unsigned(*size);
    return reader.failed() || length == 0 ? std::nullopt : std::optional(length);
  }

 private:
  std::optional<std::uint8_t> pointers_of(std::uint64_t common_entry) {
    const auto [known, is_new] = known_.try_emplace(common_entry);
    if (is_new) known->second = pointer_encoding(loaded_(common_entry));
    return known->second;
  }

  const LoadedBytes& loaded_;
  std::map<std::uint64_t, std::optional<std::uint8_t>> known_;
};

}  // namespace

std::vector<AddressRange> functions_by_unwind_table(std::uint64_t header_address,
                                                    const LoadedBytes& loaded) {
  Reader header(loaded(header_address));
  const auto version = header.take<std::uint8_t>();
  const auto frames = size_of(header.take<std::uint8_t>());
  const auto count_encoding = header.take<std::uint8_t>();
  const auto table_encoding = header.take<std::uint8_t>();
  if (version != 1 || !frames || count_encoding != encoding::u4 ||
      table_encoding != encoding::table_of_offsets)
    return {};
  header.take(*frames);
  const auto count = header.take<std::uint32_t>();
  std::vector<AddressRange> functions;
  Entries entries(loaded);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t first = header_address + header.take<std::int32_t>();
    const std::uint64_t entry = header_address + header.take<std::int32_t>();
    if (header.failed()) break;
    const auto length = entries.length(entry);
    if (!length || first + *length < first) continue;
    functions.push_back({first, first + *length});
  }
  return functions;
}

}  // namespace roofmark::symbols
