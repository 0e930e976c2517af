#include "analysis/machine/gpus.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "analysis/machine/machine_text.hpp"
#include "catch.hpp"
#include "collectors/cupti/ceilings/kernel_image.hpp"

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

namespace {

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A machine with NVIDIA's driver, whose library and devices are those of the test.
class FakeMachine {
 public:
  FakeMachine() {
    folder_.write("proc/version", "NVRM version: 580.65.06\n");
    folder_.write("proc/gpus/0000:01:00.0/information", "GPU UUID: \t GPU-a\n");
    unsetenv("CUDA_VISIBLE_DEVICES");
    setenv("ROOFMARK_CUDA_LIBRARY", ROOFMARK_FAKE_DRIVER, 1);
    setenv("ROOFMARK_PREFIX", ROOFMARK_BUILD, 1);
  }
  ~FakeMachine() {
    for (const char* name : {"ROOFMARK_CUDA_LIBRARY", "ROOFMARK_PREFIX", "FAKE_FAIL"})
      unsetenv(name);
  }
  FakeMachine(const FakeMachine&) = delete;
  FakeMachine& operator=(const FakeMachine&) = delete;

  /// Kept or measured.
  Machine measured(const MeasureOptions& options = {}) const {
    Machine machine;
    add_gpus(machine, options, store(), {}, proc());
    return machine;
  }
  Machine kept() const {
    Machine machine;
    add_kept_gpus(machine, store(), proc());
    return machine;
  }
  fs::path proc() const { return folder_.path() / "proc"; }
  fs::path store() const { return folder_.path() / "store"; }
  const Folder& folder() const { return folder_; }

 private:
  Folder folder_;
};

}  // namespace

TEST_CASE("what was measured of GPUs without a failure is kept, and then no driver is asked") {
  const FakeMachine fake;
  CHECK(fake.kept().gpus.empty());
  const Machine first = fake.measured();
  REQUIRE(first.gpus.size() == 2);
  CHECK(fake.kept().gpus == first.gpus);
  setenv("FAKE_FAIL", "cuInit=999", 1);
  const Machine second = fake.measured();
  CHECK(second.gpus == first.gpus);
  CHECK(second.notes.empty());
  MeasureOptions again;
  again.refresh = true;
  CHECK(fake.measured(again).notes.size() == 1);
  CHECK(fake.kept().gpus == first.gpus);
}

TEST_CASE("a result in which a device or one ceiling failed is shown and not kept") {
  if (cupti::kernel_image() == nullptr) {
    WARN("built without nvcc: nothing is launched that could fail");
    return;
  }
  const FakeMachine fake;
  // Of every kind: the device, its memory, one kernel, waiting for it, reading what it wrote.
  for (const char* failure : {"cuDevicePrimaryCtxRetain=2", "cuMemAlloc_v2=2", "triad=700",
                              "cuEventSynchronize=719", "cuMemcpyDtoH_v2=719"}) {
    CAPTURE(failure);
    setenv("FAKE_FAIL", failure, 1);
    CHECK(fake.measured().gpus.size() == 2);
    CHECK(fake.kept().gpus.empty());
  }
  unsetenv("FAKE_FAIL");
  const Machine well = fake.measured();
  CHECK(fake.kept().gpus == well.gpus);
  // Nor does a later failure replace what was kept.
  setenv("FAKE_FAIL", "cuMemAlloc_v2=2", 1);
  MeasureOptions again;
  again.refresh = true;
  CHECK(fake.measured(again).gpus != well.gpus);
  CHECK(fake.kept().gpus == well.gpus);
}

TEST_CASE("an interruption ends the measurement of GPUs, and nothing is kept") {
  if (cupti::kernel_image() == nullptr) {
    WARN("built without nvcc: nothing is launched that could be interrupted");
    return;
  }
  const FakeMachine fake;
  for (const int most : {0, 40, 200}) {
    CAPTURE(most);
    int asked = 0;
    MeasureOptions options;
    options.interrupted = [&] { return ++asked > most; };
    const Machine machine = fake.measured(options);
    REQUIRE(machine.gpus.size() == 2);
    CHECK(asked <= most + 10);
    CHECK(std::any_of(
        machine.gpus.back().notes.begin(), machine.gpus.back().notes.end(),
        [](const std::string& note) { return note.find("interrupted") != std::string::npos; }));
    CHECK(fake.kept().gpus.empty());
  }
}

TEST_CASE("kept ceilings of GPUs are those of this driver, these kernels and this table") {
  const FakeMachine fake;
  const std::string identity = gpu_ceilings_identity(fake.proc());
  CHECK(identity.find(gpu_identity(fake.proc()) + " kernels ") == 0);
  CHECK((identity.find(" kernels none ") == std::string::npos) ==
        (cupti::kernel_image() != nullptr));
  CHECK(cupti::kernel_image_bytes().empty() == (cupti::kernel_image() == nullptr));
  REQUIRE(fake.measured().gpus.size() == 2);
  CHECK_FALSE(fake.kept().gpus.empty());

  // A table of another version.
  const fs::path tables = fs::path(ROOFMARK_BUILD) / "share/roofmark/cupti/chips.json";
  REQUIRE(fs::exists(tables));
  fake.folder().write("prefix/share/roofmark/cupti/chips.json", text_of(tables) + "\n");
  setenv("ROOFMARK_PREFIX", (fake.folder().path() / "prefix").c_str(), 1);
  CHECK(gpu_ceilings_identity(fake.proc()) != identity);
  CHECK(fake.kept().gpus.empty());
  setenv("ROOFMARK_PREFIX", ROOFMARK_BUILD, 1);
  CHECK_FALSE(fake.kept().gpus.empty());

  // Those of a build that had no kernels, or others.
  const fs::path file = fake.store() / "gpus.json";
  std::string other = text_of(file);
  const std::size_t at = other.find(" kernels ");
  REQUIRE(at != std::string::npos);
  other.replace(at, other.find(" table ") - at, " kernels of-another-build");
  fake.folder().write("store/gpus.json", other);
  CHECK(fake.kept().gpus.empty());
  fake.folder().write("proc/version", "NVRM version: 590\n");
  CHECK(fake.kept().gpus.empty());
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
