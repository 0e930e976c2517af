// The microkernels for all architectures that they were compiled for, as the driver takes them.
#pragma once

#include <string_view>

namespace roofmark::cupti {

/// Null where there was no nvcc when Roofmark was built.
const void* kernel_image();
/// The same, for whoever has to know whether it is another one; empty where it is null.
std::string_view kernel_image_bytes();

}  // namespace roofmark::cupti
