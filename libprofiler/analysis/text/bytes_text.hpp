// Names are bytes; JSON strings are Unicode. These carry the bytes that are not UTF-8.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace roofmark {

/// RFC 3629: no overlong form, no surrogate, nothing above U+10FFFF.
bool is_utf8(std::string_view text);

/// Two lower-case hexadecimal digits a byte.
std::string to_hex(std::string_view bytes);
std::optional<std::string> from_hex(std::string_view text);

/// Bytes that were written as the code points U+0000..U+00FF in valid UTF-8; nothing where there is
/// one beyond.
std::optional<std::string> bytes_of_code_points(std::string_view utf8);

}  // namespace roofmark
