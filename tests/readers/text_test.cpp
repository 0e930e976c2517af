// Names that are put together: UTF-8 of wide characters, and no half ones at the end.
#include <libprofiler/target/attach/readers/text.hpp>
#include <memory>
#include <string>

#include "catch.hpp"

using roofmark::readers::longest_name;
using roofmark::readers::Text;

namespace {

std::string as_string(const Text& text) {
  return std::string(text.bytes, text.length);
}

}  // namespace

TEST_CASE("wide characters become UTF-8") {
  Text text;
  text.add(L"a\u00f6\u20ac\U0001f600");
  const wchar_t odd[] = {0xd800, static_cast<wchar_t>(0x110000), L'z', 0};
  text.add(odd);
  CHECK(as_string(text) == "a\xc3\xb6\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbd\xef\xbf\xbdz");
  Text nothing;
  nothing.add(static_cast<const char*>(nullptr));
  nothing.add(static_cast<const wchar_t*>(nullptr));
  CHECK(as_string(nothing).empty());
}

TEST_CASE("what is too long is cut before a character that does not fit, and there") {
  auto text = std::make_unique<Text>();
  for (std::size_t i = 0; i + 1 < longest_name; ++i) text->add('x');
  text->add(L"\u20ac!");
  text->add("more");
  CHECK(text->length == longest_name - 1);
  auto exact = std::make_unique<Text>();
  for (std::size_t i = 0; i + 3 < longest_name; ++i) exact->add('x');
  exact->add(L"\u20ac!");
  CHECK(exact->length == longest_name);
  CHECK(as_string(*exact).substr(longest_name - 3) == "\xe2\x82\xac");
}

TEST_CASE("hexadecimal") {
  Text text;
  text.add_hexadecimal(0);
  text.add(' ');
  text.add_hexadecimal(0x1140);
  text.add(' ');
  text.add_hexadecimal(~std::uint64_t{0});
  CHECK(as_string(text) == "0 1140 ffffffffffffffff");
}
