// Folders of tables: the user's before ours, and a bad file spoils nothing but itself.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "analysis/counters/event_tables.hpp"
#include "catch.hpp"
#include "environment.hpp"
#include "table_text.hpp"

using namespace roofmark;
using roofmark::test::Environment;
namespace fs = std::filesystem;

namespace {

struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "roofmark-events-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path); }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(path / name) << text;
  }
};

std::string table_named(const std::string& name, const std::string& about) {
  auto json = small_table();
  json["name"] = name;
  json["about"] = about;
  return json.dump();
}

}  // namespace

TEST_CASE("an earlier folder's table hides a later one of its name") {
  const Folder own, ours;
  own.put("b.json", table_named("b", "own"));
  ours.put("a.json", table_named("a", "ours"));
  ours.put("b.json", table_named("b", "ours"));
  ours.put("notes.txt", "no table");
  const EventTables all = load_event_tables({own.path, "/nonexistent/folder", ours.path});
  CHECK(all.problems.empty());
  REQUIRE(all.tables.size() == 2);
  CHECK(all.tables[0].name == "b");
  CHECK(all.tables[0].about == "own");
  CHECK(all.tables[1].name == "a");
}

TEST_CASE("a bad file is one Problem that names it, and hides nothing") {
  const Folder own, ours;
  own.put("b.json", "{\"schema\": \"roofmark-events/1\"");
  own.put("empty.json", "");
  fs::create_directory(own.path / "folder.json");
  fs::create_symlink("/nonexistent", own.path / "gone.json");
  ours.put("b.json", table_named("b", "ours"));
  const EventTables all = load_event_tables({own.path, ours.path});
  REQUIRE(all.tables.size() == 1);
  CHECK(all.tables[0].about == "ours");
  REQUIRE(all.problems.size() == 4);
  for (const Problem& problem : all.problems) {
    INFO(to_line(problem));
    CHECK(problem.where.find(own.path.string()) == 0);
    CHECK_FALSE(problem.reason.empty());
    CHECK_FALSE(problem.remedy.empty());
    CHECK(to_line(problem).find('\n') == std::string::npos);
  }
}

TEST_CASE("a common file serves all folders, the earlier sentence first") {
  const Folder own, ours;
  const auto common = [](const std::string& sentence) {
    return R"({"schema": "roofmark-events-common/1", "caveats": {"shared": ")" + sentence +
           R"("}})";
  };
  auto json = small_table();
  json["quantities"][0]["caveats"] = {"shared"};
  own.put("own.json", json.dump());
  ours.put("common.json", common("ours"));
  EventTables all = load_event_tables({own.path, ours.path});
  REQUIRE(all.tables.size() == 1);
  CHECK(all.tables[0].formulas[0].caveats[0] == "ours");
  own.put("common.json", common("own"));
  all = load_event_tables({own.path, ours.path});
  REQUIRE(all.tables.size() == 1);
  CHECK(all.tables[0].formulas[0].caveats[0] == "own");
  own.put("common.json", "[]");
  all = load_event_tables({own.path, ours.path});
  CHECK(all.problems.size() == 1);
  CHECK(all.tables.size() == 1);
}

TEST_CASE("what a test sets of the environment comes back, set or not") {
  const char* const name = "ROOFMARK_TEST_VARIABLE";
  const auto now = [&] {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "(unset)" : value);
  };
  const Environment start(name, nullptr);
  {
    const Environment outer(name, "outer");
    {
      const Environment inner(name, nullptr);
      CHECK(now() == "(unset)");
    }
    CHECK(now() == "outer");
    {
      const Environment inner(name, "inner");
      CHECK(now() == "inner");
    }
    CHECK(now() == "outer");
  }
  CHECK(now() == "(unset)");
}

TEST_CASE("folders: the given one, the user's, ours") {
  using Folders = std::vector<fs::path>;
  {
    const Environment given("ROOFMARK_EVENTS", "/given");
    const Environment config("XDG_CONFIG_HOME", "/config");
    CHECK(event_table_folders("/ours") == Folders{"/given", "/config/roofmark/events", "/ours"});
  }
  const Environment none("ROOFMARK_EVENTS", nullptr);
  {
    const Environment config("XDG_CONFIG_HOME", "relative");
    const Environment home("HOME", "/home/me");
    CHECK(event_table_folders("/ours") == Folders{"/home/me/.config/roofmark/events", "/ours"});
  }
  const Environment config("XDG_CONFIG_HOME", nullptr);
  const Environment home("HOME", nullptr);
  CHECK(event_table_folders("/ours") == Folders{"/ours"});
}
