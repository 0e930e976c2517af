// What the files of a job's ranks say in sentences, each once: ranks say the same of themselves
// with other numbers.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace roofmark {

class RankNotes {
 public:
  void add(std::uint64_t rank, const std::string& note);
  /// In the order in which they came, of `ranks` ranks in all. What differs between ranks says
  /// whose it is.
  std::vector<std::string> sentences(std::uint64_t ranks) const;

 private:
  struct Kept {
    std::string text;  ///< of the first rank that said so
    std::uint64_t rank = 0, said = 0;
    bool differs = false;
  };
  std::vector<Kept> kept_;
  std::unordered_map<std::string, std::size_t> by_words_;
  std::uint64_t left_out_ = 0;
};

}  // namespace roofmark
