#include <algorithm>
#include <analysis/symbols/unwind_table.hpp>
#include <cstring>
#include <random>
#include <string>

#include "catch.hpp"

using namespace roofmark::symbols;

namespace {

constexpr std::uint64_t base = 0x4000;

template <class Number>
void put(std::string& bytes, Number number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <class Number>
void put_at(std::string& bytes, std::size_t at, Number number) {
  std::memcpy(bytes.data() + at, &number, sizeof number);
}

/// What linkers write: the header with its table, one common entry, and an entry for each function.
struct Written {
  std::string bytes;
  std::size_t first_entry = 0;
};

Written written_for(const std::vector<AddressRange>& functions,
                    const std::string& augmentation = "zPLR", std::uint8_t pointers = 0x1b) {
  Written made;
  std::string& all = made.bytes;
  all += std::string("\x01\x1b\x03\x3b", 4);
  put<std::int32_t>(all, 0);
  put<std::uint32_t>(all, static_cast<std::uint32_t>(functions.size()));
  const std::size_t table = all.size();
  all.append(8 * functions.size(), '\0');

  const std::size_t common = all.size();
  std::string body;
  put<std::uint32_t>(body, 0);
  body += '\x01';
  body += augmentation + '\0';
  body += std::string("\x01\x78\x10", 3);  // alignments, return address register
  if (!augmentation.empty()) {
    body += '\x07';
    for (const char what : augmentation.substr(1)) {
      if (what == 'P') body += std::string("\x9b\x11\x22\x33\x44", 5);
      if (what == 'L') body += '\x1b';
      if (what == 'R') body += static_cast<char>(pointers);
    }
  }
  put<std::uint32_t>(all, static_cast<std::uint32_t>(body.size()));
  all += body;

  made.first_entry = all.size();
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const AddressRange& function = functions[i];
    const std::size_t entry = all.size();
    put_at(all, table + 8 * i, static_cast<std::int32_t>(function.first - base));
    put_at(all, table + 8 * i + 4, static_cast<std::int32_t>(entry));
    const bool wide = (pointers & 0x0f) == 0x0c || (pointers & 0x0f) == 0;
    put<std::uint32_t>(all, wide ? 20 : 12);
    put<std::uint32_t>(all, static_cast<std::uint32_t>(all.size() - common));
    if (wide) {
      put<std::uint64_t>(all, function.first - (base + all.size()));
      put<std::uint64_t>(all, function.end - function.first);
    } else {
      put<std::uint32_t>(all, static_cast<std::uint32_t>(function.first - (base + all.size())));
      put<std::uint32_t>(all, static_cast<std::uint32_t>(function.end - function.first));
    }
  }
  put<std::uint32_t>(all, 0);
  return made;
}

std::vector<AddressRange> read(const std::string& bytes) {
  return functions_by_unwind_table(base, [&](std::uint64_t address) -> std::string_view {
    if (address < base || address - base >= bytes.size()) return {};
    return std::string_view(bytes).substr(address - base);
  });
}

// Before and behind the table.
const std::vector<AddressRange> functions{{0x1000, 0x1001}, {0x1040, 0x11f7}, {0x9000, 0xa000}};

}  // namespace

TEST_CASE("functions are where the unwinding table says, however its pointers are written") {
  CHECK(read(written_for(functions).bytes) == functions);
  CHECK(read(written_for(functions, "zR", 0x1b).bytes) == functions);
  CHECK(read(written_for(functions, "zRS", 0x03).bytes) == functions);
  CHECK(read(written_for(functions, "zR", 0x1c).bytes) == functions);
  CHECK(read(written_for(functions, "", 0x00).bytes) == functions);
  CHECK(read(written_for({}).bytes).empty());
}

TEST_CASE("a table of another kind, or of none, says of no function") {
  CHECK(read("").empty());
  for (const std::size_t at : {0U, 1U, 2U, 3U}) {
    std::string other = written_for(functions).bytes;
    other[at] = '\x7f';
    CHECK(read(other).empty());
  }
  CHECK(read(written_for(functions, "eh").bytes).empty());
  CHECK(read(written_for(functions, "zX").bytes).empty());
}

TEST_CASE("one damaged entry is left out, and the others stay") {
  Written made = written_for(functions);
  put_at<std::uint32_t>(made.bytes, made.first_entry, 0xffffffff);
  CHECK(read(made.bytes) == std::vector(functions.begin() + 1, functions.end()));
  // Behind the end of addresses.
  Written wide = written_for(functions, "zR", 0x1c);
  put_at<std::uint64_t>(wide.bytes, wide.first_entry + 16, ~std::uint64_t{0});
  CHECK(read(wide.bytes) == std::vector(functions.begin() + 1, functions.end()));
}

TEST_CASE(
    "a table that ends early, or is damaged anywhere, says of no function that makes no sense") {
  const std::string whole = written_for(functions).bytes;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto found = read(whole.substr(0, size));
    REQUIRE(found.size() <= functions.size());
    REQUIRE(std::equal(found.begin(), found.end(), functions.begin()));
  }
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = whole;
    for (int i = 0; i < 3; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    for (const AddressRange& range : read(damaged)) REQUIRE(range.first < range.end);
  }
}
