#include "level_option.hpp"

#include <roofmark/report.hpp>

#include "analysis/text/parsing.hpp"

namespace roofmark::cli {

Result<std::string> level_of(const Profile& profile, const std::string& file,
                             const std::string& wanted) {
  std::string known;
  for (const std::string& level : levels_of(profile)) {
    if (text::lowered(level) == text::lowered(wanted)) return level;
    known += (known.empty() ? "" : ", ") + level;
  }
  return tl::unexpected(Problem{
      wanted.empty() ? "`--level` names no interface" : "no bytes were counted at `" + wanted + "`",
      file,
      known.empty() ? "it has bytes at no interface: leave `--level` out"
                    : "choose one of " + known});
}

}  // namespace roofmark::cli
