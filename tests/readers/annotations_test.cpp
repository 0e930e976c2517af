// Which annotations are read, and what the program's environment gets for it.
#include <unistd.h>

#include <algorithm>
#include <analysis/record/annotations.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "catch.hpp"

using namespace roofmark;
using Environment = std::vector<std::string>;

namespace {

/// A folder with a file of the readers' name.
struct Library {
  std::filesystem::path folder;
  Library() {
    std::string name = (std::filesystem::temp_directory_path() / "roofmark-test-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    folder = name;
    std::ofstream file(readers());
  }
  ~Library() { std::filesystem::remove_all(folder); }
  std::string readers() const { return (folder / "libroofmark-readers.so").string(); }
};

bool has(const Environment& environment, const std::string& variable) {
  return std::find(environment.begin(), environment.end(), variable) != environment.end();
}

}  // namespace

TEST_CASE("lists of tools") {
  CHECK(parse_annotations("none")->tools.empty());
  const auto automatic = parse_annotations("auto");
  CHECK(automatic->automatic);
  CHECK(automatic->tools ==
        std::vector<std::string>{"nvtx", "itt", "likwid", "papi", "caliper", "kokkos"});
  CHECK(parse_annotations("cyg,nvtx,cyg")->tools == std::vector<std::string>{"nvtx", "cyg"});
  for (const char* wrong : {"", ",", "nvtx,", "nvtx, itt", "vtune", "none,nvtx"}) {
    INFO(wrong);
    const auto refused = parse_annotations(wrong);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().remedy.find("likwid") != std::string::npos);
  }
}

TEST_CASE("variables and preload for what is read") {
  const Library library;
  Environment environment = {"LD_PRELOAD=/lib/runtime.so", "PATH=/bin"};
  CHECK(add_readers(*parse_annotations("auto"), library.folder, environment).empty());
  CHECK(has(environment, "LD_PRELOAD=" + library.readers() + ":/lib/runtime.so"));
  CHECK(has(environment, "ROOFMARK_ANNOTATIONS=nvtx,itt,likwid,papi,caliper,kokkos"));
  CHECK(has(environment, "NVTX_INJECTION64_PATH=" + library.readers()));
  CHECK(has(environment, "INTEL_LIBITTNOTIFY64=" + library.readers()));
  CHECK(has(environment, "KOKKOS_TOOLS_LIBS=" + library.readers()));
  CHECK(environment.size() == 6);

  // What newer versions of Kokkos warn of only where it was named.
  Environment asked;
  CHECK(add_readers(*parse_annotations("kokkos"), library.folder, asked).empty());
  CHECK(has(asked, "KOKKOS_PROFILE_LIBRARY=" + library.readers()));
  CHECK_FALSE(has(asked, "NVTX_INJECTION64_PATH=" + library.readers()));

  Environment untouched = {"PATH=/bin"};
  CHECK(add_readers(*parse_annotations("none"), library.folder, untouched).empty());
  CHECK(untouched == Environment{"PATH=/bin"});
}

TEST_CASE("a variable of another tool stays and is told") {
  const Library library;
  Environment environment = {"NVTX_INJECTION64_PATH=/opt/other.so", "INTEL_LIBITTNOTIFY64="};
  const auto notes = add_readers(*parse_annotations("auto"), library.folder, environment);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].find("/opt/other.so") != std::string::npos);
  CHECK(has(environment, "NVTX_INJECTION64_PATH=/opt/other.so"));
  // Set to nothing, it names no tool.
  CHECK(has(environment, "INTEL_LIBITTNOTIFY64=" + library.readers()));
}

TEST_CASE("without the library nothing is set, and that is told") {
  Environment environment = {"PATH=/bin"};
  const auto notes = add_readers(*parse_annotations("auto"), "/nowhere", environment);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].find("/nowhere") != std::string::npos);
  CHECK(environment == Environment{"PATH=/bin"});
}
