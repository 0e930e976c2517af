#include <analysis/record/signal_gate.hpp>

namespace roofmark {

SignalGate::SignalGate() {
  sigset_t caught;
  sigfillset(&caught);
  // A fault of our own must end us, and these can't be read from a descriptor in a useful way.
  for (const int own :
       {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF, SIGVTALRM})
    sigdelset(&caught, own);
  pthread_sigmask(SIG_BLOCK, &caught, &original_);
  fd_ = Descriptor(signalfd(-1, &caught, SFD_CLOEXEC | SFD_NONBLOCK));
}

SignalGate::~SignalGate() {
  // What is still pending was meant for the target or for a pass that is over.
  while (next()) {
  }
  pthread_sigmask(SIG_SETMASK, &original_, nullptr);
}

std::optional<signalfd_siginfo> SignalGate::next() const {
  signalfd_siginfo signal{};
  if (read(fd_.get(), &signal, sizeof signal) != ssize_t{sizeof signal}) return std::nullopt;
  return signal;
}

bool must_forward(const signalfd_siginfo& signal, int target_pid) {
  switch (signal.ssi_signo) {
    case SIGCHLD:
    case SIGPIPE:
    case SIGTTIN:
    case SIGTTOU:
    // Limits that we have met ourselves; the program meets its own.
    case SIGXFSZ:
    case SIGXCPU:
      return false;
    default:
      break;
  }
  const bool from_kernel = signal.ssi_code > 0;
  const bool from_target = signal.ssi_pid == static_cast<unsigned>(target_pid);
  return !from_kernel && !from_target;
}

}  // namespace roofmark
