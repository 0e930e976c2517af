#include <elfutils/libdwfl.h>
#include <fmt/format.h>
#include <gelf.h>

#include <algorithm>
#include <analysis/symbols/dwarf_layout.hpp>
#include <analysis/symbols/names.hpp>
#include <analysis/symbols/object_symbols.hpp>
#include <analysis/symbols/unwind_table.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unordered_map>

namespace roofmark::symbols {
namespace {

/// Debug information is looked for on this machine alone: no report waits for a server.
class NoServers {
 public:
  NoServers() {
    if (const char* urls = std::getenv(variable)) urls_ = urls;
    unsetenv(variable);
  }
  ~NoServers() {
    if (urls_) setenv(variable, urls_->c_str(), 1);
  }
  NoServers(const NoServers&) = delete;
  NoServers& operator=(const NoServers&) = delete;

 private:
  static constexpr const char* variable = "DEBUGINFOD_URLS";
  std::optional<std::string> urls_;
};

const Dwfl_Callbacks callbacks{dwfl_build_id_find_elf, dwfl_standard_find_debuginfo,
                               dwfl_offline_section_address, nullptr};

struct EndDwfl {
  void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
};

/// A loaded part of the file.
struct Segment {
  std::uint64_t address, offset, bytes;
};

/// Of several names of one address the one that people use.
bool is_better(const std::string& a, const std::string& b) {
  const auto underscores = [](const std::string& name) {
    return std::min(name.find_first_not_of('_'), name.size());
  };
  const bool mangled_a = a.compare(0, 2, "_Z") == 0, mangled_b = b.compare(0, 2, "_Z") == 0;
  if (mangled_a != mangled_b) return mangled_a;
  if (underscores(a) != underscores(b)) return underscores(a) < underscores(b);
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

class DwflObject : public ObjectSymbols {
 public:
  DwflObject(std::unique_ptr<Dwfl, EndDwfl> dwfl, Dwfl_Module* module, std::string path)
      : dwfl_(std::move(dwfl)), module_(module), path_(std::move(path)) {
    read_segments();
    read_symbols();
    add_functions_without_symbols();
  }

  std::optional<Function> function_at(std::uint64_t offset) const override {
    const Function* const function = find(offset);
    return function != nullptr ? std::optional(*function) : std::nullopt;
  }

  const std::vector<Function>& functions() const override { return functions_; }

  std::vector<std::uint8_t> x86_code(const Function& function) const override {
    constexpr std::uint64_t most = std::uint64_t{1} << 20;
    const std::uint64_t size = function.extent.end - function.extent.first;
    if (machine_ != EM_X86_64 || size > most) return {};
    std::vector<std::uint8_t> code(size);
    std::ifstream file(path_, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(function.extent.first));
    file.read(reinterpret_cast<char*>(code.data()), static_cast<std::streamsize>(size));
    return file ? code : std::vector<std::uint8_t>();
  }

  std::vector<CodeLine> layout(const Function& function) override {
    const NoServers alone;
    if (!units_) units_.emplace(module_);
    const auto first = address_of(function.extent.first);
    if (!first) return {};
    const Dwarf_Addr end = *first + (function.extent.end - function.extent.first);
    std::vector<CodeLine> lines;
    for (LinePiece& piece : pieces_of(*units_, *first, end)) {
      const std::uint64_t at = function.extent.first + (piece.first - *first);
      lines.push_back({{at, at + (piece.end - piece.first)},
                       std::move(piece.inlined),
                       std::move(piece.file),
                       piece.line});
    }
    return lines;
  }

 private:
  const Function* find(std::uint64_t offset) const {
    auto after =
        std::upper_bound(functions_.begin(), functions_.end(), offset,
                         [](std::uint64_t at, const Function& f) { return at < f.extent.first; });
    // Larger functions may hold entries of their own.
    for (int looked = 0; after != functions_.begin() && looked < 8; ++looked) {
      --after;
      if (offset < after->extent.end) return &*after;
    }
    return nullptr;
  }

  void read_segments() {
    Elf* elf = dwfl_module_getelf(module_, &bias_);
    std::size_t count = 0;
    if (GElf_Ehdr header; elf != nullptr && gelf_getehdr(elf, &header) != nullptr)
      machine_ = header.e_machine;
    if (elf == nullptr || elf_getphdrnum(elf, &count) != 0) return;
    for (std::size_t i = 0; i < count; ++i) {
      GElf_Phdr header;
      if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr) continue;
      if (header.p_type == PT_LOAD)
        segments_.push_back({header.p_vaddr, header.p_offset, header.p_filesz});
      if (header.p_type == PT_GNU_EH_FRAME) unwind_table_ = header.p_vaddr;
    }
  }

  std::optional<std::uint64_t> offset_of(Dwarf_Addr module_address) const {
    const std::uint64_t address = module_address - bias_;
    for (const Segment& s : segments_)
      if (address >= s.address && address < s.address + s.bytes)
        return address - s.address + s.offset;
    return std::nullopt;
  }
  std::optional<Dwarf_Addr> address_of(std::uint64_t offset) const {
    for (const Segment& s : segments_)
      if (offset >= s.offset && offset < s.offset + s.bytes)
        return offset - s.offset + s.address + bias_;
    return std::nullopt;
  }

  void read_symbols() {
    std::unordered_map<std::uint64_t, std::size_t> by_start;
    const int count = dwfl_module_getsymtab(module_);
    for (int i = 0; i < count; ++i) {
      GElf_Sym symbol;
      GElf_Addr address = 0;
      GElf_Word section = 0;
      const char* name =
          dwfl_module_getsym_info(module_, i, &symbol, &address, &section, nullptr, nullptr);
      const int type = GELF_ST_TYPE(symbol.st_info);
      if (name == nullptr || *name == '\0' || section == SHN_UNDEF || symbol.st_size == 0 ||
          (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE))
        continue;
      const auto first = offset_of(address);
      if (!first) continue;
      const auto [known, is_new] = by_start.try_emplace(*first, functions_.size());
      if (is_new)
        functions_.push_back({name, "", {*first, *first + symbol.st_size}});
      else if (Function& other = functions_[known->second]; is_better(name, other.symbol))
        other.symbol = name;
    }
    for (Function& function : functions_) function.name = shortened(demangled(function.symbol));
    sort_functions();
  }

  void sort_functions() {
    std::sort(functions_.begin(), functions_.end(),
              [](const Function& a, const Function& b) { return a.extent.first < b.extent.first; });
  }

  /// Code that the unwinder knows and no symbol names, in an object that was stripped.
  void add_functions_without_symbols() {
    Elf* elf = dwfl_module_getelf(module_, &bias_);
    GElf_Ehdr header;
    if (!unwind_table_ || elf == nullptr || gelf_getehdr(elf, &header) == nullptr ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
      return;
    std::size_t size = 0;
    const char* file = elf_rawfile(elf, &size);
    if (file == nullptr) return;
    const LoadedBytes loaded = [&](std::uint64_t address) -> std::string_view {
      for (const Segment& s : segments_)
        if (address >= s.address && address < s.address + s.bytes && s.offset < size &&
            s.bytes <= size - s.offset)
          return {file + s.offset + (address - s.address), s.bytes - (address - s.address)};
      return {};
    };
    std::vector<Function> found;
    const std::string object = std::filesystem::path(path_).filename().string();
    for (const AddressRange& range : functions_by_unwind_table(*unwind_table_, loaded)) {
      const auto first = offset_of(range.first + bias_);
      if (!first || find(*first) != nullptr || is_linkage(elf, range.first)) continue;
      found.push_back({"",
                       fmt::format("{}+{:#x}", object, range.first),
                       {*first, *first + (range.end - range.first)}});
    }
    functions_.insert(functions_.end(), std::make_move_iterator(found.begin()),
                      std::make_move_iterator(found.end()));
    sort_functions();
  }

  /// Jumps to other objects' functions (.plt, .plt.got, .plt.sec), which are nobody's work.
  static bool is_linkage(Elf* elf, std::uint64_t address) {
    std::size_t names = 0;
    if (elf_getshdrstrndx(elf, &names) != 0) return false;
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) == nullptr || address < header.sh_addr ||
          address - header.sh_addr >= header.sh_size || (header.sh_flags & SHF_EXECINSTR) == 0)
        continue;
      const char* name = elf_strptr(elf, names, header.sh_name);
      return name != nullptr && std::string_view(name).substr(0, 4) == ".plt";
    }
    return false;
  }

