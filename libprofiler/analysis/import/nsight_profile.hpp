// Kernels that Nsight Compute counted, as a profile under their GPU's own roof.
#pragma once

#include <optional>
#include <roofmark/profile.hpp>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

#include "nsight_table.hpp"

namespace roofmark::import {

struct NsightOptions {
  std::optional<std::string> device =
      {};  ///< of several in the table; nothing: there has to be one
  /// Whose GPU gives the ceilings: the first of the table's compute capability, and of its name
  /// where the table has it. Nothing: the table's own peaks.
  std::optional<Machine> machine = {};
};

/// A region for each kernel, its launches summed. What the table lacks is missing, with what to ask
/// ncu for. Ceilings are those of the chip at the clocks that the table has, or of a machine that
/// is given.
Result<Profile> profile_of(const std::vector<Launch>& launches, const std::string& name,
                           const NsightOptions& options = {});

}  // namespace roofmark::import
