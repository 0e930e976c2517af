// All tables there are: the user's folders first, then the installed one.
#pragma once

#include <filesystem>
#include <roofmark/result.hpp>
#include <vector>

#include "event_table.hpp"

namespace roofmark {

struct EventTables {
  std::vector<EventTable> tables;  ///< in the order in which they are tried
  std::vector<Problem> problems;   ///< one for each file that could not be used
};

/// Where tables are looked for: $ROOFMARK_EVENTS, the user's configuration folder
/// ($XDG_CONFIG_HOME/roofmark/events or ~/.config/roofmark/events), `installed`.
std::vector<std::filesystem::path> event_table_folders(const std::filesystem::path& installed);

/// A table hides those of the same name in later folders; so does an entry of `common.json`. A bad
/// file is a Problem and hides nothing. A folder that is not there is no Problem.
EventTables load_event_tables(const std::vector<std::filesystem::path>& folders);

}  // namespace roofmark
