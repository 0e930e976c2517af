#include "live_terminal.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>

#include "analysis/report/output.hpp"

namespace roofmark::cli {
namespace {

constexpr const char* enter_screen = "\x1b[?1049h\x1b[?25l";
constexpr const char* leave_screen = "\x1b[?25h\x1b[?1049l";

/// Single keys, unseen.
std::optional<termios> take_keys() {
  termios now{};
  if (tcgetattr(STDIN_FILENO, &now) != 0) return std::nullopt;
  termios keys = now;
  keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  if (tcsetattr(STDIN_FILENO, TCSANOW, &keys) != 0) return std::nullopt;
  return now;
}

}  // namespace

LiveTerminal::LiveTerminal(bool full_screen) : full_screen_(full_screen) {
  sigset_t mask;
  sigemptyset(&mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGWINCH}) sigaddset(&mask, signal);
  pthread_sigmask(SIG_BLOCK, &mask, &mask_before_);
  signals_ = Descriptor(signalfd(-1, &mask, SFD_CLOEXEC));
  if (!full_screen_) return;
  // In the background it may not touch the keys.
  if (isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp()) keys_before_ = take_keys();
  write_standard_output(enter_screen);
}

LiveTerminal::~LiveTerminal() {
  if (full_screen_) write_standard_output(leave_screen);
  if (keys_before_) tcsetattr(STDIN_FILENO, TCSANOW, &*keys_before_);
  pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

bool LiveTerminal::show(const std::string& screen) {
  if (!full_screen_) return !write_standard_output(screen);
  // Each line clears what was right of it, the last one what was below.
  std::string text = "\x1b[H";
  for (const char c : screen) text += c == '\n' ? std::string("\x1b[K\r\n") : std::string(1, c);
  // No line end at the bottom: it would move the screen up.
  constexpr std::string_view end = "\x1b[K\r\n";
  if (text.size() > end.size()) text.resize(text.size() - end.size());
  return !write_standard_output(text + "\x1b[K\x1b[J");
}

LiveTerminal::Woken LiveTerminal::wait(double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (true) {
    const double left_s = std::chrono::duration<double>(end - Clock::now()).count();
    std::array<pollfd, 2> sources{pollfd{signals_.get(), POLLIN, 0},
                                  pollfd{keys_before_ ? STDIN_FILENO : -1, POLLIN, 0}};
    const int ready = poll(sources.data(), sources.size(),
                           static_cast<int>(std::ceil(std::max(0.0, left_s) * 1000)));
    if (ready < 0 && errno != EINTR) return Woken::quit;
    if (ready == 0) return Woken::time;
    if ((sources[0].revents & POLLIN) != 0) {
      signalfd_siginfo info{};
      if (read(signals_.get(), &info, sizeof info) != sizeof info) return Woken::quit;
      return info.ssi_signo == SIGWINCH ? Woken::resized : Woken::quit;
    }
    if (sources[1].revents != 0) {
      char key = 0;
      if (read(STDIN_FILENO, &key, 1) != 1) return Woken::quit;
      if (key == 'q' || key == 'Q' || key == 4) return Woken::quit;
    }
  }
}

}  // namespace roofmark::cli
