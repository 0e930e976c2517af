#include "table_file.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "analysis/json/strict_json.hpp"

namespace roofmark::cupti {

Result<std::string> table_file(const std::filesystem::path& file) {
  std::error_code fault;
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  if (std::filesystem::is_regular_file(file, fault)) text << stream.rdbuf();
  if (fault || !stream || !text || text.str().empty())
    return tl::unexpected(Problem{"this table of GPUs can't be read", file.string(), table_remedy});
  return text.str();
}

Result<nlohmann::ordered_json> table_document(std::string_view text, const std::string& name,
                                              const std::string& schema) {
  auto parsed = parse_strictly(text, name);
  if (!parsed) {
    parsed.error().remedy = table_remedy;
    return parsed;
  }
  if (!parsed->is_object() || !parsed->contains("schema") || (*parsed)["schema"] != schema)
    return tl::unexpected(Problem{"the document is not a `" + schema + "`", name, table_remedy});
  return parsed;
}

}  // namespace roofmark::cupti
