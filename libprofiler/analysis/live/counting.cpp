#include "counting.hpp"

#include "analysis/files/read_file.hpp"

namespace roofmark::live {
namespace {

/// The plan of the run that is timed.
std::optional<std::string> first_text(const MeasuredPasses& passes) {
  if (!passes.texts.empty()) return passes.texts.front();
  const auto text = pass_text(passes.plan, 0);
  return text ? std::optional(*text) : std::nullopt;
}

}  // namespace

Counting counting_of(const std::optional<std::filesystem::path>& plan,
                     const HardwareOptions& options) {
  if (!plan) return {};
  const auto counted = read_file(*plan);
  if (!counted) return {nullptr, "its plan of what is counted can't be read"};
  // As `record` may have been told.
  for (const bool by_papi : {false, true})
    for (const bool once : {false, true})
      for (const bool multiplex : {false, true}) {
        if (by_papi && multiplex) continue;
        HardwareOptions told = options;
        told.by_papi = by_papi;
        told.once = once;
        told.multiplex = multiplex;
        auto made = plan_hardware(told);
        if (made && first_text(made->passes) == counted)
          return {std::make_shared<MeasuredPasses>(std::move(made->passes)), std::nullopt};
      }
  return {nullptr, "it counts events of which the tables here make no quantity"};
}

}  // namespace roofmark::live
