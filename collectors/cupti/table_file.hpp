// The collector's data files, read whole.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <roofmark/result.hpp>
#include <string>
#include <string_view>

namespace roofmark::cupti {

Result<std::string> table_file(const std::filesystem::path& file);

/// The document, or why it is none of this schema.
Result<nlohmann::ordered_json> table_document(std::string_view text, const std::string& name,
                                              const std::string& schema);

/// What to do about a table that can't be used.
inline constexpr const char* table_remedy =
    "see docs/gpu-metrics.md for what the tables of GPUs hold, or install Roofmark again";

}  // namespace roofmark::cupti
