// What lies where in an object file: its functions by its symbol tables, by its table for unwinding
// where no symbol is left, and where there is debug information, here or in a separate file, their
// source lines and what was inlined into them.
// Places are offsets in the file: those that both runs of a program know code by.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

namespace roofmark::symbols {

/// Bytes [first, end) of the file.
struct Extent {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  bool operator==(const Extent&) const = default;
};

struct Function {
  std::string symbol;  ///< as the linker knows it; empty: it has none
  std::string name;    ///< as people do; of one without a symbol: `file+0xaddress`
  Extent extent;
};

/// Where a piece of a function's code comes from.
struct CodeLine {
  Extent extent;
  std::string inlined;  ///< the function of the program's own that was inlined here; empty: none
  std::string file;   ///< source file; of what headers of the system put there, where it was called
  unsigned line = 0;  ///< 0: not known
};

class ObjectSymbols {
 public:
  virtual ~ObjectSymbols() = default;
  /// The function that an instruction belongs to, where a symbol or the unwinding table says so.
  virtual std::optional<Function> function_at(std::uint64_t offset) const = 0;
  /// All functions of the object by their first bytes.
  virtual const std::vector<Function>& functions() const = 0;
  /// The bytes of a function of x86-64 code; empty: of other code, or not to be read.
  virtual std::vector<std::uint8_t> x86_code(const Function& function) const = 0;
  /// The code of a function piece by piece, in order; empty without debug information.
  virtual std::vector<CodeLine> layout(const Function& function) = 0;
};

/// Nothing: symbols can be read here. Otherwise why not.
std::optional<Problem> unavailable();

Result<std::unique_ptr<ObjectSymbols>> open_object(const std::string& path);

}  // namespace roofmark::symbols
