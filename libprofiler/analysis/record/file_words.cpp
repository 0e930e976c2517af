#include <analysis/record/file_words.hpp>
#include <cstdio>
#include <string>
#include <vector>

namespace roofmark {

bool look_through(const std::filesystem::path& file,
                  const std::function<bool(std::string_view)>& look) {
  std::FILE* const stream = std::fopen(file.c_str(), "rb");
  if (stream == nullptr) return false;
  constexpr std::size_t overlap = 64;
  std::string window;
  std::vector<char> part(std::size_t{1} << 20);
  for (std::size_t got = 0; (got = std::fread(part.data(), 1, part.size(), stream)) > 0;) {
    window.append(part.data(), got);
    if (look(window)) break;
    if (window.size() > overlap) window.erase(0, window.size() - overlap);
  }
  std::fclose(stream);
  return true;
}

bool holds_word(const std::filesystem::path& file, std::string_view word) {
  bool found = false;
  look_through(file, [&](std::string_view piece) {
    return found = piece.find(word) != std::string_view::npos;
  });
  return found;
}

}  // namespace roofmark
