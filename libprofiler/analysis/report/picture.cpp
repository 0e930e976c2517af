#include "picture.hpp"

#include <sys/wait.h>

#include <analysis/files/command_output.hpp>
#include <cerrno>
#include <cstring>
#include <utility>

namespace roofmark {
namespace {

constexpr const char* converter = "rsvg-convert";

tl::unexpected<Problem> failure(const std::string& reason, const std::string& format) {
  return tl::unexpected(Problem{reason, "--format " + format, "--format svg needs no converter"});
}

}  // namespace

Result<std::string> picture_of(const std::string& svg, const std::string& format) {
  CommandOutput made = output_of(
      {converter, "--format", format, "--zoom", format == "png" ? "2" : "1"}, svg, Messages::shown);
  if (made.no_room != 0)
    return failure(std::string("no memory for the picture: ") + std::strerror(made.no_room),
                   format);
  if (made.not_started == ENOENT)
    return tl::unexpected(Problem{std::string("`") + converter + "` is not installed",
                                  "--format " + format,
                                  "apt-get install librsvg2-bin, or --format svg"});
  if (made.not_started != 0)
    return failure(
        std::string("`") + converter + "` can't be started: " + std::strerror(made.not_started),
        format);
  if (!WIFEXITED(made.wait_status) || WEXITSTATUS(made.wait_status) != 0 || made.text.empty())
    return failure(std::string("`") + converter + "` could not draw the chart", format);
  return std::move(made.text);
}

}  // namespace roofmark
