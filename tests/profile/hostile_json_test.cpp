// Files that nobody wrote in good faith: one line that names file and place, never a crash.
#include <nlohmann/json.hpp>

#include "analysis/profile/profile_json.hpp"
#include "analysis/text/bytes_text.hpp"
#include "catch.hpp"
#include "sample_profile.hpp"

namespace roofmark {
namespace {

using Json = nlohmann::ordered_json;

const std::string& valid() {
  static const std::string text = to_json(test::sample_profile());
  return text;
}

std::string refusal(const std::string& text) {
  const auto profile = profile_from_json(text, "bad.roofmark.json");
  if (profile) return "";
  const std::string line = to_line(profile.error());
  REQUIRE(line.find('\n') == line.npos);
  REQUIRE(line.find("bad.roofmark.json") != line.npos);
  return line;
}

void require_refusal(const std::string& text, const std::string& expected) {
  const std::string line = refusal(text);
  INFO("refused with: " << line);
  REQUIRE(line.find(expected) != line.npos);
}

/// The valid document with one field changed.
std::string with(const char* pointer, const Json& value) {
  Json document = Json::parse(valid());
  document[Json::json_pointer(pointer)] = value;
  return document.dump();
}

TEST_CASE("what is not JSON is refused with line and column") {
  require_refusal("", "bad.roofmark.json: it is empty");
  require_refusal(" \n", "bad.roofmark.json: it is empty");
  require_refusal("hello", "bad.roofmark.json:1:1");
  require_refusal("{\n  \"schema\": x}", "bad.roofmark.json:2:13");
  require_refusal(std::string("{\"a\": \"\xff\"}"), "bad.roofmark.json:1:8");
  require_refusal(std::string("\0\0\0", 3), "bad.roofmark.json:1:1");
  require_refusal("{\"a\": NaN}", "bad.roofmark.json:1:");
  require_refusal("{\"a\": 1e999}", "bad.roofmark.json:1:");
  require_refusal("{\"a\": 1e999}", "a number is larger than a double can hold");
  require_refusal("{\"a\": [-1e400]}", "a number is larger than a double can hold");
  require_refusal(valid() + "{}", "bad.roofmark.json:");
}

TEST_CASE("a file cut off anywhere is refused") {
  // Any cut but that of the last newline leaves an open object.
  for (std::size_t length = 0; length + 2 < valid().size(); length += 7)
    REQUIRE(!refusal(valid().substr(0, length)).empty());
}

TEST_CASE("deep nesting is refused and does not exhaust the stack") {
  require_refusal(std::string(10'000'000, '['), "nested deeper than 64 levels");
  std::string objects;
  for (int i = 0; i < 100; ++i) objects += "{\"a\":";
  require_refusal(objects, "nested deeper than 64 levels");
  std::string just_deep_enough = std::string(60, '[') + std::string(60, ']');
  require_refusal(just_deep_enough, "no `schema`");
}

TEST_CASE("a key that stands twice is refused") {
  require_refusal(R"({"schema": "roofmark-profile/1", "schema": "roofmark-profile/1"})",
                  "`schema` stands twice");
  std::string text = valid();
  text.replace(text.find("\"visits\":10"), 11, "\"visits\":10,\"visits\":11");
  require_refusal(text, "`visits` stands twice");
}

TEST_CASE("an object of a million members is refused in time") {
  std::string text = "{";
  for (int i = 0; i < 1'000'000; ++i) text += "\"" + std::to_string(i) + "\":0,";
  require_refusal(text, "more than 1000 members");
}

TEST_CASE("control characters of a hostile file do not reach the terminal") {
  const std::string line = refusal("{\"\\u001b[31m\": 0, \"\\u001b[31m\": 0}");
  REQUIRE(line.find('\x1b') == line.npos);
}

TEST_CASE("another format, another version") {
  require_refusal("[]", "no `schema`");
  require_refusal("{}", "no `schema`");
  require_refusal("{\"schema\": 1}", "no `schema`");
  require_refusal(with("/schema", "roofmark-machine/1"), "no `schema`");
  require_refusal(with("/schema", "roofmark-profile/2"), "later than what this roofmark reads");
  require_refusal(with("/schema", "roofmark-profile/"), "no version");
  require_refusal(with("/schema", "roofmark-profile/0"), "no version");
  require_refusal(with("/schema", "roofmark-profile/1x"), "no version");
}

TEST_CASE("a field of the wrong kind is refused by its place") {
  require_refusal(with("/regions", 3), "`regions`");
  require_refusal(with("/regions/1", 3), "`regions[1].visits`");
  require_refusal(with("/regions/1/visits", -1), "`regions[1].visits`");
  require_refusal(with("/regions/1/flop/f64/value", -5), "`regions[1].flop.f64.value`");
  require_refusal(with("/regions/1/flop/f64/value", 1.5), "`regions[1].flop.f64.value`");
  require_refusal(with("/regions/1/flop/f64/value", "7"), "`regions[1].flop.f64.value`");
  require_refusal(with("/regions/1/flop/f64/source", "guessed"), "`regions[1].flop.f64.source`");
  require_refusal(with("/regions/1/wall_s/value", -0.5), "`regions[1].wall_s.value` is negative");
  require_refusal(with("/regions/1/wall_s/value", nullptr), "`regions[1].wall_s.value`");
  require_refusal(with("/regions/1/path", "solve"), "`regions[1].path`");
  require_refusal(with("/regions/1/path/0", 7), "`regions[1].path[0]`");
  require_refusal(with("/regions/1/name_bytes/2", "f"), "`regions[1].name_bytes[2]`");
  require_refusal(with("/regions/1/name_bytes/2", "zz"), "`regions[1].name_bytes[2]`");
  require_refusal(with("/regions/1/name_bytes", Json::parse(R"([null,null,null,null,"00"])")),
                  "`regions[1].name_bytes[4]`");
  require_refusal(with("/regions/1/mix/0/op", "pow"), "`regions[1].mix[0].op`");
  require_refusal(with("/machine", 3), "machine");
  require_refusal(with("/machine/schema", "roofmark-machine/9"), "roofmark-machine/9");
  require_refusal(with("/program/exit_status", 1e9), "`program.exit_status`");
  Json nameless = Json::parse(valid());
  nameless["regions"][1].erase("path");
  nameless["regions"][1].erase("name_bytes");
  require_refusal(nameless.dump(), "`regions[1]` has no `path`");
  Json uncounted = Json::parse(valid());
  uncounted["regions"][1].erase("visits");
  require_refusal(uncounted.dump(), "visits");
  Json document = Json::parse(valid());
  document.erase("regions");
  require_refusal(document.dump(), "`regions` is absent");
}

/// Each place in a document where `first` and `last` stand side by side, changed so that they don't
/// rise, one at a time; how many there were.
std::size_t require_order(const char* first, const char* last) {
  std::size_t places = 0;
  const auto at_each = [&](const auto& self, const Json& item,
                           const Json::json_pointer& at) -> void {
    if (item.is_object() && item.contains(first) && item.contains(last)) {
      Json document = Json::parse(valid());
      document[at][first] = 2U;
      document[at][last] = 1U;
      ++places;
      INFO(at.to_string());
      require_refusal(document.dump(), "." + std::string(first) + "` is above `" + last + "`");
    }
    if (item.is_object())
      for (const auto& [key, member] : item.items()) self(self, member, at / key);
    if (item.is_array())
      for (std::size_t i = 0; i < item.size(); ++i) self(self, item[i], at / i);
  };
  at_each(at_each, Json::parse(valid()), Json::json_pointer());
  return places;
}

TEST_CASE("a range whose low end is above its high one is refused, wherever it stands") {
  CHECK(require_order("low", "high") >= 3);
  CHECK(require_order("min", "median") >= 1);
  CHECK(require_order("median", "max") >= 1);
  CHECK(require_order("min_s", "median_s") >= 1);
  CHECK(require_order("mean_s", "max_s") >= 1);
  // A range of one value is none the less one.
  CHECK(refusal(with("/machine/ceilings/0/low", 2e10)) == "");
}

TEST_CASE("parts that contradict one another are refused by their place") {
  struct Contradiction {
    const char* what;
    void (*make)(Json& document);
    const char* expected;
  };
  static const Contradiction table[] = {
      {"a path twice", [](Json& d) { d["regions"][3]["path"] = d["regions"][2]["path"]; },
       "`regions[3].path` is that of `regions[2]` too (work::step): each path stands once"},
      {"the whole program twice", [](Json& d) { d["regions"][2]["path"] = Json::array(); },
       "`regions[2].path` is that of `regions[0]` too"},
      {"a whole region twice", [](Json& d) { d["regions"].push_back(d["regions"][1]); },
       "`regions[7].path` is that of `regions[1]` too"},
      {"names that differ in their bytes alone, and then don't",
       [](Json& d) {
         d["regions"][2]["path"] = Json::parse(R"(["\ufffd"])");
         d["regions"][2]["name_bytes"] = Json::parse(R"(["ff"])");
         d["regions"][3]["path"] = d["regions"][2]["path"];
         d["regions"][3]["name_bytes"] = d["regions"][2]["name_bytes"];
       },
       "`regions[3].path` is that of `regions[2]` too"},
      {"no parent", [](Json& d) { d["regions"][2]["path"] = Json::parse(R"(["a", "b"])"); },
       "`regions[2].path` has no region above it: `a` is not in the file"},
      {"no parent, but that one's", [](Json& d) { d["regions"].erase(5); },
       "` has no region above it: "},
      {"a verdict of one roof twice",
       [](Json& d) { d["regions"][1]["rooflines"].push_back(d["regions"][1]["rooflines"][0]); },
       "`regions[1].rooflines[1].locus` stands twice"},
      {"and of a region's own work",
       [](Json& d) {
         Json& own = d["regions"][1]["self"]["rooflines"];
         own.push_back(own[0]);
       },
       "`regions[1].self.rooflines[1].locus` stands twice"},
      {"a GPU's share twice",
       [](Json& d) {
         const Json share = Json::parse(R"({"device": "GPU-1", "launches": 1})");
         d["regions"][1]["gpu"] = Json::array({share, share});
       },
       "`regions[1].gpu[1].device` stands twice"},
      {"a thread twice", [](Json& d) { d["regions"][1]["shares"]["each"][1]["number"] = 0U; },
       "`regions[1].shares.each[1].number` stands twice"},
      {"more threads than there were", [](Json& d) { d["regions"][1]["shares"]["total"] = 1U; },
       "`regions[1].shares.total` is less than there are"},
      {"more threads left out than there were",
       [](Json& d) { d["regions"][1]["shares"]["left_out"][0]["count"] = 2U; },
       "`regions[1].shares.left_out[0].count` makes more than `total`, 3"},
      {"a sum beyond 64 bits",
       [](Json& d) {
         Json& left = d["regions"][1]["shares"]["left_out"];
         left.push_back(left[0]);
         left[1]["count"] = 18446744073709551615U;
       },
       "`regions[1].shares.left_out[1].count` makes more than `total`, 3"},
      {"ranks of no rank", [](Json& d) { d["regions"][1]["ranks"]["count"] = 0U; },
       "`regions[1].ranks.count` is 0"},
      {"more ranks than the job has", [](Json& d) { d["regions"][1]["ranks"]["count"] = 17U; },
       "`regions[1].ranks.count` is above `program.ranks.size`, 16"},
      {"a rank beyond the job", [](Json& d) { d["regions"][1]["mpi_ranks"]["max_rank"] = 16U; },
       "`regions[1].mpi_ranks.max_rank` is not below `program.ranks.size`, 16"},
      {"another", [](Json& d) { d["regions"][1]["ranks"]["min_rank"] = 99U; },
       "`regions[1].ranks.min_rank` is not below `program.ranks.size`, 16"},
      {"more recorded than there are", [](Json& d) { d["program"]["ranks"]["recorded"] = 17U; },
       "`program.ranks.recorded` is above `size`, 16"},
      {"more nodes than ranks", [](Json& d) { d["program"]["ranks"]["nodes"] = 17U; },
       "`program.ranks.nodes` is above `size`, 16"},
      {"a rank that there is not", [](Json& d) { d["program"]["ranks"]["rank"] = 16U; },
       "`program.ranks.rank` is not below `size`, 16"},
      {"more ranks on a node than there are",
       [](Json& d) { d["program"]["ranks"]["on_node"] = 17U; },
       "`program.ranks.on_node` is above `size`, 16"},
      {"a pass that saw more than all", [](Json& d) { d["passes"][0]["coverage"] = 1.5; },
       "`passes[0].coverage` is not a number from 0 to 1"},
      {"a negative imbalance", [](Json& d) { d["regions"][1]["imbalance"] = -1.5; },
       "`regions[1].imbalance` is negative"},
      {"a range below nothing", [](Json& d) { d["regions"][1]["off_cpu_s"]["low"] = -1e-3; },
       "`regions[1].off_cpu_s.low` is negative"},
      {"a negative count", [](Json& d) { d["regions"][1]["threads"] = -2; },
       "`regions[1].threads` is not a whole number"},
      {"a negative sum of shares",
       [](Json& d) { d["regions"][1]["shares"]["each"][0]["wall_s"] = -0.1; },
       "`regions[1].shares.each[0].wall_s` is negative"},
  };
  for (const Contradiction& one : table) {
    INFO(one.what);
    Json document = Json::parse(valid());
    one.make(document);
    require_refusal(document.dump(), one.expected);
    require_refusal(document.dump(), "give a file that `roofmark record` wrote");
  }
  CHECK(refusal(valid()) == "");
}

TEST_CASE("names that differ in bytes which no text can hold are two") {
  Json document = Json::parse(valid());
  for (const int region : {2, 3}) {
    document["regions"][region]["path"] = Json::parse(R"(["\ufffd"])");
    document["regions"][region]["name_bytes"] = Json::array({region == 2 ? "ff" : "fe"});
  }
  CHECK(refusal(document.dump()) == "");
}

TEST_CASE("a count beyond 64 bits is refused, not rounded") {
  std::string text = valid();
  const std::string largest = "18446744073709551615";
  text.replace(text.find(largest), largest.size(), "18446744073709551616");
  require_refusal(text, "is not a whole number");
}

TEST_CASE("UTF-8 is recognised as the standard defines it") {
  for (const char* good : {"", "a", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf",
                           "\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
    REQUIRE(is_utf8(good));
  for (const char* bad :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2\x41", "\xe0\x9f\xbf", "\xed\xa0\x80",
        "\xe1\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "a\xfe"})
    REQUIRE(!is_utf8(bad));
  REQUIRE(from_hex(to_hex("\xff\x01 a")) == "\xff\x01 a");
  REQUIRE(!from_hex("abc"));
  REQUIRE(!from_hex("0g"));
}

}  // namespace
}  // namespace roofmark
