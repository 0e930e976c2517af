#include <elf.h>

#include <algorithm>
#include <analysis/symbols/object_symbols.hpp>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "catch.hpp"

using namespace roofmark;

namespace {

/// Where the file has its jumps to other objects' functions, by offset.
std::vector<symbols::Extent> linkage_tables(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  const auto section = [&](std::size_t index) {
    Elf64_Shdr it;
    std::memcpy(&it, bytes.data() + header.e_shoff + index * sizeof it, sizeof it);
    return it;
  };
  std::vector<symbols::Extent> tables;
  const Elf64_Shdr names = section(header.e_shstrndx);
  for (std::size_t i = 1; i < header.e_shnum; ++i)
    if (const std::string name = bytes.data() + names.sh_offset + section(i).sh_name;
        name.rfind(".plt", 0) == 0)
      tables.push_back({section(i).sh_offset, section(i).sh_offset + section(i).sh_size});
  return tables;
}

}  // namespace

TEST_CASE("a program's functions are known by name, and their pieces by line") {
  REQUIRE_FALSE(symbols::unavailable());
  const auto object = symbols::open_object(ROOFMARK_PROGRAM);
  REQUIRE(object);
  const auto& functions = (*object)->functions();
  const auto function = std::find_if(functions.begin(), functions.end(), [](const auto& f) {
    return f.name == "outer_space::add_up<double>";
  });
  REQUIRE(function != functions.end());
  const auto found = (*object)->function_at(function->extent.first + 1);
  REQUIRE(found);
  CHECK(found->name == function->name);
  CHECK(found->extent == function->extent);

  const auto layout = (*object)->layout(*function);
  REQUIRE_FALSE(layout.empty());
  std::uint64_t at = 0;
  bool sums = false, own = false, of_system = false;
  for (const symbols::CodeLine& piece : layout) {
    CHECK(piece.extent.first >= std::max(at, function->extent.first));
    CHECK(piece.extent.end <= function->extent.end);
    at = piece.extent.end;
    if (piece.inlined == "inlined_sum") sums = sums || piece.line == 8;
    if (piece.inlined.empty()) own = own || piece.line == 18;
    of_system = of_system || piece.file.find("/include/c++/") != std::string::npos;
  }
  CHECK(sums);
  CHECK(own);
  // Iterators of the library are the line that uses them.
  CHECK_FALSE(of_system);
}

TEST_CASE(
    "what was stripped has the same functions by its unwinding table, named by their addresses") {
  const auto whole = symbols::open_object(ROOFMARK_PROGRAM);
  const auto stripped = symbols::open_object(ROOFMARK_STRIPPED);
  REQUIRE(whole);
  REQUIRE(stripped);
  int compared = 0;
  for (const symbols::Function& function : (*whole)->functions()) {
    const bool own = function.name == "main" || function.name.rfind("outer_space::", 0) == 0;
    // Both are the same but for their symbols.
    if (!own) continue;
    const auto found = (*stripped)->function_at(function.extent.first + 1);
    REQUIRE(found);
    CHECK(found->extent == function.extent);
    CHECK(found->symbol.empty());
    CHECK(found->name.rfind("symbols_stripped+0x", 0) == 0);
    ++compared;
  }
  CHECK(compared >= 2);
  // Nor has code that a symbol names a second name, or a linkage table one.
  for (const symbols::Function& function : (*whole)->functions())
    CHECK_FALSE(function.symbol.empty());
}

TEST_CASE("no function of a stripped file lies in a linkage table") {
  const std::vector<symbols::Extent> tables = linkage_tables(ROOFMARK_STRIPPED);
  REQUIRE_FALSE(tables.empty());
  const auto stripped = symbols::open_object(ROOFMARK_STRIPPED);
  REQUIRE(stripped);
  REQUIRE((*stripped)->functions().size() >= 3);
  for (const symbols::Function& function : (*stripped)->functions())
    for (const symbols::Extent& table : tables) {
      INFO(function.name);
      CHECK((function.extent.end <= table.first || function.extent.first >= table.end));
    }
  for (const symbols::Extent& table : tables) CHECK_FALSE((*stripped)->function_at(table.first));
}

TEST_CASE("what is no object file is a problem that names it") {
  const auto object = symbols::open_object("/etc/passwd");
  REQUIRE_FALSE(object);
  CHECK(object.error().where == "/etc/passwd");
  CHECK_FALSE(symbols::open_object("/nowhere"));
}
