#include "analysis/report/output.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "catch.hpp"

using namespace roofmark;

namespace {

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/roofmark-output-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string content(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("a file is replaced whole and keeps its permissions") {
  const Folder folder;
  REQUIRE_FALSE(write_file(folder / "a", "one").has_value());
  chmod((folder / "a").c_str(), 0640);
  REQUIRE_FALSE(write_file(folder / "a", "two").has_value());
  REQUIRE(content(folder / "a") == "two");
  struct stat status {};
  stat((folder / "a").c_str(), &status);
  REQUIRE((status.st_mode & 0777) == 0640);
}

TEST_CASE("a place that can't be written to is one Problem") {
  // Below a file there is no folder, whoever made one elsewhere.
  REQUIRE(write_file("/dev/null/a", "x")->where == "/dev/null/a");
  REQUIRE(write_file("/dev/full", "x").has_value());
  REQUIRE_FALSE(write_file("/dev/null", "x").has_value());
}

TEST_CASE("a name of our own never takes a file that exists") {
  const Folder folder;
  const auto first = write_new_file(folder / "r", ".html", "1");
  const auto second = write_new_file(folder / "r", ".html", "2");
  REQUIRE(*first == folder / "r.html");
  REQUIRE(*second == folder / "r-2.html");
  REQUIRE(content(*first) == "1");
  REQUIRE_FALSE(write_new_file("/dev/null/r", ".html", "").has_value());
}

TEST_CASE("input that can't be read is one Problem") {
  REQUIRE_FALSE(read_input("/nonexistent").has_value());
  REQUIRE_FALSE(read_input("/").has_value());
  REQUIRE(*read_input("/dev/null") == "");
}
