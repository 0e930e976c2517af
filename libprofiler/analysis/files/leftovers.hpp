// Files and directories that are ours for as long as we live: a lock on each tells the next process
// which of them a killed one has left behind. Locks are the kernel's, so that no process number is
// taken for another one's, in whatever container it runs.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace roofmark {

/// Locks what was just made at `path` and is open as `descriptor`, until that is closed. False:
/// somebody took it for a leftover before it was locked, and removed it; make another one.
bool hold(int descriptor, const std::filesystem::path& path);

/// Removes what lies in `directory` under a name that begins with `prefix` and ends with `suffix`,
/// was made by this user and is held by nobody. Nothing on a network file system, where a lock of
/// another host may not be seen. `found`, where it is given, is called with each before that.
void remove_leftovers(const std::filesystem::path& directory, std::string_view prefix,
                      std::string_view suffix,
                      const std::function<void(const std::filesystem::path&)>& found = {});

/// Removes a directory with all it holds, as far as it can be; needs one descriptor at a time,
/// where there may be few.
void remove_tree(const std::filesystem::path& directory);

/// The name of the network file system that holds `directory`, or an empty string when it is local.
std::string network_file_system(const std::filesystem::path& directory);

}  // namespace roofmark
