// Results kept between runs, under everything that file systems do.
#include "analysis/machine/machine_store.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "environment.hpp"

using namespace roofmark;
using roofmark::test::Environment;
namespace fs = std::filesystem;

namespace {

class StoreFolder {
 public:
  StoreFolder() {
    std::string name = (fs::temp_directory_path() / "roofmark-store-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~StoreFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

const Identity identity = {{"cpu_model", "test"}, {"cores_allowed", "0"}};

StoredMachine stored_sample() {
  StoredMachine stored;
  stored.machine.identity = identity;
  ComputeCeiling ceiling;
  ceiling.isa = "scalar";
  ceiling.flop_per_s = 1e9;
  stored.machine.compute = {ceiling};
  stored.probes = {{"fma", 1e9}};
  stored.measurements = 2;
  return stored;
}

}  // namespace

TEST_CASE("what is kept comes back") {
  const StoreFolder folder;
  const fs::path file = store_file(folder.path() / "a" / "b", identity);
  REQUIRE(save_stored(file, stored_sample()).has_value());
  const auto back = load_stored(file, identity);
  REQUIRE(back.has_value());
  REQUIRE(back->has_value());
  CHECK((*back)->machine.compute[0].flop_per_s == 1e9);
  CHECK((*back)->probes == stored_sample().probes);
  CHECK((*back)->measurements == 2);
  // Nothing is left beside it.
  CHECK(std::distance(fs::directory_iterator(file.parent_path()), fs::directory_iterator()) == 1);
}

TEST_CASE("no file is no problem; a damaged or foreign one is one line") {
  const StoreFolder folder;
  const fs::path file = folder.path() / "machine.json";
  REQUIRE(load_stored(file, identity).has_value());
  CHECK_FALSE(load_stored(file, identity)->has_value());
  for (const char* text : {"", "{", "[]", "{\"schema\": \"roofmark-machine/1\"}"}) {
    std::ofstream(file) << text;
    const auto result = load_stored(file, identity);
    REQUIRE_FALSE(result.has_value());
    CHECK(to_line(result.error()).find('\n') == std::string::npos);
  }
  REQUIRE(save_stored(file, stored_sample()).has_value());
  CHECK_FALSE(load_stored(file, {{"cpu_model", "another"}}).has_value());
}

TEST_CASE("what a version with other kernels measured is measured again") {
  const StoreFolder folder;
  const fs::path file = folder.path() / "machine.json";
  REQUIRE(save_stored(file, stored_sample()).has_value());
  auto document = nlohmann::ordered_json::parse(std::ifstream(file));
  for (const bool named : {true, false}) {
    if (named)
      document["kernels"] = document["kernels"].get<unsigned>() + 1;
    else
      document.erase("kernels");
    std::ofstream(file) << document;
    const auto result = load_stored(file, identity);
    REQUIRE(result.has_value());
    CHECK_FALSE(result->has_value());
  }
}

TEST_CASE("a place that can't be written is a problem, not a failure") {
  CHECK_FALSE(save_stored("/proc/nothing/machine.json", stored_sample()).has_value());
  const StoreFolder folder;
  std::ofstream(folder.path() / "file") << "x";
  CHECK_FALSE(save_stored(folder.path() / "file" / "machine.json", stored_sample()).has_value());
  if (fs::exists("/dev/full")) {
    const fs::path file = folder.path() / "machine.json";
    fs::create_symlink("/dev/full", file);
    const auto result = save_stored(file, stored_sample());
    REQUIRE_FALSE(result.has_value());
    CHECK(result.error().reason.find("No space left") != std::string::npos);
    CHECK_FALSE(result.error().remedy.empty());
  }
}

TEST_CASE("the folder follows the option, XDG_CACHE_HOME, HOME, in this order") {
  MeasureOptions options;
  {
    const Environment xdg("XDG_CACHE_HOME", "/x"), home("HOME", "/h");
    CHECK(store_folder(options) == fs::path("/x/roofmark"));
    options.cache_dir = "/o";
    CHECK(store_folder(options) == fs::path("/o"));
    options.cache_dir.reset();
  }
  {
    const Environment xdg("XDG_CACHE_HOME", "relative"), home("HOME", "/h");
    CHECK(store_folder(options) == fs::path("/h/.cache/roofmark"));
  }
  {
    const Environment xdg("XDG_CACHE_HOME", nullptr), home("HOME", "relative");
    CHECK_FALSE(store_folder(options).has_value());
  }
  {
    const Environment xdg("XDG_CACHE_HOME", nullptr), home("HOME", nullptr);
    CHECK_FALSE(store_folder(options).has_value());
  }
}

TEST_CASE("one process at a time calibrates, and a dead one does not keep the others waiting") {
  const std::string name = "roofmark-test-" + std::to_string(getpid());
  int ready[2], go[2];
  REQUIRE(pipe(ready) == 0);
  REQUIRE(pipe(go) == 0);
  const pid_t child = fork();
  if (child == 0) {
    CalibrationLock held(name);
    const char answer = held.acquire(0) ? 'y' : 'n';
    char wait = 0;
    if (write(ready[1], &answer, 1) != 1 || read(go[0], &wait, 1) != 1) _exit(1);
    _exit(0);  // without releasing anything
  }
  char answer = 0;
  REQUIRE(read(ready[0], &answer, 1) == 1);
  CHECK(answer == 'y');
  {
    CalibrationLock second(name);
    CHECK_FALSE(second.acquire(0.1));
  }
  REQUIRE(write(go[1], "g", 1) == 1);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  CalibrationLock third(name);
  CHECK(third.acquire(1));
}
