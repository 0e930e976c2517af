// A GPU as a program's run saw it, with the ceilings that need no measurement.
#pragma once

#include <collectors/cupti/chip_table.hpp>
#include <collectors/cupti/results.hpp>
#include <map>
#include <roofmark/machine.hpp>
#include <string>

namespace roofmark {

/// `chip`: null where no table knows it. `values`: of its own metrics, as a run counted them.
Gpu gpu_of_device(const cupti::GpuDevice& device, const cupti::Chip* chip,
                  const std::map<std::string, double>& values);

}  // namespace roofmark
