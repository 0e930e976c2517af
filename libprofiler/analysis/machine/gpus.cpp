#include "gpus.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>

#include "analysis/files/read_file.hpp"
#include "analysis/record/install_paths.hpp"
#include "collectors/cupti/ceilings/kernel_image.hpp"
#include "collectors/cupti/ceilings/measure_gpus.hpp"
#include "collectors/cupti/ceilings/microkernels.hpp"
#include "machine_json.hpp"
#include "machine_store.hpp"

namespace roofmark {
namespace {

namespace fs = std::filesystem;

/// A measurement takes some seconds a device.
constexpr double gpu_patience_s = 60;
constexpr const char* gpus_key = "gpu_identity";

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// "GPU UUID:  GPU-..." of one device's `information`.
std::string uuid_in(const std::string& text) {
  constexpr std::string_view key = "GPU UUID:";
  const std::size_t at = text.find(key);
  if (at == std::string::npos) return {};
  const std::string line = first_line(text.substr(at + key.size()));
  const std::size_t begin = line.find_first_not_of(" \t");
  return begin == std::string::npos ? std::string() : line.substr(begin);
}

fs::path file_in(const fs::path& folder) {
  return folder / "gpus.json";
}

/// FNV-1a: another build's is to differ, nobody is to be kept from making an equal one.
std::string fingerprint(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char byte : bytes) {
    hash ^= static_cast<unsigned char>(byte);
    hash *= 0x100000001b3u;
  }
  return fmt::format("{:016x}", hash);
}

/// The code that is launched, and what it is held to do.
std::string fingerprint_of_kernels() {
  if (cupti::kernel_image() == nullptr) return "none";
  std::string work;
  for (const cupti::Microkernel& kernel : cupti::microkernels())
    work +=
        fmt::format("{} {} {} {} {} {} {};", kernel.name, kernel.quantity, kernel.pattern,
                    kernel.work, kernel.block_threads, kernel.blocks_per_sm, kernel.shared_bytes);
  return fingerprint(std::string(cupti::kernel_image_bytes()) + work);
}

/// What is kept, if it is of these devices under this driver.
std::optional<std::vector<Gpu>> kept(const fs::path& folder, const std::string& identity) {
  if (identity.empty()) return std::nullopt;
  const std::string text = read_file(file_in(folder)).value_or("");
  if (text.empty()) return std::nullopt;
  auto machine = machine_from_json(text, file_in(folder).string());
  if (!machine || machine->identity[gpus_key] != identity || machine->gpus.empty())
    return std::nullopt;
  return std::move(machine->gpus);
}

/// Whole or not at all. That it could not be kept costs a measurement the next time, no more.
void keep(const fs::path& folder, const std::string& identity, const std::vector<Gpu>& gpus) {
  if (identity.empty() || gpus.empty()) return;
  Machine machine;
  machine.identity[gpus_key] = identity;
  machine.gpus = gpus;
  std::error_code fault;
  fs::create_directories(folder, fault);
  const fs::path beside = file_in(folder).string() + "." + std::to_string(getpid());
  std::ofstream stream(beside, std::ios::binary);
  stream << to_json(machine);
  stream.close();
  if (stream)
    fs::rename(beside, file_in(folder), fault);
  else
    fault = std::make_error_code(std::errc::io_error);
  if (fault) fs::remove(beside, fault);
}

}  // namespace

std::string gpu_identity(const fs::path& proc) {
  std::string identity = first_line(read_file(proc / "version").value_or(""));
  if (identity.empty()) return {};
  std::vector<std::string> uuids;
  std::error_code fault;
  for (fs::directory_iterator entry(proc / "gpus", fault), end; !fault && entry != end;
       entry.increment(fault))
    if (const std::string uuid = uuid_in(read_file(entry->path() / "information").value_or(""));
        !uuid.empty())
      uuids.push_back(uuid);
  std::sort(uuids.begin(), uuids.end());
  for (const std::string& uuid : uuids) identity += " " + uuid;
  // Which of them a process may use.
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES"))
    identity += std::string(" visible ") + visible;
  return identity;
}

std::string gpu_ceilings_identity(const fs::path& proc) {
  std::string identity = gpu_identity(proc);
  if (identity.empty()) return {};
  identity += " kernels " + fingerprint_of_kernels();
  identity +=
      " table " +
      fingerprint(read_file(InstallPaths::find().share / "cupti" / "chips.json").value_or(""));
  return identity;
}

void add_kept_gpus(Machine& machine, const fs::path& folder, const fs::path& proc) {
  if (auto gpus = kept(folder, gpu_ceilings_identity(proc))) machine.gpus = std::move(*gpus);
}

void add_gpus(Machine& machine, const MeasureOptions& options,
              const std::optional<fs::path>& folder, const MeasureProgress& progress,
              const fs::path& proc) {
  machine.gpus.clear();
  if (!cupti::has_driver_module()) return;
  const std::string identity = gpu_ceilings_identity(proc);
  if (folder && !options.refresh)
    if (auto gpus = kept(*folder, identity)) {
      machine.gpus = std::move(*gpus);
      return;
    }
  // Of several processes one measures, and the others take what it has found.
  CalibrationLock lock("roofmark-gpu-calibration");
  const bool alone = lock.acquire(gpu_patience_s, options.interrupted);
  if (folder && !options.refresh)
    if (auto gpus = kept(*folder, identity)) {
      machine.gpus = std::move(*gpus);
      return;
    }
  if (!alone) machine.notes.emplace_back("Another process was still measuring the GPUs.");
  const auto chips = cupti::load_chip_table(InstallPaths::find().share / "cupti");
  if (!chips) {
    machine.notes.push_back("GPUs were not measured: " + to_line(chips.error()) + ".");
    return;
  }
  cupti::MeasureWindows windows;
  if (options.quick) windows = {0.002, 0.02, 20};
  const auto tell = [&](std::string_view what) {
    if (progress) progress(1, "GPU: " + std::string(what));
  };
  auto measured = cupti::measure_gpus(*chips, windows, tell, options.interrupted);
  if (!measured) {
    machine.notes.push_back("GPUs were not measured: " + to_line(measured.error()) + ".");
    return;
  }
  machine.gpus = std::move(measured->gpus);
  if (folder && !options.quick && measured->whole) keep(*folder, identity, machine.gpus);
}

}  // namespace roofmark
