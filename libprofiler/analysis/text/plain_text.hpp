// Names are raw bytes chosen by the program that was measured. Here they become text that can do no
// harm: no control character reaches a terminal, no markup reaches a browser.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace roofmark::text {

/// Valid UTF-8 on one line: a malformed sequence is U+FFFD, newline and tab are spelt "\n" and
/// "\t", other control and text-direction characters are U+FFFD.
std::string printable(std::string_view bytes);

/// The same in ASCII: what is not ASCII is '?'.
std::string printable_ascii(std::string_view bytes);

/// Terminal columns of valid UTF-8: 0 for combining marks, 2 for East Asian wide characters and
/// emoji.
std::size_t columns(std::string_view utf8);

/// At most so many columns; the middle is cut out, since both ends of a path tell regions apart.
std::string elided(std::string_view utf8, std::size_t limit, bool utf8_mark = true);

/// Texts that differ, each cut to `limit` so that what differs stays, where there is room for it.
std::vector<std::string> elided_apart(const std::vector<std::string>& utf8, std::size_t limit,
                                      bool utf8_mark = true);

/// Padded with spaces to so many columns.
std::string left(std::string_view text, std::size_t width);
std::string right(std::string_view text, std::size_t width);

/// Words broken into lines of at most so many columns; a word that is longer is cut.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);
/// A paragraph of printable(text): its first line is indented by `first` columns, the others by
/// `rest`, none is longer than `width` where that leaves 20 columns.
std::string indented(const std::string& text, std::size_t first, std::size_t rest,
                     std::size_t width);

/// The printable name of a region; one that would not be seen stands in quotes: `""`.
std::string name_text(std::string_view name);

/// "solve/spmv"; "(whole program)" for an empty path. A '/' inside a name is kept.
std::string path_text(const std::vector<std::string>& path);

/// "solve/spmv", for programs: other paths have other texts. In a name '/' and '\' have a '\'
/// before them, and so has a quote that it begins with; bytes that are not to be seen are `\xHH`.
/// Empty for an empty path.
std::string unambiguous_path(const std::vector<std::string>& path);

/// For XML and HTML text and attribute values in double quotes. Takes raw bytes.
std::string markup(std::string_view bytes);

/// The same of a sentence, in which what stands between two ` is code.
std::string prose_markup(std::string_view bytes);

/// For Markdown that becomes HTML: no markup, link, mention or end of a table's cell. Takes raw
/// bytes.
std::string markdown(std::string_view bytes);

/// One RFC 4180 field, quoted where it has to be. Raw bytes made printable; what a spreadsheet
/// would take for a formula has a ' before it.
std::string csv_field(std::string_view bytes);

/// A code point and how many bytes it took; U+FFFD for what is malformed.
struct Decoded {
  char32_t code = 0;
  std::size_t length = 1;
};
Decoded decode(std::string_view bytes, std::size_t at);
void append_utf8(std::string& text, char32_t code);

}  // namespace roofmark::text
