#include "plan.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "cache/geometry.hpp"

namespace roofmark::emulated {
namespace {

namespace fs = std::filesystem;

constexpr const char* launcher = "roofmark-emulator";
[[maybe_unused]] constexpr const char* emulator = "roofmark-emulator-amd64-linux";
constexpr const char* runtime = "libroofmark-counted.so";
constexpr unsigned sampled_shift = 3;  ///< 1/8 of the sets of L2 and L3

[[maybe_unused]] bool executable(const fs::path& file) {
  return access(file.c_str(), X_OK) == 0;
}

std::string cache_option(const CountedCache& level) {
  return "--" + level.name + "=" + std::to_string(level.bytes) + "," + std::to_string(level.ways);
}

/// Sets are sampled in whole blocks; a cache that is too small for that is simulated in full.
bool can_be_sampled(const CountedCache& level) {
  return level.name == "L1" || level.bytes % cache::block_bytes(level.ways) == 0;
}

void add_cache_options(const Geometry& geometry, Caches caches,
                       std::vector<std::string>& arguments) {
  bool has_l2 = false;
  bool has_l3 = false;
  for (const CountedCache& level : geometry.levels) {
    arguments.push_back(cache_option(level));
    has_l2 = has_l2 || level.name == "L2";
    has_l3 = has_l3 || level.name == "L3";
  }
  if (!has_l2) arguments.emplace_back("--L2=0,0");
  if (!has_l3) arguments.emplace_back("--L3=0,0");
  if (caches == Caches::sampled &&
      std::all_of(geometry.levels.begin(), geometry.levels.end(), can_be_sampled))
    arguments.push_back("--sample-shift=" + std::to_string(sampled_shift));
}

void write_hex(std::ostream& out, const std::string& bytes) {
  for (const char c : bytes)
    out << "0123456789abcdef"[static_cast<unsigned char>(c) >> 4]
        << "0123456789abcdef"[static_cast<unsigned char>(c) & 15];
}

/// As the tool reads it: names in hexadecimal, slashes between them.
void write_path(std::ostream& out, const std::vector<std::string>& path) {
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (i > 0) out << '/';
    write_hex(out, path[i]);
  }
}

/// One a line.
bool write_code_rows(const fs::path& file, const std::vector<CodeRow>& rows) {
  std::ofstream out(file, std::ios::binary);
  for (const CodeRow& row : rows) {
    write_path(out, row.path);
    out << ' ';
    write_hex(out, row.object);
    out << ' ' << std::hex << row.first << ' ' << row.end << std::dec << '\n';
  }
  out.close();
  return static_cast<bool>(out);
}

/// One a line.
bool write_entries(const fs::path& file, const std::vector<EntryPoint>& entries) {
  std::ofstream out(file, std::ios::binary);
  for (const EntryPoint& entry : entries) {
    write_hex(out, entry.name);
    out << ' ';
    write_hex(out, entry.object);
    out << ' ' << std::hex << entry.offset << std::dec << '\n';
  }
  out.close();
  return static_cast<bool>(out);
}

/// One path a line.
bool write_paths(const fs::path& file, const std::vector<std::vector<std::string>>& paths) {
  std::ofstream out(file, std::ios::binary);
  for (const std::vector<std::string>& path : paths) {
    write_path(out, path);
    out << '\n';
  }
  out.close();
  return static_cast<bool>(out);
}

std::string preload(const fs::path& library, const std::vector<fs::path>& packs) {
  std::string text = library.string();
  for (const fs::path& pack : packs) text += ":" + pack.string();
  const char* others = std::getenv("LD_PRELOAD");
  return others == nullptr || *others == '\0' ? text : text + ":" + others;
}

}  // namespace

std::optional<Problem> unavailable(const Install& install) {
#if !defined(__linux__) || !defined(__x86_64__)
  (void)install;
  return Problem{"the emulated collector exists for x86-64 Linux only so far", "emulated",
                 "use hardware counters or declare the work in the source"};
#else
  std::error_code unknown;
  if (!fs::exists(install.libexec, unknown) && !fs::exists(install.lib / runtime, unknown))
    return Problem{"Roofmark's own parts are not where it looks for them", install.libexec.string(),
                   "set ROOFMARK_PREFIX to where it is installed"};
  for (const char* file : {launcher, emulator})
    if (!executable(install.libexec / file))
      return Problem{
          "the emulator was not built: Valgrind's headers were not there",
          (install.libexec / file).string(),
          "apt-get install valgrind (Fedora: valgrind-devel), then build Roofmark again"};
  if (access((install.lib / runtime).c_str(), R_OK) != 0)
    return Problem{"the counted runtime is missing", (install.lib / runtime).string(),
                   "install Roofmark again"};
  return std::nullopt;
#endif
}

