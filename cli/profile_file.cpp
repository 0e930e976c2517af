#include "profile_file.hpp"

#include <unistd.h>

#include <analysis/machine/measure.hpp>
#include <analysis/record/recording_directory.hpp>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <roofmark/roofline.hpp>

#include "analysis/profile/profile_json.hpp"
#include "analysis/report/output.hpp"
#include "progress_line.hpp"

namespace roofmark::cli {
namespace {

std::string this_host() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

Result<Profile> load_directory(const std::string& directory, const std::string& machine_file) {
  auto recording = read_recording_directory(directory);
  if (!recording) return tl::unexpected(recording.error());
  Profile& profile = recording->profile;
  MeasureOptions options;
  if (!machine_file.empty()) options.file = machine_file;
  const bool given = options.file || std::getenv("ROOFMARK_MACHINE_FILE") != nullptr;
  const std::string here = this_host();
  if (given || recording->hosts == std::set<std::string>{here}) {
    auto machine = load_or_measure(options, measuring_progress());
    if (has_progress_line()) show_progress("");
    if (!machine && given) return tl::unexpected(machine.error());
    if (machine)
      profile.machine = std::move(*machine);
    else
      profile.notes.push_back("This machine's ceilings are not known: " + to_line(machine.error()) +
                              ".");
  } else {
    std::string hosts;
    for (const std::string& host : recording->hosts) hosts += (hosts.empty() ? "" : ", ") + host;
    profile.notes.push_back("No roof: it was recorded on " + hosts + ", and this is " + here +
                            ". `roofmark machine --format json -o FILE` there, and --machine FILE "
                            "here, give it one.");
  }
  judge(profile);
  return std::move(profile);
}

}  // namespace

Result<Profile> load_profile(const std::string& file, const std::string& machine_file) {
  std::error_code unknown;
  if (file != "-" && std::filesystem::is_directory(file, unknown))
    return load_directory(file, machine_file);
  auto text = read_input(file);
  if (!text) return tl::unexpected(text.error());
  auto profile = profile_from_json(*text, file == "-" ? "standard input" : file);
  if (!profile) return profile;
  judge_where_open(*profile);
  return profile;
}

}  // namespace roofmark::cli
