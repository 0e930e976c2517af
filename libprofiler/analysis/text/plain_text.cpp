#include "plain_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace roofmark::text {
namespace {

constexpr char32_t replacement = 0xFFFD;

struct Range {
  char32_t first, last;
};

template <std::size_t N>
bool within(const std::array<Range, N>& ranges, char32_t code) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](Range r) { return code >= r.first && code <= r.last; });
}

// Invisible characters that reorder or hide text (Unicode UTS 55), and those XML 1.0 forbids.
constexpr std::array<Range, 9> harmful = {{{0x00, 0x1F},
                                           {0x7F, 0x9F},
                                           {0x200B, 0x200F},
                                           {0x2028, 0x202E},
                                           {0x2060, 0x206F},
                                           {0xFEFF, 0xFEFF},
                                           {0xFFF9, 0xFFFB},
                                           {0xFFFE, 0xFFFF},
                                           {0xE0000, 0xE0FFF}}};

// Zero-width combining marks of the common scripts.
constexpr std::array<Range, 12> combining = {{{0x0300, 0x036F},
                                              {0x0483, 0x0489},
                                              {0x0591, 0x05BD},
                                              {0x0610, 0x061A},
                                              {0x064B, 0x065F},
                                              {0x093C, 0x093C},
                                              {0x0941, 0x0948},
                                              {0x0E34, 0x0E3A},
                                              {0x1AB0, 0x1AFF},
                                              {0x1DC0, 0x1DFF},
                                              {0x20D0, 0x20FF},
                                              {0xFE00, 0xFE0F}}};

// Two columns: East Asian Width W and F (Unicode UAX 11), in blocks.
constexpr std::array<Range, 11> wide = {{{0x1100, 0x115F},
                                         {0x2E80, 0x303E},
                                         {0x3041, 0x33FF},
                                         {0x3400, 0x4DBF},
                                         {0x4E00, 0x9FFF},
                                         {0xA000, 0xA4CF},
                                         {0xAC00, 0xD7A3},
                                         {0xF900, 0xFAFF},
                                         {0xFE30, 0xFE6F},
                                         {0xFF00, 0xFF60},
                                         {0x1F300, 0x1FAFF}}};

std::size_t columns_of(char32_t code) {
  if (within(combining, code)) return 0;
  if (within(wide, code) || (code >= 0x20000 && code <= 0x3FFFD)) return 2;
  return 1;
}

}  // namespace

Decoded decode(std::string_view bytes, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 && lead <= 0xF4   ? 4
                             : lead >= 0xE0 && lead <= 0xEF ? 3
                             : lead >= 0xC2 && lead <= 0xDF ? 2
                                                            : 0;
  if (length == 0 || at + length > bytes.size()) return {replacement, 1};
  char32_t code = lead & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return {replacement, 1};
    code = (code << 6) | (byte(at + i) & 0x3Fu);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (overlong || surrogate || code > 0x10FFFF) return {replacement, 1};
  return {code, length};
}

void append_utf8(std::string& text, char32_t code) {
  const auto put = [&](char32_t value) { text += static_cast<char>(value); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | (code >> 6));
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3F));
    put(0x80 | ((code >> 6) & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

std::string printable(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size();) {
    const Decoded next = decode(bytes, at);
    at += next.length;
    if (next.code == '\n') {
      text += "\\n";
    } else if (next.code == '\t') {
      text += "\\t";
    } else if (next.code == '\r') {
      text += "\\r";
    } else {
      append_utf8(text, within(harmful, next.code) ? replacement : next.code);
    }
  }
  return text;
}

std::string printable_ascii(std::string_view bytes) {
  const std::string text = printable(bytes);
  std::string ascii;
  for (std::size_t at = 0; at < text.size();) {
    const Decoded next = decode(text, at);
    at += next.length;
    if (next.code < 0x80) {
      ascii += static_cast<char>(next.code);
    } else if (next.code == 0xB5) {
      ascii += 'u';  // the micro sign
    } else if (columns_of(next.code) > 0) {
      ascii += '?';
    }
  }
  return ascii;
}

std::size_t columns(std::string_view utf8) {
  std::size_t sum = 0;
  for (std::size_t at = 0; at < utf8.size();) {
    const Decoded next = decode(utf8, at);
    at += next.length;
    sum += columns_of(next.code);
  }
  return sum;
}

std::string elided(std::string_view utf8, std::size_t limit, bool utf8_mark) {
  if (columns(utf8) <= limit) return std::string(utf8);
  const std::string_view mark = utf8_mark ? "…" : "..";
  const std::size_t mark_columns = utf8_mark ? 1 : 2;
  if (limit <= mark_columns) return std::string(limit, '.');
  const std::size_t room = limit - mark_columns;
  // The tail holds the innermost name, which tells more than the head.
  const std::size_t tail_room = (room + 1) / 2;
  const std::size_t head_room = room - tail_room;
  std::vector<std::size_t> starts;
  for (std::size_t at = 0; at < utf8.size(); at += decode(utf8, at).length) starts.push_back(at);
  std::size_t head_end = 0, used = 0;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t end = i + 1 < starts.size() ? starts[i + 1] : utf8.size();
    used += columns(utf8.substr(starts[i], end - starts[i]));
    if (used > head_room) break;
    head_end = end;
  }
  std::size_t tail_start = utf8.size();
  used = 0;
  for (std::size_t i = starts.size(); i-- > 0;) {
    used += columns_of(decode(utf8, starts[i]).code);
    if (used > tail_room) break;
    tail_start = starts[i];
  }
  std::string text(utf8.substr(0, head_end));
  text += mark;
  text += utf8.substr(tail_start);
  return text;
}

