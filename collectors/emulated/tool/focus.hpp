// A pass whose time does not reach for the whole program serves the paths that the native run spent
// most of its time in. Until the first region on the way to one of them is entered nothing is
// instrumented, so that the program gets there soon; from then on everything is counted, and the
// caches, which cost most, are simulated for those paths alone.
#pragma once

#include "paths.hpp"

namespace roofmark::emulator::focus {

/// Reads --hot, if it was given. Null: done; otherwise what is wrong with the file.
const HChar* start();
/// Whether only some paths are served.
bool wanted();
/// Whether what runs now is counted.
bool counting();
/// A region is about to be entered. True: counting begins with it.
bool begins_with(const Node* node);
/// Whether the caches see what runs in this region.
bool simulated(const Node* node);

}  // namespace roofmark::emulator::focus
