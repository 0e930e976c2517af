// Waits for a program, passing signals on, and looks at it now and then.
#pragma once

#include <sys/resource.h>

#include <analysis/record/launch.hpp>
#include <analysis/record/record.hpp>
#include <analysis/record/signal_gate.hpp>
#include <functional>
#include <optional>

namespace roofmark {

struct Supervision {
  TargetEnd end;
  double wall_s = 0;   ///< from exec to the end of the program
  double ended_s = 0;  ///< on monotonic_s()
  rusage usage{};      ///< of the program and the children it waited for
  int wait_status = 0;
  int asked_to_end = 0;  ///< the last of SIGINT, SIGTERM, SIGHUP, SIGQUIT that arrived, 0: none
};

/// Whether a signal asks a program to end, as one typed at the terminal does.
bool asks_to_end(int signal);

/// Called at each look with the seconds since the start; returns the seconds until the next.
using Look = std::function<double(double elapsed_s)>;

/// Waits until the program ends, and reaps it. Signals that arrive go to it, unless they have
/// reached it already. `look` may be empty.
Supervision supervise(const Launched& program, const SignalGate& gate, const Look& look);

/// What ends a program that nobody waits for in front of the terminal.
struct Bounds {
  std::optional<double> deadline_s;  ///< it may take so long
  /// Asked at each look: it gets nowhere and is to be given up. May be empty.
  std::function<bool(double elapsed_s)> is_stuck;
  /// Called when it has ended, before its process group is killed: what it left behind can still
  /// say what it has. May be empty.
  std::function<void()> ended;
};

/// As supervise, for such a program: its process group is ended at one of its bounds or when a
/// signal asks for it, and it is said which.
struct Bounded {
  Supervision supervision;
  bool out_of_time = false;
  bool stuck = false;
};
Bounded supervise_bounded(const Launched& program, const SignalGate& gate, const Bounds& bounds,
                          const Look& look);

/// Why a run for `what` was ended before its end, if it was.
std::optional<Problem> early_end(const Bounded& bounded, std::optional<double> deadline_s,
                                 const std::string& what);

}  // namespace roofmark
