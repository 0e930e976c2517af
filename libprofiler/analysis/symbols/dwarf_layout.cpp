#include <dwarf.h>

#include <algorithm>
#include <analysis/symbols/dwarf_layout.hpp>
#include <analysis/symbols/names.hpp>
#include <string_view>

namespace roofmark::symbols {
namespace {

/// Calls f(low, high) for each range of a DIE, as its debug information has them.
template <class F>
void for_each_range(Dwarf_Die* die, F&& f) {
  Dwarf_Addr base = 0, low = 0, high = 0;
  for (ptrdiff_t next = 0; (next = dwarf_ranges(die, next, &base, &low, &high)) > 0;)
    if (low < high) f(low, high);
}

/// Code between `low` and `high` has this origin, unless what comes later says otherwise.
struct Paint {
  Dwarf_Addr low, high;
  std::string inlined;
  std::string call_file;  ///< of what a header of the system put here; empty: the line table's
  unsigned call_line;
};

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

/// Whether a function belongs to the language and its libraries, and not to who wrote the program.
bool is_of_system(Dwarf_Die* origin) {
  const char* file = dwarf_decl_file(origin);
  const std::string_view path = file == nullptr ? "" : file;
  return path.empty() || starts_with(path, "/usr/include") || starts_with(path, "/usr/lib/") ||
         path.find("/include/c++/") != std::string_view::npos ||
         path.find("/lib/gcc/") != std::string_view::npos;
}

std::string name_of(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  for (const unsigned name : {unsigned{DW_AT_linkage_name}, unsigned{DW_AT_MIPS_linkage_name}})
    if (const char* text = dwarf_formstring(dwarf_attr_integrate(die, name, &attribute)))
      return shortened(demangled(text));
  const char* text = dwarf_diename(die);
  return text == nullptr ? "" : text;
}

class Painter {
 public:
  explicit Painter(Dwarf_Die* unit) { dwarf_getsrcfiles(unit, &files_, &file_count_); }

  void paint(Dwarf_Die* scope, const Paint& origin) {
    Dwarf_Die child;
    if (dwarf_child(scope, &child) != 0) return;
    do {
      const int tag = dwarf_tag(&child);
      if (tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block) {
        paint(&child, origin);
      } else if (tag == DW_TAG_inlined_subroutine) {
        Paint inner = origin;
        Dwarf_Attribute attribute;
        Dwarf_Die abstract;
        const bool known = dwarf_formref_die(dwarf_attr(&child, DW_AT_abstract_origin, &attribute),
                                             &abstract) != nullptr;
        const std::string name = name_of(&child);
        if (known && !name.empty() && !is_of_system(&abstract)) {
          inner.inlined = name;
          inner.call_file.clear();
          inner.call_line = 0;
        } else if (inner.call_line == 0) {
          call_site(&child, inner);
        }
        for_each_range(&child, [&](Dwarf_Addr low, Dwarf_Addr high) {
          inner.low = low;
          inner.high = high;
          paints.push_back(inner);
        });
        paint(&child, inner);
      }
    } while (dwarf_siblingof(&child, &child) == 0);
  }

  std::vector<Paint> paints;

 private:
  void call_site(Dwarf_Die* die, Paint& paint) const {
    Dwarf_Attribute attribute;
    Dwarf_Word file = 0, line = 0;
    if (dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attribute), &line) != 0 ||
        dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attribute), &file) != 0)
      return;
    const char* name = file < file_count_ ? dwarf_filesrc(files_, file, nullptr, nullptr) : nullptr;
    paint.call_file = name == nullptr ? "" : name;
    paint.call_line = static_cast<unsigned>(line);
  }

  Dwarf_Files* files_ = nullptr;
  std::size_t file_count_ = 0;
};

