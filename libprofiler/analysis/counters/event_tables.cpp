#include "event_tables.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <system_error>

namespace roofmark {
namespace {

namespace fs = std::filesystem;

constexpr const char* common_name = "common.json";
/// A table is a few kilobytes; what is larger by far is something else.
constexpr std::uintmax_t most_bytes = 16U << 20U;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

Problem unreadable(const fs::path& file, const std::string& reason) {
  return {reason, file.string(), "make the file readable, or remove it"};
}

Result<std::string> table_text(const fs::path& file) {
  std::error_code fault;
  if (!fs::is_regular_file(file, fault))
    return tl::unexpected(unreadable(file, "this event table is not a readable file"));
  const std::uintmax_t size = fs::file_size(file, fault);
  if (fault || size > most_bytes)
    return tl::unexpected(unreadable(file, "this event table is larger than 16 MiB"));
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  if (size > 0) text << stream.rdbuf();
  if (!stream || !text) return tl::unexpected(unreadable(file, "this event table can't be read"));
  return text.str();
}

/// The tables of one folder, in the order of their names.
std::vector<fs::path> files_of(const fs::path& folder, std::vector<Problem>& problems) {
  std::vector<fs::path> files;
  std::error_code fault;
  for (fs::directory_iterator entry(folder, fault), end; !fault && entry != end;
       entry.increment(fault))
    if (entry->path().extension() == ".json") files.push_back(entry->path());
  if (fault && fault != std::errc::no_such_file_or_directory)
    problems.push_back(unreadable(folder, "this folder of event tables can't be read"));
  std::sort(files.begin(), files.end());
  return files;
}

/// The earlier folder's sentence stays.
void merge(CommonEntries& common, const CommonEntries& later) {
  common.caveats.insert(later.caveats.begin(), later.caveats.end());
  common.not_countable.insert(common.not_countable.end(), later.not_countable.begin(),
                              later.not_countable.end());
}

}  // namespace

std::vector<fs::path> event_table_folders(const fs::path& installed) {
  std::vector<fs::path> folders;
  if (const std::string given = environment("ROOFMARK_EVENTS"); !given.empty())
    folders.emplace_back(given);
  // The XDG specification: a relative path is to be ignored, HOME's as well.
  if (const std::string xdg = environment("XDG_CONFIG_HOME"); !xdg.empty() && xdg.front() == '/')
    folders.push_back(fs::path(xdg) / "roofmark" / "events");
  else if (const std::string home = environment("HOME"); !home.empty() && home.front() == '/')
    folders.push_back(fs::path(home) / ".config" / "roofmark" / "events");
  folders.push_back(installed);
  return folders;
}

EventTables load_event_tables(const std::vector<fs::path>& folders) {
  EventTables all;
  std::vector<fs::path> files;
  CommonEntries common;
  for (const fs::path& folder : folders)
    for (const fs::path& file : files_of(folder, all.problems)) {
      if (file.filename() != common_name) {
        files.push_back(file);
        continue;
      }
      const auto text = table_text(file);
      const auto entries =
          text ? common_entries_from_json(*text, file.string()) : tl::unexpected(text.error());
      if (entries)
        merge(common, *entries);
      else
        all.problems.push_back(entries.error());
    }
  std::set<std::string> names;
  for (const fs::path& file : files) {
    const auto text = table_text(file);
    auto table =
        text ? event_table_from_json(*text, file.string(), common) : tl::unexpected(text.error());
    if (!table)
      all.problems.push_back(table.error());
    else if (names.insert(table->name).second)
      all.tables.push_back(std::move(*table));
  }
  return all;
}

}  // namespace roofmark
