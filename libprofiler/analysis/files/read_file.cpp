#include "read_file.hpp"

#include <fstream>
#include <iterator>

namespace roofmark {

std::optional<std::string> read_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace roofmark