namespace {

/// As much of the text's beginning, or of its end, as has room: characters stay whole.
std::string_view head_of(std::string_view text, std::size_t room) {
  std::size_t end = 0, used = 0;
  while (end < text.size()) {
    const Decoded next = decode(text, end);
    used += columns_of(next.code);
    if (used > room) break;
    end += next.length;
  }
  return text.substr(0, end);
}
std::string_view tail_of(std::string_view text, std::size_t room) {
  std::size_t start = 0;
  for (std::size_t used = columns(text); start < text.size() && used > room;) {
    const Decoded next = decode(text, start);
    used -= columns_of(next.code);
    start += next.length;
  }
  return text.substr(start);
}

bool begins_character(std::string_view text, std::size_t at) {
  return at >= text.size() || (static_cast<unsigned char>(text[at]) & 0xC0u) != 0x80u;
}

}  // namespace

std::vector<std::string> elided_apart(const std::vector<std::string>& utf8, std::size_t limit,
                                      bool utf8_mark) {
  std::vector<std::string> cut;
  if (utf8.empty()) return cut;
  // What they all begin and end with, in whole characters.
  const std::string_view first = utf8.front();
  std::size_t shortest = first.size(), before = first.size(), behind = first.size();
  for (const std::string& text : utf8) {
    shortest = std::min(shortest, text.size());
    std::size_t same = 0;
    while (same < std::min(before, text.size()) && text[same] == first[same]) ++same;
    before = same;
    same = 0;
    while (same < std::min(behind, text.size()) &&
           text[text.size() - 1 - same] == first[first.size() - 1 - same])
      ++same;
    behind = same;
  }
  while (before > 0 && !begins_character(first, before)) --before;
  behind = std::min(behind, shortest - before);
  while (behind > 0 && !begins_character(first, first.size() - behind)) --behind;

  const std::string mark = utf8_mark ? "\u2026" : "..";
  const std::size_t marks = 2 * columns(mark);
  for (const std::string& text : utf8) {
    const std::string_view whole = text;
    const std::string_view middle = whole.substr(before, whole.size() - before - behind);
    if (columns(middle) + marks >= limit) {  // no room for all that differs
      cut.push_back(elided(text, limit, utf8_mark));
      continue;
    }
    const std::size_t room = limit - columns(middle) - marks;
    const std::string_view head = head_of(whole.substr(0, before), (room + 1) / 2);
    const std::string_view tail = tail_of(whole.substr(before + middle.size()), room / 2);
    std::string made(head);
    if (head.size() < before) made += mark;
    made += middle;
    if (tail.size() < behind) made += mark;
    made += tail;
    cut.push_back(columns(text) <= limit ? text : made);
  }
  return cut;
}

std::string left(std::string_view text, std::size_t width) {
  std::string padded(text);
  const std::size_t used = columns(text);
  if (used < width) padded.append(width - used, ' ');
  return padded;
}

