// Of a build without elfutils.
#include <analysis/symbols/object_symbols.hpp>

namespace roofmark::symbols {

std::optional<Problem> unavailable() {
  return Problem{"this build can't read symbols: elfutils was not there when it was made", "",
                 "apt-get install libdw-dev (Fedora: elfutils-devel), then build Roofmark again"};
}

Result<std::unique_ptr<ObjectSymbols>> open_object(const std::string&) {
  return tl::unexpected(*unavailable());
}

}  // namespace roofmark::symbols
