// Whether a program may use a GPU: signs in its file, and the driver's library on this machine.
#pragma once

#include <filesystem>

namespace roofmark {

/// Whether the loader finds CUDA's driver library here: $ROOFMARK_CUDA_LIBRARY, else libcuda.so.1.
bool has_cuda_driver();

/// Whether the file is linked with CUDA's libraries, those of its libraries included, or holds code
/// for GPUs. One that loads them later, as Python does, shows no sign.
bool has_cuda_signs(const std::filesystem::path& program);

/// Whether the driver's library is mapped in the process now.
bool has_loaded_cuda(int pid);

}  // namespace roofmark
