// A profile as a `roofmark-profile/1` document (docs/profile.schema.json) and back.
#pragma once

#include <roofmark/profile.hpp>
#include <roofmark/result.hpp>
#include <string>
#include <string_view>

namespace roofmark {

/// Valid JSON whatever the profile holds: no NaN or infinity (such a number is absent), invalid
/// UTF-8 as U+FFFD with the bytes beside it in `name_bytes`, independent of the locale.
std::string to_json(const Profile& profile);

/// `name` is what a Problem calls the text: its file name.
Result<Profile> profile_from_json(std::string_view text, const std::string& name);

}  // namespace roofmark
