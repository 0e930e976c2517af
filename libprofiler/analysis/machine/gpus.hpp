// GPUs of the machine, with their ceilings: kept by driver and device, measured where they are not.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "measure.hpp"

namespace roofmark {

/// Where NVIDIA's kernel module describes itself.
inline constexpr const char* nvidia_proc = "/proc/driver/nvidia";

/// What the kernel says of NVIDIA's driver and its devices, without initialising either: which kept
/// ceilings are those of this machine. Empty where there is no such driver.
std::string gpu_identity(const std::filesystem::path& proc = nvidia_proc);

/// Whose kept ceilings are taken: of these devices under this driver, and of a Roofmark with these
/// microkernels and this table of chips. Empty as above.
std::string gpu_ceilings_identity(const std::filesystem::path& proc = nvidia_proc);

/// Adds the GPUs to the machine, kept or measured; nothing where there is no driver. What went
/// wrong is a note. `folder`: where they are kept; nothing: nowhere. A result in which something
/// failed that may do better another time is not kept.
void add_gpus(Machine& machine, const MeasureOptions& options,
              const std::optional<std::filesystem::path>& folder,
              const MeasureProgress& progress = {},
              const std::filesystem::path& proc = nvidia_proc);

/// The kept ones alone.
void add_kept_gpus(Machine& machine, const std::filesystem::path& folder,
                   const std::filesystem::path& proc = nvidia_proc);

}  // namespace roofmark
