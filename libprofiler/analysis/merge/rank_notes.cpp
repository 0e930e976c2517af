#include <fmt/format.h>

#include <analysis/merge/rank_notes.hpp>
#include <cctype>

namespace roofmark {
namespace {

/// A job of thousands of ranks has thousands of sentences that differ in more than numbers.
constexpr std::size_t most_kept = 40;

/// Without its numbers.
std::string words_of(const std::string& note) {
  std::string words;
  for (std::size_t i = 0; i < note.size(); ++i) {
    const bool digit = std::isdigit(static_cast<unsigned char>(note[i])) != 0;
    const bool point = note[i] == '.' && !words.empty() && words.back() == '#' &&
                       i + 1 < note.size() &&
                       std::isdigit(static_cast<unsigned char>(note[i + 1])) != 0;
    if (!digit && !point)
      words += note[i];
    else if (words.empty() || words.back() != '#')
      words += '#';
  }
  return words;
}

}  // namespace

void RankNotes::add(std::uint64_t rank, const std::string& note) {
  const std::string words = words_of(note);
  if (const auto known = by_words_.find(words); known != by_words_.end()) {
    Kept& kept = kept_[known->second];
    ++kept.said;
    kept.differs = kept.differs || kept.text != note;
    return;
  }
  if (kept_.size() == most_kept) {
    ++left_out_;
    return;
  }
  by_words_.emplace(words, kept_.size());
  kept_.push_back({note, rank, 1, false});
}

std::vector<std::string> RankNotes::sentences(std::uint64_t ranks) const {
  std::vector<std::string> made;
  for (const Kept& kept : kept_) {
    if (kept.differs)
      made.push_back(fmt::format("{} (Rank {}; {} more say so with numbers of their own.)",
                                 kept.text, kept.rank, kept.said - 1));
    else if (kept.said == 1 && ranks > 1)
      made.push_back(fmt::format("{} (Rank {}.)", kept.text, kept.rank));
    else
      made.push_back(kept.text);
  }
  if (left_out_ > 0)
    made.push_back(fmt::format("{} more notes of single ranks are left out.", left_out_));
  return made;
}

}  // namespace roofmark
