// What is said of the GPU collector on systems of which only files are there.
#include "collectors/cupti/availability.hpp"

#include <unistd.h>

#include <fstream>

#include "catch.hpp"

using namespace roofmark;
using namespace roofmark::cupti;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t sys_admin = std::uint64_t{1} << 21, perfmon = std::uint64_t{1} << 38;

/// A root of a file system that goes with it.
struct System {
  fs::path root;
  AvailabilityOptions options;

  System() {
    std::string name = (fs::temp_directory_path() / "roofmark-system-XXXXXX").string();
    root = mkdtemp(name.data());
    options.root = root;
    options.plugin = root / "libroofmark-cupti.so";
    options.loads_driver = [] { return true; };
    options.cupti_problem = [] { return std::nullopt; };
    write("libroofmark-cupti.so", "");
  }
  ~System() { fs::remove_all(root); }
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((root / name).parent_path());
    std::ofstream(root / name) << text;
  }
  void has_driver(const std::string& version, const std::string& params) const {
    write("proc/driver/nvidia/version",
          "NVRM version: NVIDIA UNIX x86_64 Kernel Module  " + version +
              "  Sat Aug 19 01:15:15 UTC 2023\nGCC version:  gcc version 12.2.0\n");
    write("proc/driver/nvidia/params", params);
    write("proc/driver/nvidia/gpus/0000:01:00.0/information", "Model: A card\n");
  }
};

}  // namespace

TEST_CASE("each thing that the GPU collector lacks is said, the nearest first") {
  System system;
  fs::remove(system.options.plugin);
  CHECK(availability(system.options).times->reason == "this Roofmark was built without CUPTI");
  system.write("libroofmark-cupti.so", "");
  CHECK(availability(system.options).times->reason == "there is no NVIDIA driver");
  CHECK(availability(system.options).counters->reason == "there is no NVIDIA driver");
  CHECK(availability(system.options).driver.empty());

  system.has_driver("535.104.05", "RmProfilingAdminOnly: 0\n");
  CHECK(availability(system.options).driver == "535.104.05");
  CHECK_FALSE(availability(system.options).times);
  CHECK_FALSE(availability(system.options).counters);

  fs::remove_all(system.root / "proc/driver/nvidia/gpus/0000:01:00.0");
  CHECK(availability(system.options).times->reason == "the NVIDIA driver has no GPU");
  system.has_driver("535.104.05", "");
  system.options.loads_driver = [] { return false; };
  CHECK(availability(system.options).times->reason.find("libcuda.so.1") != std::string::npos);
  system.options.loads_driver = [] { return true; };
  system.options.cupti_problem = [] { return Problem{"no CUPTI", "", "install it"}; };
  CHECK(availability(system.options).times->reason == "no CUPTI");
  CHECK(availability(system.options).counters->remedy == "install it");
}

TEST_CASE("counters of the GPU need the driver's leave, times do not") {
  const System system;
  const auto may_count = [&](const std::string& driver, const std::string& params,
                             std::uint64_t capabilities) {
    system.has_driver(driver, params);
    AvailabilityOptions options = system.options;
    options.capabilities = capabilities;
    const Availability found = availability(options);
    CHECK_FALSE(found.times);
    if (found.counters) {
      CHECK(found.counters->remedy.find("NVreg_RestrictProfilingToAdminUsers=0") !=
            std::string::npos);
      CHECK(found.counters->where == (system.root / "proc/driver/nvidia/params").string());
    }
    return !found.counters;
  };
  const std::string closed = "ResmanDebugLevel: 4294967295\nRmProfilingAdminOnly: 1\nMore: 1\n";
  CHECK_FALSE(may_count("535.104.05", closed, 0));
  CHECK(may_count("535.104.05", closed, sys_admin));
  CHECK_FALSE(may_count("535.104.05", closed, perfmon));
  CHECK(may_count("565.57.01", closed, perfmon));
  CHECK(may_count("580.65.06", closed, perfmon | 7));
  CHECK_FALSE(may_count("580.65.06", closed, 7));
  CHECK(may_count("535.104.05", "RmProfilingAdminOnly: 0\n", 0));
  // What the driver does not say is left to CUPTI's own answer.
  CHECK(may_count("535.104.05", "", 0));
}

TEST_CASE("WSL has its driver in the host, and odd version files name none") {
  const System system;
  system.write("dev/dxg", "");
  CHECK_FALSE(availability(system.options).times);
  for (const char* text : {"", "NVRM version: unknown\n", "a.b .5 5. x535.1\n"}) {
    system.write("proc/driver/nvidia/version", text);
    CHECK(availability(system.options).driver.empty());
  }
}
