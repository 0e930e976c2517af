// Well-formedness of markup without a library: tags nest, attributes are quoted, entities are
// known, text is valid UTF-8 of characters that XML allows. Returns what is wrong, or nothing.
#pragma once

#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/text/plain_text.hpp"

namespace roofmark::sample {

struct MarkupRules {
  std::set<std::string> void_elements;  ///< HTML: no end tag
  std::set<std::string> raw_elements;   ///< HTML: content up to the end tag
};

inline const MarkupRules xml_rules = {{}, {}};
inline const MarkupRules html_rules = {{"meta", "input", "br"}, {"script", "style"}};

class MarkupCheck {
 public:
  MarkupCheck(std::string_view text, const MarkupRules& rules) : text_(text), rules_(rules) {}

  /// "" where the document is well-formed.
  std::string problem() {
    for (std::size_t i = 0; i < text_.size();) {
      const text::Decoded next = text::decode(text_, i);
      if (next.code == 0xFFFD && text_.substr(i, 3) != "\xef\xbf\xbd")
        return fail("malformed UTF-8", i);
      if (next.code < 0x20 && next.code != '\n' && next.code != '\t')
        return fail("a control character", i);
      i += next.length;
    }
    std::size_t roots = 0;
    if (text_.substr(0, 15) == "<!DOCTYPE html>") at_ = 15;
    while (at_ < text_.size()) {
      const std::size_t open = text_.find('<', at_);
      const std::string between = entities(text_.substr(at_, open - at_));
      if (!between.empty()) return between;
      if (open == std::string_view::npos) break;
      at_ = open + 1;
      if (text_[at_] == '/') {
        ++at_;
        const std::string name = take_name();
        if (stack_.empty() || stack_.back() != name) return fail("unexpected end of " + name, open);
        stack_.pop_back();
        if (text_[at_] != '>') return fail("junk in an end tag", at_);
        ++at_;
        continue;
      }
      const std::string name = take_name();
      if (name.empty()) return fail("a bare <", open);
      if (stack_.empty() && ++roots > 1) return fail("a second root", open);
      bool closed = false;
      const std::string wrong = attributes(closed);
      if (!wrong.empty()) return wrong;
      if (closed || rules_.void_elements.contains(name)) continue;
      if (rules_.raw_elements.contains(name)) {
        const std::size_t end = text_.find("</" + name, at_);
        if (end == std::string_view::npos) return fail(name + " never ends", open);
        at_ = end;
      }
      stack_.push_back(name);
      names.insert(name);
    }
    return stack_.empty() ? "" : fail("left open: " + stack_.back(), at_);
  }

  std::multiset<std::string> names;  ///< of the elements that were opened

 private:
  static std::string fail(const std::string& what, std::size_t at) {
    return what + " at byte " + std::to_string(at);
  }

  std::string take_name() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                  text_[at_] == '-' || text_[at_] == ':'))
      ++at_;
    return std::string(text_.substr(start, at_ - start));
  }

  std::string attributes(bool& closed) {
    std::set<std::string> seen;
    while (at_ < text_.size()) {
      while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
      if (text_.substr(at_, 2) == "/>") {
        at_ += 2;
        closed = true;
        return "";
      }
      if (text_[at_] == '>') {
        ++at_;
        return "";
      }
      const std::string name = take_name();
      if (name.empty()) return fail("junk in a tag", at_);
      if (!seen.insert(name).second) return fail("attribute twice: " + name, at_);
      if (text_[at_] != '=') {
        if (!rules_.void_elements.empty()) continue;  // HTML: `hidden`
        return fail("an attribute without a value", at_);
      }
      if (text_[at_ + 1] != '"') return fail("an unquoted attribute", at_);
      const std::size_t end = text_.find('"', at_ + 2);
      if (end == std::string_view::npos) return fail("an attribute never ends", at_);
      const std::string_view value = text_.substr(at_ + 2, end - at_ - 2);
      if (value.find('<') != std::string_view::npos) return fail("< in an attribute", at_);
      const std::string wrong = entities(value);
      if (!wrong.empty()) return wrong;
      at_ = end + 1;
    }
    return fail("a tag never ends", at_);
  }

  std::string entities(std::string_view value) const {
    static const std::set<std::string> known = {"amp", "lt", "gt", "quot", "#39"};
    for (std::size_t i = value.find('&'); i != std::string_view::npos; i = value.find('&', i + 1)) {
      const std::size_t end = value.find(';', i);
      if (end == std::string_view::npos ||
          !known.contains(std::string(value.substr(i + 1, end - i - 1))))
        return fail("an unknown entity", at_ + i);
    }
    return "";
  }

  std::string_view text_;
  const MarkupRules& rules_;
  std::size_t at_ = 0;
  std::vector<std::string> stack_;
};

/// True where the text holds no number that is not one.
inline bool without_nan(const std::string& text) {
  for (const char* word : {"nan", "NaN", "inf ", "inf,", "-inf", "Infinity", ">inf", "\"inf\""})
    if (text.find(word) != std::string::npos) return false;
  return true;
}

}  // namespace roofmark::sample
