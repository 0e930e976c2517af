// Programs that handle faults of memory and go on: write barriers, paging of their own, collectors
// of garbage. A handler sees registers, and what a fault interrupts is executed once more.
#pragma once

#include "valgrind.hpp"

namespace roofmark::emulator::faults {

/// After a system call of the program: it may have set a handler.
void after_syscall(UInt number, const UWord* arguments, bool succeeded);
/// Before a signal is handled by the program.
void signal_comes(Int signal_number);

/// Before the program runs on: what was translated without knowing of it goes.
void before_client_code();

/// The program handles SIGSEGV or SIGBUS: from here on all registers have to be kept where it may
/// fault, at a cost that others need not have.
bool handled();
/// One has come: from here on each instruction is counted by itself, once it is done. The first one
/// costs the counts of what its block had executed before it.
bool seen();

}  // namespace roofmark::emulator::faults
