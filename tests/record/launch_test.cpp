// Starting, watching and ending programs.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <analysis/record/counted_pass.hpp>
#include <analysis/record/executable.hpp>
#include <analysis/record/launch.hpp>
#include <analysis/record/processes.hpp>
#include <analysis/record/sampler.hpp>
#include <analysis/record/signal_gate.hpp>
#include <analysis/record/supervise.hpp>
#include <thread>

#include "catch.hpp"
#include "support.hpp"

using namespace roofmark;
using roofmark::test::TemporaryDirectory;
using roofmark::test::write_text;

namespace {

Launch launch_of(std::vector<std::string> command, const SignalGate& gate) {
  Launch launch;
  launch.command = std::move(command);
  launch.environment = current_environment();
  launch.signal_mask = gate.original_mask();
  return launch;
}

Supervision run(std::vector<std::string> command) {
  const SignalGate gate;
  const auto launched = launch(launch_of(std::move(command), gate));
  REQUIRE(launched);
  return supervise(*launched, gate, {});
}

int failure_code(std::vector<std::string> command) {
  const SignalGate gate;
  const auto launched = launch(launch_of(std::move(command), gate));
  REQUIRE_FALSE(launched);
  CHECK_FALSE(launched.error().problem.reason.empty());
  return launched.error().exit_code;
}

}  // namespace

TEST_CASE("a program ends as it ends") {
  CHECK(run({"true"}).end.exit_code == 0);
  CHECK(run({"sh", "-c", "exit 125"}).end.exit_code == 125);
  const Supervision killed = run({"sh", "-c", "kill -9 $$"});
  CHECK(killed.end.signal == SIGKILL);
  CHECK(killed.end.shell_status() == 137);
  CHECK(killed.end.started);
}

TEST_CASE("a program that can't be started is 125, 126 or 127") {
  const TemporaryDirectory base;
  write_text(base.path() / "text", "no program");
  write_text(base.path() / "script", "#!/no/such/interpreter\n");
  chmod((base.path() / "script").c_str(), 0755);
  CHECK(failure_code({}) == 125);
  CHECK(failure_code({(base.path() / "text").string()}) == 126);
  CHECK(failure_code({base.path().string()}) == 126);
  CHECK(failure_code({"roofmark-no-such-program"}) == 127);
  CHECK(failure_code({(base.path() / "absent").string()}) == 127);
  CHECK(failure_code({"/dev/null/x"}) == 127);
  CHECK(failure_code({(base.path() / "script").string()}) == 127);
  CHECK(failure_code({""}) == 127);
}

TEST_CASE("arguments and environment reach the program byte for byte") {
  const TemporaryDirectory base;
  const std::string odd = "a'\"\\\n\xff\x01 --";
  const std::string out = (base.path() / "out").string();
  const SignalGate gate;
  Launch start = launch_of({"sh", "-c", "printf %s \"$1|$ODD\" > \"$2\"", "sh", odd, out}, gate);
  set_variable(start.environment, "ODD", odd);
  const auto launched = launch(start);
  REQUIRE(launched);
  CHECK(supervise(*launched, gate, {}).end.exit_code == 0);
  CHECK(test::read_text(out) == odd + "|" + odd);
}

TEST_CASE("an environment that grew too large falls back to the smaller one") {
  const SignalGate gate;
  Launch start = launch_of({"true"}, gate);
  start.smaller_environment = start.environment;
  // One string of more than 128 KiB is more than the kernel takes.
  set_variable(start.environment, "HUGE", std::string(1 << 18, 'x'));
  const auto launched = launch(start);
  REQUIRE(launched);
  CHECK(launched->smaller_environment);
  CHECK(supervise(*launched, gate, {}).end.exit_code == 0);
  start.smaller_environment.clear();
  const auto refused = launch(start);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().exit_code == 126);
}

TEST_CASE("a variable is set, or put before what it holds") {
  std::vector<std::string> environment{"A=1", "LD_PRELOAD=/x.so", "EMPTY="};
  set_variable(environment, "LD_PRELOAD", "/r.so", ':');
  set_variable(environment, "EMPTY", "/r.so", ':');
  set_variable(environment, "A", "2");
  set_variable(environment, "NEW", "3");
  CHECK(environment ==
        std::vector<std::string>{"A=2", "LD_PRELOAD=/r.so:/x.so", "EMPTY=/r.so", "NEW=3"});
}

