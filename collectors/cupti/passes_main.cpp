// Writes passes.json: what the installed CUPTI says of each chip and metric of chips.json.
//   roofmark-gpu-passes FOLDER > passes.json
#include <iostream>
#include <map>

#include "analysis/text/plain_text.hpp"
#include "host_api.hpp"
#include "pass_table.hpp"

int main(int argc, char** argv) {
  using namespace roofmark;
  using namespace roofmark::cupti;
  if (argc != 2) return 2;
  const auto chips = load_chip_table(argv[1]);
  if (!chips) return std::cerr << to_line(chips.error()) << '\n', 2;
  const auto api = HostApi::load();
  if (!api) {
    std::cerr << to_line(api.error()) << '\n';
    return 77;
  }
  std::map<std::string, std::string> refused;
  const auto table =
      make_pass_table(*chips, api->version(),
                      [&](const std::string& chip, const Metrics& metrics) -> std::optional<int> {
                        const auto passes = api->passes(chip, metrics);
                        if (!passes) refused[chip] = passes.error().reason;
                        return passes ? std::optional(*passes) : std::nullopt;
                      });
  for (const auto& [chip, reason] : refused) std::cerr << chip << ": " << reason << '\n';
  std::cout << to_json(table);
  return refused.empty() ? 0 : 1;
}
