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

}  // namespace roofmark
