// While it lives, the signals that would end or stop this process arrive at a descriptor instead,
// so that they can be passed on to the target.
#pragma once

#include <sys/signalfd.h>

#include <analysis/files/descriptor.hpp>
#include <csignal>
#include <optional>

namespace roofmark {

class SignalGate {
 public:
  SignalGate();
  ~SignalGate();
  SignalGate(const SignalGate&) = delete;
  SignalGate& operator=(const SignalGate&) = delete;

  /// Becomes readable when a signal has arrived; -1 where the kernel gave none.
  int descriptor() const { return fd_.get(); }
  /// The next signal, or nothing.
  std::optional<signalfd_siginfo> next() const;
  /// The mask that this process was started with, and that its children must get back.
  const sigset_t& original_mask() const { return original_; }

 private:
  sigset_t original_{};
  Descriptor fd_;
};

/// Whether a signal that reached the recorder still has to be sent to the target. What the terminal
/// sends reaches the whole foreground group, so the target has it already.
bool must_forward(const signalfd_siginfo& signal, int target_pid);

}  // namespace roofmark
