// Writes `roofmark-counts/1` (../README.md).
#pragma once

#include "valgrind.hpp"

namespace roofmark::emulator {

enum class End { exit, exec, snapshot };

/// Chooses this image's file: the first sequence number that no other image of this pid has taken.
/// Called at the start and in a forked child.
void reserve_output();
/// Remembers the region that was open when this process was forked.
void remember_context();
/// Writes everything counted so far. The file is replaced as a whole: a reader sees either state.
void write_output(End end);
/// Writes a snapshot if the last one is long enough ago.
void write_snapshot_if_due();

}  // namespace roofmark::emulator
