// Sites of regions that are named after code.
#pragma once

#include <roofmark/roofmark.h>

namespace roofmark::readers {

/// The site of the function at that address, or of the place in one, made when it is first asked
/// for. Null: there is no memory for it, or there are too many.
roofmark_site* site_of(const void* address);

}  // namespace roofmark::readers
