// Documents of one kind, from corpus/KIND: `good` ones are read, `hostile` ones are refused in one
// line, and of `odd` ones both are an answer. All are what the fuzzer damages further.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace roofmark::fuzz {

enum class Side { good, hostile, odd };

struct Document {
  std::string name, bytes;
  Side side = Side::good;
};

inline std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

inline std::vector<Document> documents_in(const std::filesystem::path& folder) {
  std::vector<Document> all;
  for (const auto& [name, side] :
       {std::pair{"good", Side::good}, {"hostile", Side::hostile}, {"odd", Side::odd}}) {
    if (!std::filesystem::exists(folder / name)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(folder / name))
      all.push_back({folder.filename() / name / entry.path().filename(), bytes_of(entry), side});
  }
  std::sort(all.begin(), all.end(),
            [](const Document& a, const Document& b) { return a.name < b.name; });
  return all;
}

}  // namespace roofmark::fuzz
