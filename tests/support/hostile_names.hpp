#pragma once

#include <string>
#include <vector>

namespace roofmark::sample {

/// Names that people and programs really give, and those that attack the report.
inline std::vector<std::string> hostile_names() {
  return {
      "</script><script>alert(1)</script>",
      "\"quoted\" & 'single' <b>bold</b>",
      "line\nbreak\tand\ttab\r",
      "bad \xff\xfe utf8 \xc3",
      "\x1b[31mred\x1b[0m \x07 bell",
      "<!-- comment --> ]]> <?xml?>",
      std::string("nul\0byte", 8),
      "right-to-left \xe2\x80\xae override",
      "std::vector<std::pair<int, std::map<std::string, double>>>::operator[](unsigned long) const",
      "日本語の名前がとても長いとき",
      "e\xcc\x81"
      "combining",
      std::string(5000, 'x'),
      "",
      "=HYPERLINK(\"x\"),a\"b",
      "a/b/c",
      "\\\\u003c \\ ${x} `tick`"};
}

}  // namespace roofmark::sample
