// The items of a recording that hold hardware counts; nothing of a damaged one is believed.
#pragma once

#include <optional>

#include "arena_image.hpp"
#include "arena_reader.hpp"

namespace roofmark {

std::optional<RawCounting> read_counting(const ArenaImage& image, const ArenaImage::Item& item);
std::optional<RawEvents> read_events(const ArenaImage& image, const ArenaImage::Item& item,
                                     const RawCounting& counting);

}  // namespace roofmark