  std::unique_ptr<Dwfl, EndDwfl> dwfl_;
  Dwfl_Module* module_;
  std::string path_;
  unsigned machine_ = EM_NONE;
  GElf_Addr bias_ = 0;
  std::vector<Segment> segments_;
  std::optional<std::uint64_t> unwind_table_;
  std::vector<Function> functions_;  ///< by their first bytes
  std::optional<Units> units_;
};

}  // namespace

std::optional<Problem> unavailable() {
  return std::nullopt;
}

Result<std::unique_ptr<ObjectSymbols>> open_object(const std::string& path) {
  const NoServers alone;
  const auto failed = [&] {
    const char* text = dwfl_errmsg(-1);
    return tl::unexpected(Problem{std::string("its symbols can't be read: ") +
                                      (text == nullptr ? "no reason was given" : text),
                                  path, ""});
  };
  std::unique_ptr<Dwfl, EndDwfl> dwfl(dwfl_begin(&callbacks));
  if (!dwfl) return failed();
  dwfl_report_begin(dwfl.get());
  Dwfl_Module* module = dwfl_report_offline(dwfl.get(), path.c_str(), path.c_str(), -1);
  dwfl_report_end(dwfl.get(), nullptr, nullptr);
  if (module == nullptr) return failed();
  return std::unique_ptr<ObjectSymbols>(
      std::make_unique<DwflObject>(std::move(dwfl), module, path));
}

}  // namespace roofmark::symbols
