// The GPU whose kernels a table of Nsight Compute holds: its ceilings, of the table or given.
#pragma once

#include <roofmark/machine.hpp>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

#include "collectors/cupti/chip_table.hpp"
#include "nsight_table.hpp"

namespace roofmark::import {

/// What the chip could do at the clocks in the table: by quantity the median over its launches.
/// What of it the table has but can't be read is told in its notes.
Gpu gpu_of_table(const std::vector<Launch>& launches, const cupti::Chip& chip,
                 const std::string& file);

/// The GPU of a machine that is like the launch's: the first of its compute capability, and of its
/// name where the table has that.
Result<Gpu> gpu_of_machine(const Machine& machine, const Launch& launch);

}  // namespace roofmark::import
