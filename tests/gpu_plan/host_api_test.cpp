// Every metric of every chip against the host half of the CUPTI that is installed. It needs no GPU.
// Exit 77: CUPTI is not installed, or this build cannot load it.
#include <iostream>

#include "collectors/cupti/host_api.hpp"
#include "collectors/cupti/pass_table.hpp"

using namespace roofmark;
using namespace roofmark::cupti;

int main() {
#ifdef __SANITIZE_ADDRESS__
  // CUPTI opens a library of its own with RTLD_DEEPBIND, at which AddressSanitizer ends the
  // program.
  std::cout << "skipped: CUPTI's libraries do not load beside AddressSanitizer\n";
  return 77;
#endif
  const auto chips = load_chip_table(ROOFMARK_CHIP_TABLES);
  const auto committed = load_pass_table(ROOFMARK_CHIP_TABLES);
  if (!chips || !committed) {
    std::cerr << to_line(chips ? committed.error() : chips.error()) << '\n';
    return 1;
  }
  const auto api = HostApi::load();
  if (!api) {
    std::cout << "skipped: " << to_line(api.error()) << '\n';
    return 77;
  }
  // A name that is none must be seen, or all that follows says nothing.
  int failures = api->has_metric("GH100", "dram__bites.sum") ? 1 : 0;
  failures += api->passes("GH100", {"dram__bites.sum"}) ? 1 : 0;
  failures += api->has_metric("gh100", "dram__bytes.sum") ? 1 : 0;
  const PassTable fresh =
      make_pass_table(*chips, api->version(),
                      [&](const std::string& chip, const Metrics& metrics) -> std::optional<int> {
                        const auto passes = api->passes(chip, metrics);
                        if (!passes) {
                          std::cout << "FAILED: " << to_line(passes.error()) << '\n';
                          ++failures;
                        }
                        return passes ? std::optional(*passes) : std::nullopt;
                      });
  // Another version may pack otherwise; the names have to be there all the same.
  if (fresh.made_by == committed->made_by && to_json(fresh) != to_json(*committed)) {
    std::cout << "FAILED: passes.json is not what roofmark-gpu-passes writes\n";
    ++failures;
  }
  std::cout << chips->chips.size() << " chips, " << api->version() << ", " << failures
            << " failures\n";
  return failures == 0 ? 0 : 1;
}
