// The microkernels for all architectures that they were compiled for, as the driver takes them.
#pragma once

namespace roofmark::cupti {

/// Null where there was no nvcc when Roofmark was built.
const void* kernel_image();

}  // namespace roofmark::cupti
