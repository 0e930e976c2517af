#include "symbols.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace roofmark::readers {
namespace {

/// One loaded object and the functions of its file, hashed by their addresses in it.
struct Object {
  const Object* next;
  uintptr_t first, end;  ///< of its mappings
  uintptr_t base;
  const char* file;
  const ElfW(Sym) * symbols;
  const char* strings;
  size_t strings_size;
  uint32_t* slots;  ///< a symbol's number, or 0
  size_t mask;
  char path[1024];
};

const Object* objects;

void* map_anonymous(size_t size) {
  void* const at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? nullptr : at;
}

size_t slot_of(uintptr_t value, size_t mask) {
  return static_cast<size_t>((value * 0x9e3779b97f4a7c15) >> 20) & mask;
}

bool is_function(const ElfW(Sym) & symbol) {
  return ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF &&
         symbol.st_value != 0;
}

bool lies_in(uint64_t offset, uint64_t size, uint64_t whole) {
  return offset <= whole && size <= whole - offset;
}

/// The fuller table of symbols of a mapped file that holds to its own bounds.
const ElfW(Shdr) * symbol_table(const char* file, uint64_t size) {
  const auto* const header = reinterpret_cast<const ElfW(Ehdr)*>(file);
  if (size < sizeof *header || header->e_ident[0] != ELFMAG0 || header->e_ident[1] != ELFMAG1 ||
      header->e_ident[2] != ELFMAG2 || header->e_ident[3] != ELFMAG3 ||
      header->e_shentsize != sizeof(ElfW(Shdr)) ||
      !lies_in(header->e_shoff, uint64_t{header->e_shnum} * sizeof(ElfW(Shdr)), size) ||
      header->e_shoff % 8 != 0)
    return nullptr;
  const auto* const sections = reinterpret_cast<const ElfW(Shdr)*>(file + header->e_shoff);
  const ElfW(Shdr)* best = nullptr;
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const ElfW(Shdr)& one = sections[i];
    if (one.sh_type != SHT_SYMTAB && one.sh_type != SHT_DYNSYM) continue;
    if (one.sh_entsize != sizeof(ElfW(Sym)) || one.sh_link >= header->e_shnum ||
        one.sh_offset % 8 != 0 || !lies_in(one.sh_offset, one.sh_size, size) ||
        !lies_in(sections[one.sh_link].sh_offset, sections[one.sh_link].sh_size, size))
      continue;
    if (best == nullptr || one.sh_type == SHT_SYMTAB) best = &one;
  }
  return best;
}

void read_symbols(Object& object) {
  const int descriptor = open(object.path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  struct stat status;
  const bool known =
      fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
  const auto size = known ? static_cast<size_t>(status.st_size) : 0;
  void* const mapped =
      known ? mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0) : MAP_FAILED;
  close(descriptor);
  if (mapped == MAP_FAILED) return;
  const auto* const file = static_cast<const char*>(mapped);
  const ElfW(Shdr)* const table = symbol_table(file, size);
  const size_t count = table == nullptr ? 0 : table->sh_size / sizeof(ElfW(Sym));
  size_t slots = 64;
  while (slots < 2 * count) slots *= 2;
  auto* const hashed =
      count == 0 ? nullptr : static_cast<uint32_t*>(map_anonymous(slots * sizeof(uint32_t)));
  if (hashed == nullptr) {
    munmap(mapped, size);
    return;
  }
  const auto* const header = reinterpret_cast<const ElfW(Ehdr)*>(file);
  const auto* const sections = reinterpret_cast<const ElfW(Shdr)*>(file + header->e_shoff);
  object.symbols = reinterpret_cast<const ElfW(Sym)*>(file + table->sh_offset);
  object.strings = file + sections[table->sh_link].sh_offset;
  object.strings_size = sections[table->sh_link].sh_size;
  object.mask = slots - 1;
  for (size_t i = 1; i < count; ++i) {
    if (!is_function(object.symbols[i])) continue;
    size_t at = slot_of(object.symbols[i].st_value, object.mask);
    // Of several names for one address the first stands.
    while (hashed[at] != 0 && object.symbols[hashed[at]].st_value != object.symbols[i].st_value)
      at = (at + 1) & object.mask;
    if (hashed[at] == 0) hashed[at] = static_cast<uint32_t>(i);
  }
  object.slots = hashed;
}

struct Search {
  uintptr_t address;
  Object* found;
};

int look_at(dl_phdr_info* info, size_t, void* data) {
  auto* const search = static_cast<Search*>(data);
  uintptr_t first = UINTPTR_MAX, end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
    const uintptr_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    if (from < first) first = from;
    if (from + info->dlpi_phdr[i].p_memsz > end) end = from + info->dlpi_phdr[i].p_memsz;
  }
  if (search->address < first || search->address >= end) return 0;
  auto* const object = static_cast<Object*>(map_anonymous(sizeof(Object)));
  if (object == nullptr) return 1;
  object->first = first;
  object->end = end;
  object->base = info->dlpi_addr;
  const char* const name = info->dlpi_name != nullptr ? info->dlpi_name : "";
  if (name[0] == '\0') {
    const ssize_t length = readlink("/proc/self/exe", object->path, sizeof object->path - 1);
    if (length < 0) object->path[0] = '\0';
  } else {
    for (size_t i = 0; i + 1 < sizeof object->path && name[i] != '\0'; ++i)
      object->path[i] = name[i];
  }
  object->file = object->path;
  for (const char* at = object->path; *at != '\0'; ++at)
    if (*at == '/') object->file = at + 1;
  read_symbols(*object);
  search->found = object;
  return 1;
}

const Object* object_of(uintptr_t address) {
  for (const Object* one = __atomic_load_n(&objects, __ATOMIC_ACQUIRE); one != nullptr;
       one = one->next)
    if (address >= one->first && address < one->end) return one;
  Search search = {address, nullptr};
  dl_iterate_phdr(look_at, &search);
  if (search.found == nullptr) return nullptr;
  // Two threads may both have looked: both lists are right.
  search.found->next = __atomic_load_n(&objects, __ATOMIC_ACQUIRE);
  while (!__atomic_compare_exchange_n(&objects, &search.found->next,
                                      static_cast<const Object*>(search.found), false,
                                      __ATOMIC_RELEASE, __ATOMIC_ACQUIRE)) {
  }
  return search.found;
}

const char* symbol_at(const Object& object, uintptr_t address) {
  if (object.slots == nullptr) return nullptr;
  const uintptr_t value = address - object.base;
  for (size_t at = slot_of(value, object.mask); object.slots[at] != 0;
       at = (at + 1) & object.mask) {
    const ElfW(Sym)& symbol = object.symbols[object.slots[at]];
    if (symbol.st_value != value || symbol.st_name >= object.strings_size) continue;
    const char* const name = object.strings + symbol.st_name;
    for (size_t i = symbol.st_name; i < object.strings_size; ++i)
      if (object.strings[i] == '\0') return name;
  }
  return nullptr;
}

}  // namespace

void name_of_function(const void* address, Text& name) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  const Object* const object = object_of(at);
  const char* const symbol = object != nullptr ? symbol_at(*object, at) : nullptr;
  if (symbol != nullptr) {
    name.add(symbol);
    return;
  }
  name.add(object != nullptr ? object->file : "?");
  name.add("+0x");
  name.add_hexadecimal(object != nullptr ? at - object->base : at);
}

}  // namespace roofmark::readers