std::string right(std::string_view text, std::size_t width) {
  const std::size_t used = columns(text);
  std::string padded;
  if (used < width) padded.append(width - used, ' ');
  padded += text;
  return padded;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  std::size_t line_columns = 0;
  const auto flush = [&] {
    lines.push_back(line);
    line.clear();
    line_columns = 0;
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = text.find_first_not_of(' ', at);
    if (start == std::string_view::npos) break;
    const std::size_t end = std::min(text.find(' ', start), text.size());
    std::string_view word = text.substr(start, end - start);
    at = end;
    if (line_columns > 0 && line_columns + 1 + columns(word) > width) flush();
    if (line_columns > 0) {
      line += ' ';
      ++line_columns;
    }
    while (columns(word) > width) {  // only at the start of a line, see above
      std::size_t cut = 0, used = 0;
      while (cut < word.size()) {
        const Decoded next = decode(word, cut);
        if (cut > 0 && used + columns_of(next.code) > width) break;
        used += columns_of(next.code);
        cut += next.length;
      }
      line += word.substr(0, cut);
      word.remove_prefix(cut);
      flush();
    }
    line += word;
    line_columns += columns(word);
  }
  if (!line.empty() || lines.empty()) lines.push_back(line);
  return lines;
}

std::string name_text(std::string_view name) {
  const std::string text = printable(name);
  return text.find_first_not_of(' ') == std::string::npos ? '"' + text + '"' : text;
}

std::string path_text(const std::vector<std::string>& path) {
  if (path.empty()) return "(whole program)";
  std::string text;
  for (const std::string& name : path) {
    if (!text.empty()) text += '/';
    text += name_text(name);
  }
  return text;
}

std::string unambiguous_path(const std::vector<std::string>& path) {
  std::string text;
  for (const std::string& name : path) {
    if (&name != &path.front()) text += '/';
    std::string safe;
    for (std::size_t at = 0; at < name.size();) {
      const std::string_view one = std::string_view(name).substr(at, decode(name, at).length);
      at += one.size();
      const bool quote = safe.empty() && (one == "\"" || one == "'");
      if (one == "/" || one == "\\" || quote) safe += '\\';
      if (printable(one) == one)
        safe += one;
      else
        for (const char byte : one)
          safe += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    }
    text += name_text(safe);
  }
  return text;
}

std::string markup(std::string_view bytes) {
  std::string text;
  for (const char c : printable(bytes)) {
    switch (c) {
      case '&':
        text += "&amp;";
        break;
      case '<':
        text += "&lt;";
        break;
      case '>':
        text += "&gt;";
        break;
      case '"':
        text += "&quot;";
        break;
      case '\'':
        text += "&#39;";
        break;
      default:
        text += c;
    }
  }
  return text;
}

std::string prose_markup(std::string_view bytes) {
  const std::string text = markup(bytes);
  if (std::count(text.begin(), text.end(), '`') % 2 != 0) return text;
  std::string made;
  bool code = false;
  for (const char c : text) {
    if (c != '`') {
      made += c;
      continue;
    }
    made += code ? "</code>" : "<code>";
    code = !code;
  }
  return made;
}

std::string markdown(std::string_view bytes) {
  std::string safe;
  for (const char c : printable(bytes)) {
    switch (c) {
      case '<':
        safe += "&lt;";
        continue;
      case '>':
        safe += "&gt;";
        continue;
      case '&':
        safe += "&amp;";
        continue;
      case '@':
        safe += "&#64;";
        continue;
      default:
        break;
    }
    if (std::string_view("\\`*_[]|~").find(c) != std::string_view::npos) safe += '\\';
    safe += c;
  }
  return safe;
}

std::string csv_field(std::string_view bytes) {
  // The first characters that make a cell a formula, those of full width too, and blanks before
  // them.
  constexpr std::u32string_view formula = U"=+-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20";
  std::size_t first = std::min(bytes.find_first_not_of(' '), bytes.size());
  const bool harmful =
      first < bytes.size() && formula.find(decode(bytes, first).code) != formula.npos;
  const std::string text = (harmful ? "'" : "") + printable(bytes);
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string indented(const std::string& text, std::size_t first, std::size_t rest,
                     std::size_t width) {
  std::string out;
  const std::size_t room = width > rest + 20 ? width - rest : 20;
  bool leads = true;
  for (const std::string& line : wrapped(printable(text), room)) {
    out += std::string(leads ? first : rest, ' ') + line + "\n";
    leads = false;
  }
  return out;
}

}  // namespace roofmark::text
