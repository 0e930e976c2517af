#include "profile_file.hpp"

#include <roofmark/roofline.hpp>

#include "analysis/profile/profile_json.hpp"
#include "analysis/report/output.hpp"

namespace roofmark::cli {

Result<Profile> load_profile(const std::string& file) {
  auto text = read_input(file);
  if (!text) return tl::unexpected(text.error());
  auto profile = profile_from_json(*text, file == "-" ? "standard input" : file);
  if (!profile) return profile;
  judge_where_open(*profile);
  return profile;
}

}  // namespace roofmark::cli
