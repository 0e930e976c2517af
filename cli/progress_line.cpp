#include "progress_line.hpp"

#include <unistd.h>

#include <cstdio>

namespace roofmark::cli {

bool has_progress_line() {
  return isatty(STDERR_FILENO) == 1;
}

void show_progress(const std::string& line) {
  std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
  std::fflush(stderr);
}

MeasureProgress measuring_progress() {
  if (!has_progress_line()) return {};
  return [](double done, std::string_view what) {
    if (done >= 1) return show_progress("");
    char share[32];
    std::snprintf(share, sizeof share, "%3.0f %%, ", 100 * done);
    show_progress(std::string("measuring this machine: ") + share + std::string(what));
  };
}

}  // namespace roofmark::cli
