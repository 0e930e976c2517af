#include "machine_store.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "analysis/files/write_file.hpp"
#include "doubt.hpp"
#include "kernel.hpp"
#include "machine_json.hpp"
#include "stopwatch.hpp"

namespace roofmark {
namespace {

namespace fs = std::filesystem;

constexpr const char* kernels_key = "kernels";

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

Problem cannot_write(const fs::path& file, const std::string& reason) {
  return {"the measured ceilings can't be kept: " + reason, file.string(),
          "set XDG_CACHE_HOME to a writable directory, or measure again each time"};
}

Probes probes_in(const nlohmann::ordered_json& value) {
  Probes probes;
  if (!value.is_object() || !value.contains("probes") || !value["probes"].is_object())
    return probes;
  for (const auto& [name, number] : value["probes"].items())
    if (number.is_number()) probes[name] = number.get<double>();
  return probes;
}

unsigned measurements_in(const nlohmann::ordered_json& value) {
  if (!value.contains("measurements") || !value["measurements"].is_number_unsigned()) return 1;
  const auto times = value["measurements"].get<std::uint64_t>();
  return static_cast<unsigned>(std::min<std::uint64_t>(times, most_measurements));
}

/// By a version with other kernels, which may lack a ceiling that the model would use.
bool made_by_others(const nlohmann::ordered_json& value) {
  return !value.contains(kernels_key) || value[kernels_key] != all_kernels().size();
}

}  // namespace

std::optional<fs::path> store_folder(const MeasureOptions& options) {
  if (options.cache_dir) return fs::path(*options.cache_dir);
  // The XDG specification: a relative path is to be ignored. So is such a HOME: it would be another
  // folder in every working directory.
  if (const auto xdg = environment("XDG_CACHE_HOME"); xdg && xdg->front() == '/')
    return fs::path(*xdg) / "roofmark";
  if (const auto home = environment("HOME"); home && home->front() == '/')
    return fs::path(*home) / ".cache" / "roofmark";
  return std::nullopt;
}

fs::path store_file(const fs::path& folder, const Identity& identity) {
  return folder / ("machine-" + identity_key(identity) + ".json");
}

Result<std::optional<StoredMachine>> load_stored(const fs::path& file, const Identity& identity) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return std::optional<StoredMachine>();
  std::ostringstream text;
  text << stream.rdbuf();
  const auto value = nlohmann::ordered_json::parse(text.str(), nullptr, false);
  const Problem unusable{"the kept ceilings can't be read", file.string(),
                         "they are measured again"};
  if (value.is_discarded()) return tl::unexpected(unusable);
  Result<Machine> machine = machine_from_value(value, file.string());
  if (!machine)
    return tl::unexpected(
        Problem{machine.error().reason, file.string(), "the ceilings are measured again"});
  if (machine->identity != identity || machine->compute.empty()) return tl::unexpected(unusable);
  if (made_by_others(value)) return std::optional<StoredMachine>();
  return StoredMachine{std::move(*machine), probes_in(value), measurements_in(value)};
}

Result<void> save_stored(const fs::path& file, const StoredMachine& stored) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (error) return tl::unexpected(cannot_write(file, error.message()));
  nlohmann::ordered_json value = machine_to_value(stored.machine);
  value["probes"] = stored.probes;
  value["measurements"] = stored.measurements;
  value[kernels_key] = all_kernels().size();
  const std::string text =
      value.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  if (const auto problem = write_file(file, text))
    return tl::unexpected(cannot_write(file, problem->reason));
  return {};
}

CalibrationLock::CalibrationLock(const std::string& name) : name_(name) {}

CalibrationLock::~CalibrationLock() {
  if (socket_ >= 0) close(socket_);
}

bool CalibrationLock::acquire(double patience_s, const std::function<bool()>& interrupted) {
  socket_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket_ < 0) return true;  // no sockets here: nobody to coordinate with
  // An address in the abstract name space: a leading NUL and no file.
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t length = std::min(name_.size(), sizeof address.sun_path - 1);
  std::memcpy(address.sun_path + 1, name_.data(), length);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  const double start = monotonic_s();
  while (bind(socket_, reinterpret_cast<const sockaddr*>(&address), size) != 0) {
    if (errno != EADDRINUSE) return true;
    if (monotonic_s() - start > patience_s || (interrupted && interrupted())) return false;
    usleep(50'000);
  }
  return true;
}

}  // namespace roofmark
