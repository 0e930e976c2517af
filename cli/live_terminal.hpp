// A terminal that a screen is drawn on again and again, and which is left as it was.
#pragma once

#include <signal.h>
#include <termios.h>

#include <analysis/files/descriptor.hpp>
#include <optional>
#include <string>

namespace roofmark::cli {

class LiveTerminal {
 public:
  /// Takes the alternate screen and single keys, where both ends are a terminal. SIGINT, SIGTERM
  /// and SIGHUP end wait() and not the process.
  explicit LiveTerminal(bool full_screen);
  ~LiveTerminal();
  LiveTerminal(const LiveTerminal&) = delete;
  LiveTerminal& operator=(const LiveTerminal&) = delete;

  /// In place of what is there. False: the terminal is gone.
  bool show(const std::string& screen);

  enum class Woken { time, resized, quit };
  /// Until so much time has passed, the terminal has another size, or `q` or a signal ends it.
  Woken wait(double seconds);

 private:
  bool full_screen_;
  sigset_t mask_before_{};
  Descriptor signals_;
  std::optional<termios> keys_before_;
};

}  // namespace roofmark::cli
