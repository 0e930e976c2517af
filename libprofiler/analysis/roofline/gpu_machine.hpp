// A GPU as the model takes a machine: its whole device is the one core.
#pragma once

#include <roofmark/machine.hpp>
#include <roofmark/profile.hpp>
#include <roofmark/roofline.hpp>
#include <string>
#include <string_view>

namespace roofmark {

/// "GPU-..." of "gpu:GPU-..."; empty where the locus is no GPU.
std::string_view device_of_locus(std::string_view locus);
std::string locus_of_device(const std::string& uuid);

/// Nothing where the machine does not know the device.
const Gpu* gpu_of(const Machine& machine, std::string_view uuid);

/// Vector units are its compute ceilings, memory, L2, L1 and shared memory its bandwidths. It keeps
/// the GPU itself, whose ceilings of matrix units have no other place.
Machine machine_of(const Gpu& gpu);

/// Whether a machine is one that machine_of() made.
bool is_gpu(const Machine& machine);

/// Whether a profile is of kernels and of nothing of a host, as what ncu counted is.
bool kernels_alone(const Profile& profile);

/// A machine that is one GPU with its ceilings as the model takes them; others as they are.
Machine with_ceilings(const Machine& machine);

/// What a region of the host could do on it at most: its peaks, and its memory under the name of
/// the host's. Its caches are other ones, for other code, and bound nothing here.
Machine memory_roof_of(const Gpu& gpu, const std::string& memory);

/// Operations/s of the matrix units for one type of operands, at a clock where that is known.
std::optional<Ceiling> tensor_ceiling(const Machine& machine, const std::string& type,
                                      std::optional<double> clock_hz = {});

}  // namespace roofmark