std::string output_argument(const fs::path& output) {
  return "--output=" + output.string();
}

Result<CountedCommand> plan(const Install& install, const std::vector<std::string>& target,
                            const fs::path& output, const PassOptions& options) {
  if (auto problem = unavailable(install)) return tl::unexpected(*problem);
  if (target.empty()) return tl::unexpected(Problem{"no program to count", "", ""});
  CountedCommand command;
  command.output = output;
  // What can't be inspected is the emulator's to judge: it is started all the same.
  std::optional<Executable> inspected;
  if (options.executable == nullptr)
    if (const auto program = find_program(target.front()))
      if (auto found = inspect(*program)) inspected = std::move(*found);
  const Executable* const executable = inspected ? &*inspected : options.executable;
  if (executable != nullptr) {
    const Suitability fit = suitability(*executable);
    if (fit.obstacle) return tl::unexpected(*fit.obstacle);
    command.notes = fit.notes;
  }
  auto& arguments = command.arguments;
  arguments = {(install.libexec / launcher).string(), "--tool=roofmark-emulator",
               // Neither ~/.valgrindrc nor ./.valgrindrc may change what is counted.
               "--command-line-only=yes", "-q", "--sigill-diagnostics=yes", "--vgdb=no",
               "--trace-children=yes", "--fair-sched=try", "--max-threads=1024",
               "--log-file=" + (output / "emulator-%p.log").string(), output_argument(output)};
  if (options.caches == Caches::none) {
    arguments.emplace_back("--caches=no");
  } else {
    auto geometry = options.geometry ? Result<Geometry>(*options.geometry) : host_geometry();
    if (!geometry) return tl::unexpected(geometry.error());
    add_cache_options(*geometry, options.caches, arguments);
  }
  if (!options.warm) arguments.emplace_back("--outside-regions=no");
  if (!options.hot_paths.empty()) {
    const fs::path file = output / "hot-paths";
    command.serves_hot_paths = write_paths(file, options.hot_paths);
    if (command.serves_hot_paths)
      arguments.push_back("--hot=" + file.string());
    else
      command.notes.emplace_back(
          "The list of the slowest paths could not be written, so all are counted in the order in "
          "which the program takes them, as far as the time reaches.");
  }
  if (!options.code_rows.empty()) {
    const fs::path file = output / "code-rows";
    command.has_code_rows = write_code_rows(file, options.code_rows);
    if (command.has_code_rows)
      arguments.push_back("--code-rows=" + file.string());
    else
      command.notes.emplace_back(
          "The list of functions could not be written, so the program is counted as a whole.");
  }
  if (!options.entries.empty()) {
    const fs::path file = output / "entries";
    if (write_entries(file, options.entries))
      arguments.push_back("--entries=" + file.string());
    else
      command.notes.emplace_back(
          "The list of functions could not be written, so their calls are no regions in the "
          "counted run.");
  }
  if (!options.per_line) arguments.emplace_back("--places=no");
  arguments.push_back("--snapshot-ms=" +
                      std::to_string(static_cast<unsigned>(options.snapshot_s * 1000)));
  arguments.insert(arguments.end(), target.begin(), target.end());

  command.set_environment.emplace_back("LD_PRELOAD", preload(install.lib / runtime, options.packs));
  // Threads run one at a time here: those that wait by spinning would only add loads.
  if (std::getenv("OMP_WAIT_POLICY") == nullptr)
    command.set_environment.emplace_back("OMP_WAIT_POLICY", "passive");
  command.unset_environment = {"VALGRIND_OPTS", "VALGRIND_LIB", "VALGRIND_LAUNCHER",
                               "ROOFMARK_RECORDING"};
  return command;
}

}  // namespace roofmark::emulated
