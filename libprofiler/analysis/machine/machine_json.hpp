// A machine as a `roofmark-machine/1` document (docs/machine.schema.json) and back.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <roofmark/machine.hpp>
#include <roofmark/result.hpp>
#include <string>
#include <string_view>

namespace roofmark {

std::string to_json(const Machine& machine);
/// `name` is what a Problem calls the text: its file name.
Result<Machine> machine_from_json(std::string_view text, const std::string& name);

/// The same document as a value, for a profile that embeds it.
nlohmann::ordered_json machine_to_value(const Machine& machine);
Result<Machine> machine_from_value(const nlohmann::ordered_json& value, const std::string& name);

}  // namespace roofmark
