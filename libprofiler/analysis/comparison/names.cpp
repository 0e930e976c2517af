#include "names.hpp"

#include <set>

#include "analysis/text/plain_text.hpp"

namespace roofmark::comparison {

std::optional<Problem> collision_of_names(const std::vector<Profile>& before,
                                          const std::map<std::string, std::string>& renamed) {
  std::set<std::string> paths, taken;
  for (const Profile& run : before)
    for (const Region& region : run.regions) paths.insert(text::path_text(region.path));
  for (const auto& [old_name, new_name] : renamed) {
    const std::string option = "--map '" + text::printable(old_name + "=" + new_name) + "'";
    if (!taken.insert(new_name).second)
      return Problem{"another --map gives this name too", option,
                     "each region needs one of its own"};
    // Where that one is renamed as well its name is free.
    if (old_name != new_name && paths.contains(old_name) && paths.contains(new_name) &&
        !renamed.contains(new_name))
      return Problem{"the runs before have a region `" + text::printable(new_name) + "` already",
                     option,
                     "rename that one as well (--map '" + text::printable(new_name) +
                         "=...'), or leave this out"};
  }
  return std::nullopt;
}

}  // namespace roofmark::comparison
