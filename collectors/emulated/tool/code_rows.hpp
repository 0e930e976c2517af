// Code that gets rows of its own where no region is open: the functions that a native run was
// sampled in. What they execute is known by the segments' addresses; what they move through the
// caches, by a note at every place where execution goes from one to another.
#pragma once

#include "emit.hpp"
#include "paths.hpp"
#include "segments.hpp"

namespace roofmark::emulator::code_rows {

/// Reads the list of ranges, if one was given. Null: done; otherwise what is wrong with it.
const HChar* start();
bool wanted();
/// The row that an instruction's work goes to; null: that of the region.
Node* node_at(Addr address);
/// A segment lies in the code of `node`.
void note(SegmentId id, Node* node);
/// Emits what makes the caches charge `node`, unless that is so already.
void emit_arrival(Emitter& out, Node* node);
/// Another thread runs, or another region is open: nobody knows in whose code.
void forget_place();
/// Moves what was counted so far to the rows that it belongs to.
void settle();

}  // namespace roofmark::emulator::code_rows
