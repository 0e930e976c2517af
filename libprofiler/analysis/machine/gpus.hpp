// GPUs of the machine, with their ceilings: kept by driver and device, measured where they are not.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "measure.hpp"

namespace roofmark {

/// What the kernel says of NVIDIA's driver and its devices, without initialising either: which kept
/// ceilings are those of this machine. Empty where there is no such driver.
std::string gpu_identity(const std::filesystem::path& proc = "/proc/driver/nvidia");

/// Adds the GPUs to the machine, kept or measured; nothing where there is no driver. What went
/// wrong is a note. `folder`: where they are kept; nothing: nowhere.
void add_gpus(Machine& machine, const MeasureOptions& options,
              const std::optional<std::filesystem::path>& folder,
              const MeasureProgress& progress = {});

/// The kept ones alone.
void add_kept_gpus(Machine& machine, const std::filesystem::path& folder);

}  // namespace roofmark
