// Functions whose calls are regions though nothing was put into the program: their entry is an
// address, and their exit is the return that takes their return address off the stack.
#pragma once

#include "emit.hpp"
#include "threads.hpp"

namespace roofmark::emulator::entries {

/// Reads the list of functions, if one was given. Null: done; otherwise what is wrong with it.
const HChar* start();
bool wanted();
/// Which function is entered at this instruction; below 0: none.
Int at(Addr address);
/// Emits what opens the region. The stack pointer is that of the instruction before it.
void emit_entry(Emitter& out, Int function, Int offset_of_stack_pointer);
/// Emits, behind a return, what closes the regions of calls that are over.
void emit_return(Emitter& out, Int offset_of_stack_pointer);
/// Another thread runs.
void thread_runs(const Thread& thread);

}  // namespace roofmark::emulator::entries
