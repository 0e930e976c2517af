#include "absences.hpp"

#include <algorithm>

namespace roofmark::report {
namespace {

/// a, b, .. z, aa, ab, ..
std::string letters(std::size_t number) {
  std::string text;
  for (std::size_t n = number + 1; n > 0; n = (n - 1) / 26)
    text.insert(text.begin(), static_cast<char>('a' + (n - 1) % 26));
  return text;
}

void note(Absences::Entry& entry, const std::string& quantity, const std::string& path) {
  if (!quantity.empty()) entry.quantities.insert(quantity);
  entry.paths.insert(path);
}

}  // namespace

Absences::Entry& Absences::find(const std::string& reason, const std::string& fix) {
  const auto [place, added] = places_.try_emplace({reason, fix}, entries_.size());
  if (added) entries_.push_back({"", {}, reason, fix, {}});
  return entries_[place->second];
}

std::string Absences::mark_of(const Figure& figure, const std::string& path) {
  Entry& entry = find(figure.reason, figure.fix);
  if (entry.mark.empty()) entry.mark = letters(marks_++);
  note(entry, figure.quantity, path);
  return entry.mark;
}

void Absences::add(const Missing& missing, const std::string& path) {
  note(find(missing.reason, missing.fix), missing.quantity, path);
}

std::vector<Absences::Entry> Absences::entries() const {
  std::vector<Entry> sorted = entries_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Entry& a, const Entry& b) {
    if (a.mark.empty() || b.mark.empty()) return !a.mark.empty() && b.mark.empty();
    return a.mark.size() != b.mark.size() ? a.mark.size() < b.mark.size() : a.mark < b.mark;
  });
  return sorted;
}

}  // namespace roofmark::report
