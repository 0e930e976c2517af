#include "analysis/text/plain_text.hpp"

#include <set>
#include <sstream>

#include "analysis/text/text_table.hpp"
#include "catch.hpp"
#include "tests/support/hostile_names.hpp"

using namespace roofmark;
using namespace roofmark::text;

TEST_CASE("malformed UTF-8 becomes the replacement character") {
  REQUIRE(printable("a\xff"
                    "b") ==
          "a\xef\xbf\xbd"
          "b");
  REQUIRE(printable("\xc3") == "\xef\xbf\xbd");
  REQUIRE(printable("\xc0\x80") == "\xef\xbf\xbd\xef\xbf\xbd");          // overlong
  REQUIRE(printable("\xed\xa0\x80").find("\xed") == std::string::npos);  // a surrogate
  REQUIRE(printable("日本") == "日本");
}

TEST_CASE("no control character reaches a terminal") {
  for (const std::string& name : sample::hostile_names())
    for (const char c : printable(name)) {
      const auto byte = static_cast<unsigned char>(c);
      REQUIRE(byte >= 0x20);
      REQUIRE(byte != 0x7f);
    }
  REQUIRE(printable("a\nb\tc") == "a\\nb\\tc");
  REQUIRE(printable("x\xe2\x80\xaey").find("\xe2\x80\xae") == std::string::npos);
}

TEST_CASE("ASCII has no byte beyond 127") {
  for (const std::string& name : sample::hostile_names())
    for (const char c : printable_ascii(name)) REQUIRE(static_cast<unsigned char>(c) < 0x7f);
  REQUIRE(printable_ascii("3 µs") == "3 us");
}

TEST_CASE("columns count what a terminal advances") {
  REQUIRE(columns("abc") == 3);
  REQUIRE(columns("日本") == 4);
  REQUIRE(columns("e\xcc\x81") == 1);
}

TEST_CASE("elided text fits and keeps both ends") {
  for (const std::string& name : sample::hostile_names())
    for (std::size_t limit = 0; limit < 40; ++limit)
      for (const bool utf8 : {true, false})
        REQUIRE(columns(elided(printable(name), limit, utf8)) <= limit);
  REQUIRE(elided("solve/precondition", 11) == "solve…ition");
  REQUIRE(elided("short", 11) == "short");
}

TEST_CASE("names that would be cut to the same text are cut so that they differ") {
  const auto apart = [](std::vector<std::string> names, std::size_t limit) {
    return elided_apart(names, limit);
  };
  const auto two =
      apart({"work::Solver<double>::advance_all", "work::Solver<float>::advance_all"}, 20);
  REQUIRE(two[0] == "work::…double…ce_all");
  REQUIRE(two[1] == "work::S…float…ce_all");
  // With little room the difference alone; with none, as any other.
  REQUIRE(apart({"aaaaaaaaXbbbbbbbb", "aaaaaaaaYbbbbbbbb"}, 4)[1] == "a…Y…");
  REQUIRE(apart({"aaaaaaaaXbbbbbbbb", "aaaaaaaaYbbbbbbbb"}, 3)[1] ==
          elided("aaaaaaaaYbbbbbbbb", 3));
  REQUIRE(apart({"step", "step_again_and_again"}, 10)[0] == "step");
  for (std::size_t limit = 1; limit < 24; ++limit)
    for (const std::string& text :
         apart({"日本日本日本語日本日本日本", "日本日本日本人日本日本日本"}, limit)) {
      REQUIRE(columns(text) <= limit);
      REQUIRE(printable(text) == text);
    }
}

TEST_CASE("rows of a table whose names differ look different") {
  TextTable table({{"Region", false, 400, 0, true}, {"Time", true, 8, 0, false}});
  const std::vector<std::string> kinds = {"double", "float", "long double", "int"};
  for (const std::string& kind : kinds)
    table.add({{"  physics::Integrator<" + kind + ">::advance_everything", ""}, {"1 ms", ""}});
  for (const std::size_t width : {80, 40, 32}) {
    const std::string text = table.render(width, true, false);
    std::set<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
      REQUIRE(columns(line) <= width);
      lines.insert(line);
    }
    INFO(text);
    REQUIRE(lines.size() == kinds.size() + 1);
  }
}

TEST_CASE("wrapped lines fit and lose no word") {
  const std::string text = "one two  three verylongwordthatisbroken four";
  for (std::size_t width = 4; width < 30; ++width) {
    std::string joined;
    for (const std::string& line : wrapped(text, width)) {
      REQUIRE(columns(line) <= width);
      joined += line;
    }
    std::string letters;
    for (const char c : joined)
      if (c != ' ') letters += c;
    REQUIRE(letters == "onetwothreeverylongwordthatisbrokenfour");
  }
}

TEST_CASE("a name that would not be seen stands in quotes") {
  REQUIRE(path_text({""}) == "\"\"");
  REQUIRE(path_text({"solve", "", " "}) == "solve/\"\"/\" \"");
  REQUIRE(path_text({}) == "(whole program)");
  REQUIRE(name_text("spmv") == "spmv");
}

TEST_CASE("markup and CSV are inert") {
  REQUIRE(markup("<a href='x'>&\"") == "&lt;a href=&#39;x&#39;&gt;&amp;&quot;");
  REQUIRE(csv_field("plain") == "plain");
  for (const char* formula : {"=1+1", "+1", "-1", "@x", "\t=1", "\r=1", "  =1",
                              "\xef\xbc\x9d"
                              "1"})
    REQUIRE(csv_field(formula).substr(0, 1) == "'");
  for (const char* plain : {"a=1", "1", "'", "", "  ", "(other)"})
    REQUIRE(csv_field(plain) == plain);
  REQUIRE(csv_field("a,\"b\"") == "\"a,\"\"b\"\"\"");
}