/// The function that an address belongs to. Namespaces and classes hold some.
bool find_function(Dwarf_Die* scope, Dwarf_Addr address, Dwarf_Die& found) {
  Dwarf_Die child;
  if (dwarf_child(scope, &child) != 0) return false;
  do {
    switch (dwarf_tag(&child)) {
      case DW_TAG_subprogram:
        if (dwarf_haspc(&child, address) > 0) {
          found = child;
          return true;
        }
        break;
      case DW_TAG_namespace:
      case DW_TAG_module:
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
        if (find_function(&child, address, found)) return true;
        break;
      default:
        break;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

/// The line table between two addresses.
std::vector<LinePiece> lines_between(Dwarf_Die* unit, Dwarf_Addr first, Dwarf_Addr end) {
  std::vector<LinePiece> pieces;
  Dwarf_Lines* lines = nullptr;
  std::size_t count = 0;
  if (dwarf_getsrclines(unit, &lines, &count) != 0) return pieces;
  for (std::size_t i = 0; i < count; ++i) {
    Dwarf_Line* line = dwarf_onesrcline(lines, i);
    Dwarf_Addr address = 0;
    bool ends = false;
    if (dwarf_lineaddr(line, &address) != 0) continue;
    dwarf_lineendsequence(line, &ends);
    if (!pieces.empty() && pieces.back().end == 0) pieces.back().end = std::min(address, end);
    if (!pieces.empty() && pieces.back().end <= pieces.back().first) pieces.pop_back();
    if (ends || address >= end) continue;
    Dwarf_Addr next = 0;
    if (address < first) {  // a line that began before may last into it
      if (i + 1 >= count || dwarf_lineaddr(dwarf_onesrcline(lines, i + 1), &next) != 0 ||
          next <= first)
        continue;
      address = first;
    }
    int number = 0;
    dwarf_lineno(line, &number);
    const char* file = dwarf_linesrc(line, nullptr, nullptr);
    pieces.push_back(
        {address, 0, "", file == nullptr ? "" : file, static_cast<unsigned>(std::max(number, 0))});
  }
  if (!pieces.empty() && pieces.back().end == 0) pieces.back().end = end;
  std::stable_sort(pieces.begin(), pieces.end(),
                   [](const LinePiece& a, const LinePiece& b) { return a.first < b.first; });
  return pieces;
}

}  // namespace

Units::Units(Dwfl_Module* module) {
  Dwarf_Die* unit = nullptr;
  Dwarf_Addr bias = 0;
  while ((unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr)
    for_each_range(unit, [&](Dwarf_Addr low, Dwarf_Addr high) {
      units_.push_back({low, high, *unit, bias});
    });
}

const Units::Unit* Units::find(Dwarf_Addr module_address) const {
  for (const Unit& unit : units_)
    if (module_address - unit.bias >= unit.low && module_address - unit.bias < unit.high)
      return &unit;
  return nullptr;
}

std::vector<LinePiece> pieces_of(const Units& units, Dwarf_Addr first, Dwarf_Addr end) {
  const Units::Unit* const unit = units.find(first);
  if (unit == nullptr) return {};
  Dwarf_Die die = unit->die;
  const Dwarf_Addr bias = unit->bias;
  Painter painter(&die);
  Dwarf_Die function;
  if (find_function(&die, first - bias, function)) painter.paint(&function, {0, 0, "", "", 0});

  std::vector<LinePiece> result;
  for (const LinePiece& line : lines_between(&die, first - bias, end - bias)) {
    std::vector<Dwarf_Addr> cuts{line.first, line.end};
    for (const Paint& paint : painter.paints)
      for (const Dwarf_Addr cut : {paint.low, paint.high})
        if (cut > line.first && cut < line.end) cuts.push_back(cut);
    std::sort(cuts.begin(), cuts.end());
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      if (cuts[i] == cuts[i + 1]) continue;
      LinePiece piece = line;
      piece.first = cuts[i] + bias;
      piece.end = cuts[i + 1] + bias;
      // Inner calls were painted after those around them.
      for (std::size_t p = painter.paints.size(); p-- > 0;) {
        const Paint& paint = painter.paints[p];
        if (cuts[i] < paint.low || cuts[i] >= paint.high) continue;
        piece.inlined = paint.inlined;
        if (paint.call_line != 0) {
          piece.file = paint.call_file;
          piece.line = paint.call_line;
        }
        break;
      }
      result.push_back(std::move(piece));
    }
  }
  return result;
}

}  // namespace roofmark::symbols
