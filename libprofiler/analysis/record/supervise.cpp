#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <analysis/record/supervise.hpp>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <exception>
#include <thread>

namespace roofmark {
namespace {

/// How long a counted program may take to write its counts after it was asked to end.
constexpr double grace_s = 10.0;

/// Where no signal descriptor could be made, the end of the child is only seen by asking.
constexpr double longest_wait_s = 1.0;

/// Notes when a program ends, whatever its supervisor is doing at that moment. Does not reap it.
/// Where there is no room for another thread, it ends when that is seen.
class EndWatch {
 public:
  explicit EndWatch(pid_t pid) {
    try {
      thread_ = std::thread([this, pid] {
        siginfo_t info{};
        while (waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) != 0 &&
               errno == EINTR) {
        }
        ended_s_ = monotonic_s();
      });
    } catch (const std::exception&) {  // the program runs: it is waited for all the same
    }
  }
  ~EndWatch() {
    if (thread_.joinable()) thread_.join();
  }
  EndWatch(const EndWatch&) = delete;
  EndWatch& operator=(const EndWatch&) = delete;

  double ended_s() {
    if (thread_.joinable()) thread_.join();
    return ended_s_.value_or(monotonic_s());
  }

 private:
  std::optional<double> ended_s_;
  std::thread thread_;
};

/// Ends a process group when its supervisor gives up, for want of memory: nobody else would.
class EndAtException {
 public:
  explicit EndAtException(pid_t pid) : pid_(pid), exceptions_(std::uncaught_exceptions()) {}
  ~EndAtException() {
    if (std::uncaught_exceptions() == exceptions_) return;
    kill(-pid_, SIGKILL);
    kill(pid_, SIGKILL);  // it may not have its group yet
  }
  EndAtException(const EndAtException&) = delete;
  EndAtException& operator=(const EndAtException&) = delete;

 private:
  pid_t pid_;
  int exceptions_;
};

bool reap(pid_t pid, double started_s, EndWatch& watch, Supervision& result) {
  int status = 0;
  const pid_t got = wait4(pid, &status, WNOHANG, &result.usage);
  if (got == 0 || (got < 0 && errno == EINTR)) return false;
  result.ended_s = std::min(monotonic_s(), watch.ended_s());
  result.wall_s = result.ended_s - started_s;
  result.wait_status = status;
  result.end.started = true;
  if (got < 0)
    result.end.exit_code = 125;  // somebody else reaped it: its status is lost
  else if (WIFSIGNALED(status))
    result.end.signal = WTERMSIG(status);
  else
    result.end.exit_code = WEXITSTATUS(status);
  return true;
}

void wait_for_signal(const SignalGate& gate, double seconds) {
  pollfd entry{gate.descriptor(), POLLIN, 0};
  const double bounded = std::clamp(seconds, 0.0, longest_wait_s);
  timespec timeout{};
  timeout.tv_sec = static_cast<time_t>(bounded);
  timeout.tv_nsec = static_cast<long>((bounded - std::floor(bounded)) * 1e9);
  ppoll(&entry, 1, &timeout, nullptr);
}

/// Stops together with the target: by Ctrl-Z, or when somebody stops only the recorder.
void stop_with(pid_t pid, const signalfd_siginfo& signal) {
  if (must_forward(signal, pid)) kill(pid, SIGTSTP);
  raise(SIGSTOP);
}

}  // namespace

bool asks_to_end(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

Supervision supervise(const Launched& program, const SignalGate& gate, const Look& look) {
  const pid_t pid = program.pid;
  const double started_s = program.started_s;
  EndWatch watch(pid);
  Supervision result;
  double next_look_s = 0;
  for (;;) {
    while (const auto signal = gate.next()) {
      const int number = static_cast<int>(signal->ssi_signo);
      if (asks_to_end(number)) result.asked_to_end = number;
      if (number == SIGTSTP)
        stop_with(pid, *signal);
      else if (must_forward(*signal, pid))
        kill(pid, number);
    }
    if (reap(pid, started_s, watch, result)) return result;
    const double elapsed_s = monotonic_s() - started_s;
    if (look && elapsed_s >= next_look_s) next_look_s = elapsed_s + look(elapsed_s);
    wait_for_signal(gate, look ? next_look_s - elapsed_s : longest_wait_s);
  }
}

Bounded supervise_bounded(const Launched& program, const SignalGate& gate, const Bounds& bounds,
                          const Look& look) {
  const std::optional<double>& deadline_s = bounds.deadline_s;
  const pid_t pid = program.pid;
  const double started_s = program.started_s;
  EndWatch watch(pid);
  const EndAtException guard(pid);  // before the watch, which waits for the end
  Bounded result;
  std::optional<double> kill_at_s;
  double stopped_s = 0;  // by Ctrl-Z: no bound runs on
  double next_look_s = 0;
  const auto ask_to_end = [&](double elapsed_s) {
    kill(pid, SIGTERM);
    kill_at_s = elapsed_s + grace_s;
  };
  for (;;) {
    const double elapsed_s = monotonic_s() - started_s - stopped_s;
    while (const auto signal = gate.next()) {
      const int number = static_cast<int>(signal->ssi_signo);
      if (number == SIGTSTP) {
        kill(-pid, SIGSTOP);
        raise(SIGSTOP);
        kill(-pid, SIGCONT);
        stopped_s += monotonic_s() - started_s - stopped_s - elapsed_s;
      }
      if (!asks_to_end(number)) continue;
      int& asked = result.supervision.asked_to_end;
      if (asked == 0)
        ask_to_end(elapsed_s);
      else
        kill_at_s = 0;  // asked twice: at once
      asked = number;
    }
    if (reap(pid, started_s, watch, result.supervision)) break;
    if (deadline_s && !kill_at_s && elapsed_s >= *deadline_s) {
      result.out_of_time = true;
      ask_to_end(elapsed_s);
    }
    if (bounds.is_stuck && !kill_at_s && bounds.is_stuck(elapsed_s)) {
      result.stuck = true;
      ask_to_end(elapsed_s);
    }
    if (kill_at_s && elapsed_s >= *kill_at_s) kill(-pid, SIGKILL);
    if (look && elapsed_s >= next_look_s) next_look_s = elapsed_s + look(elapsed_s);
    double wait_s = look ? next_look_s - elapsed_s : longest_wait_s;
    if (deadline_s && !kill_at_s) wait_s = std::min(wait_s, *deadline_s - elapsed_s);
    if (kill_at_s) wait_s = std::min(wait_s, std::max(*kill_at_s - elapsed_s, 0.05));
    wait_for_signal(gate, wait_s);
  }
  if (bounds.ended) bounds.ended();
  kill(-pid, SIGKILL);  // what it left behind would go on using the scratch directory
  return result;
}

std::optional<Problem> early_end(const Bounded& bounded, std::optional<double> deadline_s,
                                 const std::string& what) {
  if (bounded.out_of_time)
    return Problem{
        fmt::format("the run for {} was ended after {:.0f} s", what, deadline_s.value_or(0)), "",
        "--budget with more seconds"};
  if (bounded.supervision.asked_to_end != 0)
    return Problem{fmt::format("the run for {} was interrupted ({})", what,
                               strsignal(bounded.supervision.asked_to_end)),
                   "", "let it run to its end"};
  return std::nullopt;
}

}  // namespace roofmark
