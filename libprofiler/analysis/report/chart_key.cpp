#include "chart_key.hpp"

#include "analysis/text/plain_text.hpp"

namespace roofmark::report {
namespace {

class KeyLines {
 public:
  explicit KeyLines(const KeyRoom& room) : room_(room) {}

  /// A letter and its first name; false where there is no room.
  bool begin(const std::string& text) { return append("   ", "", text); }
  /// One more name of the same letter.
  bool go_on(const std::string& name) { return append(", ", ",", "  " + name, name); }

  std::vector<std::string> take() {
    if (!line_.empty()) lines_.push_back(line_);
    return std::move(lines_);
  }

 private:
  bool append(const std::string& between, const std::string& at_end, const std::string& as_first,
              const std::string& as_next) {
    if (line_.empty() || text::columns(line_) + between.size() + text::columns(as_next) + 1 <=
                             room_.columns) {  // 1: a comma may follow
      line_ += line_.empty() ? as_first : between + as_next;
      return true;
    }
    if (lines_.size() + 1 >= room_.lines) return false;
    lines_.push_back(line_ + at_end);
    line_ = as_first;
    return true;
  }
  bool append(const std::string& between, const std::string& at_end, const std::string& text) {
    return append(between, at_end, text, text);
  }

  KeyRoom room_;
  std::vector<std::string> lines_;
  std::string line_;
};

}  // namespace

std::string letter_of(std::size_t group) {
  return std::string(1, static_cast<char>('A' + group));
}

ChartKey key_of(const PointGroups& groups, const std::vector<std::string>& names,
                const KeyRoom& room) {
  ChartKey key;
  key.letters.resize(names.size());
  KeyLines lines(room);
  std::size_t named = 0;
  for (std::size_t group = 0; group < groups.size(); ++group)
    for (const std::size_t point : groups[group]) {
      const bool first = point == groups[group].front();
      if (named == room.names ||
          !(first ? lines.begin(letter_of(group) + " " + names[point]) : lines.go_on(names[point])))
        return key.lines = lines.take(), key;
      key.letters[point] = group;
      ++named;
    }
  key.lines = lines.take();
  return key;
}

}  // namespace roofmark::report
