#include "analysis/machine/gpus.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "analysis/machine/machine_text.hpp"
#include "catch.hpp"

using namespace roofmark;
namespace fs = std::filesystem;

namespace {

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "gpus-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) FAIL("no folder");
    path_ = name;
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const fs::path& path() const { return path_; }
  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories((path_ / file).parent_path());
    std::ofstream(path_ / file) << text;
  }

 private:
  fs::path path_;
};

}  // namespace

TEST_CASE("the identity of GPUs is the driver's version and their names, and nothing without one") {
  const Folder folder;
  unsetenv("CUDA_VISIBLE_DEVICES");
  CHECK(gpu_identity(folder.path()).empty());
  folder.write("version", "NVRM version: 580.65.06\nGCC version: 12\n");
  folder.write("gpus/0000:02:00.0/information", "Model: \t H100\nGPU UUID: \t GPU-b\nBus: x\n");
  folder.write("gpus/0000:01:00.0/information", "Model: \t H100\nGPU UUID: \t GPU-a\n");
  folder.write("gpus/0000:03:00.0/information", "Model: \t H100\n");
  CHECK(gpu_identity(folder.path()) == "NVRM version: 580.65.06 GPU-a GPU-b");
  setenv("CUDA_VISIBLE_DEVICES", "1", 1);
  CHECK(gpu_identity(folder.path()) == "NVRM version: 580.65.06 GPU-a GPU-b visible 1");
  unsetenv("CUDA_VISIBLE_DEVICES");
}

TEST_CASE("a driver that can't be loaded is a note, and the machine stands") {
  Machine machine;
  setenv("ROOFMARK_CUDA_LIBRARY", "/nowhere/libcuda.so.1", 1);
  setenv("ROOFMARK_PREFIX", ROOFMARK_BUILD, 1);
  add_gpus(machine, {}, std::nullopt);
  unsetenv("ROOFMARK_CUDA_LIBRARY");
  unsetenv("ROOFMARK_PREFIX");
  CHECK(machine.gpus.empty());
  REQUIRE(machine.notes.size() == 1);
  CHECK(machine.notes.front().find("GPUs were not measured: /nowhere/libcuda.so.1") == 0);
}

TEST_CASE("a GPU in the text of a machine: the first ceiling of each quantity, with its source") {
  Machine machine;
  Gpu gpu;
  gpu.name = "NVIDIA H100";
  gpu.uuid = "GPU-1";
  gpu.multiprocessors = 132;
  gpu.memory_bytes = std::uint64_t{80} << 30;
  gpu.ceilings = {{"bytes.HBM", "read", 3.1e12, 0, 3e12, 3.2e12, Source::measured, {}},
                  {"bytes.HBM", "copy", 2.9e12, 0, 2e12, 3e12, Source::measured, {}},
                  {"flop.f64", "", 33.5e12, 0, 0, 0, Source::theoretical, {}}};
  gpu.notes = {"A note."};
  machine.gpus = {gpu};
  const std::string text = render_machine_text(machine, {80, false});
  CHECK(text.find("GPU NVIDIA H100: GPU-1, 132 SMs, 80 GiB") != std::string::npos);
  CHECK(text.find("bytes.HBM           3.10 TB/s") != std::string::npos);
  CHECK(text.find("2.90") == std::string::npos);
  CHECK(text.find("flop.f64            33.5 TFLOP/s") != std::string::npos);
  CHECK(text.find("theoretical") != std::string::npos);
  CHECK(text.find("* A note.") != std::string::npos);
}
