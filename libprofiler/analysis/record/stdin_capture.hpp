// Keeps what the native run reads from stdin, so that the counted run reads the same.
#pragma once

#include <analysis/files/descriptor.hpp>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <roofmark/result.hpp>
#include <string>
#include <thread>

namespace roofmark {

class StdinCapture {
 public:
  /// Looks at descriptor 0. A file is read again from where it stands; a pipe or socket is passed
  /// on to the target through a pipe of ours and copied below `directory`, up to `bound_bytes` (0:
  /// no second run, all is left to the target); a terminal is left to the target alone.
  StdinCapture(const std::filesystem::path& directory, std::uint64_t bound_bytes);
  ~StdinCapture();
  StdinCapture(const StdinCapture&) = delete;
  StdinCapture& operator=(const StdinCapture&) = delete;

  /// What the target must find as descriptor 0; -1: what this process has there.
  int target_descriptor() const { return to_target_.get(); }
  /// Starts to pass bytes on; the target's end of the pipe is closed in this process.
  void target_started();
  /// The target has ended: no more is read.
  void stop();

  /// A descriptor from which the same bytes can be read, or why there is none.
  Result<Descriptor> replay() const;

 private:
  enum class Kind { closed, null, file, stream, terminal };

  /// Between what this process reads and the target; what went wrong, or an empty string.
  std::string stand_between();
  void pump();

  Kind kind_ = Kind::closed;
  std::int64_t offset_ = 0;
  std::uint64_t bound_bytes_;
  std::filesystem::path copy_path_;
  Descriptor copy_;
  Descriptor to_target_;    ///< read end, for the target
  Descriptor from_source_;  ///< write end, ours
  Descriptor wake_reader_;
  Descriptor wake_writer_;  ///< a byte: the target runs; closed: no more is read
  std::thread thread_;
  std::atomic<bool> incomplete_{false};
  std::string why_incomplete_;
};

}  // namespace roofmark
