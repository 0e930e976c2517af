// Comma-separated values as tools and their surroundings write them.
#include "analysis/import/csv_records.hpp"

#include "catch.hpp"

using namespace roofmark::import;
using Fields = std::vector<std::string>;

namespace {

std::vector<Fields> fields(const std::string& text) {
  const auto records = csv_records(text, "file");
  REQUIRE(records);
  std::vector<Fields> all;
  for (const CsvRecord& record : *records) all.push_back(record.fields);
  return all;
}

}  // namespace

TEST_CASE("fields, quotes, line ends of every kind") {
  CHECK(fields("a,b\nc,d") == std::vector<Fields>{{"a", "b"}, {"c", "d"}});
  CHECK(fields("a,b\r\nc,d\r\n") == std::vector<Fields>{{"a", "b"}, {"c", "d"}});
  CHECK(fields("\"1,234\",\"say \"\"hi\"\"\"") == std::vector<Fields>{{"1,234", "say \"hi\""}});
  CHECK(fields(",\n") == std::vector<Fields>{{"", ""}});
  CHECK(fields("").empty());
  CHECK(fields("\n\n") == std::vector<Fields>{{""}, {""}});
}

TEST_CASE("a byte order mark is no field, UTF-16 is told apart") {
  CHECK(fields("\xef\xbb\xbf\"ID\"") == std::vector<Fields>{{"ID"}});
  for (const char* mark : {"\xff\xfe", "\xfe\xff"}) {
    const auto refused = csv_records(std::string(mark) + "I", "file");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().reason.find("UTF-16") != std::string::npos);
  }
}

TEST_CASE("a stray quote in a program's output does not swallow the table") {
  const auto all = fields("==PROF== \"kernel\": 50%\n\"never closed\n\"ID\",\"x\"\n");
  REQUIRE(all.size() == 3);
  CHECK(all[1] == Fields{"\"never closed"});
  CHECK(all[2] == Fields{"ID", "x"});
  CHECK(fields("\"a\"b,c\n") == std::vector<Fields>{{"\"a\"b", "c"}});
}

TEST_CASE("lines are counted for messages") {
  const auto records = csv_records("a\nb\r\nc\n", "file");
  REQUIRE(records->size() == 3);
  CHECK((*records)[2].line == 3);
}