TEST_CASE("a signal to the recorder reaches the program") {
  const SignalGate gate;
  const auto launched =
      launch(launch_of({"sh", "-c", "trap 'exit 7' USR1; while :; do sleep 0.05; done"}, gate));
  REQUIRE(launched);
  std::thread sender([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    kill(getpid(), SIGUSR1);
  });
  const Supervision supervision = supervise(*launched, gate, {});
  sender.join();
  CHECK(supervision.end.exit_code == 7);
  CHECK(supervision.asked_to_end == 0);
}

TEST_CASE("the program gets the signal mask that the recorder was started with") {
  const SignalGate gate;
  const auto launched = launch(launch_of({"sh", "-c", "kill -TERM $$; sleep 5"}, gate));
  REQUIRE(launched);
  CHECK(supervise(*launched, gate, {}).end.signal == SIGTERM);
}

TEST_CASE("a bounded program is ended with all that it started") {
  const TemporaryDirectory base;
  const std::string mark = (base.path() / "pid").string();
  const SignalGate gate;
  Launch start = launch_of({"sh", "-c", "sleep 60 & echo $! > " + mark + "; wait"}, gate);
  start.prepare = [] { return setsid() < 0 ? errno : 0; };
  const auto launched = launch(start);
  REQUIRE(launched);
  const double before_s = monotonic_s();
  // Long enough for a busy machine to start the shell, and its child.
  const Bounded bounded = supervise_bounded(*launched, gate, {5, {}, {}}, {});
  CHECK(bounded.out_of_time);
  CHECK(bounded.supervision.end.signal == SIGTERM);
  CHECK(monotonic_s() - before_s < 50);  // not the 60 s that its child sleeps
  const int grandchild = std::stoi(test::read_text(mark));
  // It was killed; whoever adopted it may need a moment to bury it.
  bool gone = false;
  for (int i = 0; i < 100 && !gone; ++i) {
    char state = 'X';
    int processor = 0;
    gone = !parse_stat(test::read_text("/proc/" + std::to_string(grandchild) + "/stat"), state,
                       processor) ||
           state == 'Z';
    if (!gone) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  CHECK(gone);
}

TEST_CASE("times are those of the program") {
  const Supervision busy = run({"sh", "-c", "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done"});
  const double cpu_s = static_cast<double>(busy.usage.ru_utime.tv_sec) +
                       static_cast<double>(busy.usage.ru_utime.tv_usec) * 1e-6;
  CHECK(cpu_s > 0.01);
  CHECK(busy.wall_s >= 0.9 * cpu_s);
  const Supervision idle = run({"sleep", "0.3"});
  CHECK(idle.wall_s >= 0.29);
  CHECK(idle.wall_s < 30);  // a busy machine starts it late
}

TEST_CASE("the terminal's signals are not sent a second time") {
  signalfd_siginfo signal{};
  signal.ssi_signo = SIGINT;
  signal.ssi_code = 0x80;  // SI_KERNEL
  CHECK_FALSE(must_forward(signal, 100));
  signal.ssi_code = SI_USER;
  signal.ssi_pid = 99;
  CHECK(must_forward(signal, 100));
  signal.ssi_pid = 100;  // the program itself sent it
  CHECK_FALSE(must_forward(signal, 100));
  // A limit on file sizes that the recorder meets comes as if it had sent the signal itself.
  for (const int limit : {SIGXFSZ, SIGXCPU}) {
    signal.ssi_signo = static_cast<unsigned>(limit);
    signal.ssi_pid = static_cast<unsigned>(getpid());
    CHECK_FALSE(must_forward(signal, 100));
  }
  signal.ssi_signo = SIGCHLD;
  signal.ssi_pid = 99;
  CHECK_FALSE(must_forward(signal, 100));
}

TEST_CASE("a stat line is read behind any name") {
  char state = 0;
  int processor = -1;
  std::string line = "7 (a) R (b c) S 1";
  for (int field = 5; field <= 38; ++field) line += " 0";
  REQUIRE(parse_stat(line + " 3 0 0", state, processor));
  CHECK(state == 'S');
  CHECK(processor == 3);
  CHECK_FALSE(parse_stat("7 (short) S 1 2", state, processor));
  CHECK_FALSE(parse_stat("", state, processor));
}

TEST_CASE("the time that a thread waited for a core is the second number of schedstat") {
  CHECK(parse_run_delay("123 2500000000 7\n") == Approx(2.5));
  CHECK(parse_run_delay("123") == 0);
  CHECK(parse_run_delay("") == 0);
}

TEST_CASE("looks find the threads of a program and of its children") {
  // The program lasts until the looks have seen what there is to see: no time is assumed.
  const TemporaryDirectory base;
  const std::string gate_path = (base.path() / "gate").string();
  REQUIRE(mkfifo(gate_path.c_str(), 0600) == 0);
  const int end_program = open(gate_path.c_str(), O_RDWR | O_CLOEXEC);
  const SignalGate gate;
  const auto launched = launch(launch_of(
      {"sh", "-c", "sleep 600 & a=$!; sleep 600 & read line <" + gate_path + "; kill $a $!"},
      gate));
  REQUIRE(launched);
  Sampler sampler(launched->pid, "");
  int looks = 0;
  bool released = false;
  supervise(*launched, gate, [&](double elapsed_s) {
    const double next_s = sampler.look(elapsed_s);
    const bool seen = ++looks >= 5 && sampler.processes() == 3;
    if (!released && (seen || elapsed_s > 60)) released = write(end_program, "\n", 1) == 1;
    return next_s;
  });
  close(end_program);
  const auto samples = sampler.take();
  REQUIRE(samples.size() >= 5);
  CHECK(sampler.processes() == 3);
  std::size_t most = 0;
  for (const PlacementSample& sample : samples) most = std::max(most, sample.threads.size());
  CHECK(most == 3);
}

TEST_CASE("patience is many times what was expected, waits included, and never short") {
  CHECK(patience_s({1, 2}, 0.5) == Approx(least_patience_s));
  CHECK(patience_s({10, 40}, 20) == Approx(patience_factor * 60));
  // A program that slept for an hour may sleep for an hour.
  CHECK(patience_s(estimate_counted_pass(0.01, 1, false), 3600) > 3600);
  // A program that ended before it was looked at was one process nevertheless.
  CHECK(estimate_counted_pass(0.01, 0, false).low_s == estimate_counted_pass(0.01, 1, false).low_s);
}

TEST_CASE("a run without steps is stuck when the patience is over, and not before") {
  Progress progress(100);
  CHECK_FALSE(progress.due(24.9));
  REQUIRE(progress.due(25));
  CHECK_FALSE(progress.is_stuck(25, 0));
  CHECK_FALSE(progress.due(49));
  CHECK(progress.due(50));
  CHECK_FALSE(progress.is_stuck(99.9, 0));
  CHECK(progress.is_stuck(100, 0));
  CHECK(progress.without_progress_s() == Approx(100));
}

TEST_CASE("a run that steps on is never stuck, and its last step begins the wait anew") {
  Progress progress(100);
  std::uint64_t steps = 0;
  double elapsed_s = 0;
  for (; elapsed_s < 10000; elapsed_s += 25) REQUIRE_FALSE(progress.is_stuck(elapsed_s, ++steps));
  const double last_s = elapsed_s - 25;
  CHECK_FALSE(progress.is_stuck(last_s + 99, steps));
  CHECK(progress.is_stuck(last_s + 100, steps));
}

TEST_CASE("what can't be preloaded is known from the file") {
  const TargetFile shell = look_at("sh", emulated::Look::headers);
  REQUIRE(shell.executable);
  CHECK_FALSE(why_not_preloadable(shell));
  for (const char* none : {"roofmark-no-such-program", ""}) {
    const TargetFile target = look_at(none, emulated::Look::headers);
    CHECK(target.path.empty());
    CHECK_FALSE(why_not_preloadable(target));
    CHECK_FALSE(why_not_again(target));
  }
  const auto linked =
      why_not_preloadable(look_at(ROOFMARK_STATIC_PROGRAM, emulated::Look::headers));
  REQUIRE(linked);
  CHECK(linked->reason.find("statically linked") != std::string::npos);
  CHECK(linked->remedy.find("roofmark::runtime") != std::string::npos);
  TargetFile privileged = shell;
  privileged.executable->gains_rights = "file capabilities";
  const auto rights = why_not_preloadable(privileged);
  REQUIRE(rights);
  CHECK(rights->reason.find("by file capabilities") != std::string::npos);
  CHECK_FALSE(rights->remedy.empty());
}

TEST_CASE("a program that is gone or another one after its run is not run again") {
  const TemporaryDirectory base;
  const std::filesystem::path program = base.path() / "program";
  const auto make = [&](const std::string& text) {
    write_text(program, "#!/bin/sh\n" + text);
    REQUIRE(chmod(program.c_str(), 0755) == 0);
  };
  make("exit 0\n");
  const TargetFile target = look_at(program, emulated::Look::headers);
  REQUIRE(target.executable);
  CHECK(target.executable->script == program);
  CHECK_FALSE(why_not_again(target));
  make("exit 10\n");
  REQUIRE(why_not_again(target));
  CHECK(why_not_again(target)->reason.find("changed") != std::string::npos);
  std::filesystem::remove(program);
  REQUIRE(why_not_again(target));
  CHECK(why_not_again(target)->reason.find("removed") != std::string::npos);
  CHECK(why_not_again(target)->where == program.string());
}

TEST_CASE("bounds do not run on while the recorder is stopped from the terminal") {
  constexpr double patience_for_test_s = 60, stop_s = 1;
  const pid_t recorder = fork();
  // In an orphaned group, as that of a test that was left in the background, SIGTSTP stops nobody.
  setpgid(recorder, recorder);
  if (recorder == 0) {
    const SignalGate gate;
    Launch endless = launch_of({"sleep", "1000"}, gate);
    endless.prepare = [] { return setsid() < 0 ? errno : 0; };
    const auto launched = launch(endless);
    if (!launched) _exit(2);
    const auto has_paused = [&](double elapsed_s) {
      return monotonic_s() - launched->started_s - elapsed_s >= stop_s;
    };
    const auto often = [](double) { return 0.01; };
    const Bounded bounded =
        supervise_bounded(*launched, gate, {patience_for_test_s, has_paused, {}}, often);
    _exit(bounded.stuck && !bounded.out_of_time ? 0 : 1);
  }
  int status = 0;
  // Before it holds signals back it would just stop, and is asked again.
  do {
    kill(recorder, SIGTSTP);
    REQUIRE(waitpid(recorder, &status, WUNTRACED) == recorder);
    REQUIRE(WIFSTOPPED(status));
    const timespec rest{static_cast<time_t>(stop_s), 0};
    nanosleep(&rest, nullptr);
    kill(recorder, SIGCONT);
  } while (WSTOPSIG(status) == SIGTSTP);
  REQUIRE(waitpid(recorder, &status, 0) == recorder);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("a program that nobody can watch any longer is ended") {
  const SignalGate gate;
  Launch endless = launch_of({"sleep", "1000"}, gate);
  endless.prepare = [] { return setsid() < 0 ? errno : 0; };
  const auto launched = launch(endless);
  REQUIRE(launched);
  const auto no_memory = [](double) -> double { throw std::bad_alloc(); };
  CHECK_THROWS_AS(supervise_bounded(*launched, gate, {}, no_memory), std::bad_alloc);
  int status = 0;
  REQUIRE(waitpid(launched->pid, &status, 0) == launched->pid);
  CHECK(WIFSIGNALED(status));
}

TEST_CASE("processes are found by an argument, and waited for, asked and killed in this order") {
  const std::string argument = "--of-the-test=" + std::to_string(getpid());
  const auto start = [&](const std::string& script) {
    int ends[2];
    REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
    const pid_t pid = fork();
    if (pid == 0) {
      dup2(ends[1], STDOUT_FILENO);
      execl("/bin/sh", "sh", "-c", script.c_str(), "sh", argument.c_str(), nullptr);
      _exit(1);
    }
    close(ends[1]);
    char ready = 0;  // its traps are set
    REQUIRE(read(ends[0], &ready, 1) == 1);
    close(ends[0]);
    return pid;
  };
  CHECK(processes_with(argument).empty());
  CHECK(end_processes_with(argument, 0, 0) == 0);
  const pid_t willing = start("trap 'exit 3' TERM; echo; while :; do :; done");
  const pid_t stubborn = start("trap '' TERM; echo; while :; do :; done");
  CHECK(is_alive(willing));
  CHECK(processes_with(argument).size() == 2);
  CHECK(processes_with("--of-the-test").empty());
  CHECK(end_processes_with(argument, 0, 1) == 2);
  int status = 0;
  REQUIRE(waitpid(willing, &status, 0) == willing);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 3);
  REQUIRE(waitpid(stubborn, &status, 0) == stubborn);
  CHECK(WIFSIGNALED(status));
  CHECK_FALSE(is_alive(willing));
}
