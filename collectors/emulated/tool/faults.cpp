#include "faults.hpp"

// Of Valgrind's core: what its tools may call instead asks for a time that comes in translated code
// alone.
extern "C" void vgPlain_discard_translations(Addr start, ULong length, const HChar* who);

namespace roofmark::emulator::faults {
namespace {

constinit bool is_handled = false;
constinit bool is_seen = false;
constinit bool is_outdated = false;

bool is_fault(Int signal_number) {
  return signal_number == VKI_SIGSEGV || signal_number == VKI_SIGBUS;
}

void begin(bool& state) {
  is_outdated = is_outdated || !state;
  state = true;
}

}  // namespace

void after_syscall(UInt number, const UWord* arguments, bool succeeded) {
  if (number != __NR_rt_sigaction || !succeeded || !is_fault(static_cast<Int>(arguments[0])))
    return;
  // The handler is the first field of the kernel's structure; it has been read by the kernel.
  const auto* action = reinterpret_cast<const UWord*>(arguments[1]);
  constexpr UWord by_default = 0, ignored = 1;
  if (action != nullptr && *action != by_default && *action != ignored) begin(is_handled);
}

void signal_comes(Int signal_number) {
  if (is_fault(signal_number)) begin(is_seen);
}

void before_client_code() {
  if (is_outdated) vgPlain_discard_translations(0x1000, ~static_cast<ULong>(0xFFF), "roofmark");
  is_outdated = false;
}

bool handled() {
  return is_handled;
}

bool seen() {
  return is_seen;
}

}  // namespace roofmark::emulator::faults
