// A private directory for one recording: the target's arenas, its captured stdin, the counts.
#pragma once

#include <analysis/files/descriptor.hpp>
#include <filesystem>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

namespace roofmark {

/// Where the counts go, inside it.
inline constexpr const char* counts_directory = "counts";

/// Removed with all it holds when it goes out of scope, or when its owner was killed, by the next
/// recording.
class Scratch {
 public:
  /// A new directory below the first candidate that is writable, has room and is no network file
  /// system, after leftovers were removed from all of them: a recording is mapped memory, which
  /// such systems tear, stall or refuse.
  static Result<Scratch> create(const std::vector<std::filesystem::path>& candidates);

  /// $TMPDIR, /dev/shm, $XDG_RUNTIME_DIR, /tmp, /var/tmp, the working directory.
  static std::vector<std::filesystem::path> usual_candidates();

  Scratch(Scratch&& other) noexcept;
  Scratch& operator=(Scratch&&) = delete;
  ~Scratch();

  const std::filesystem::path& path() const { return path_; }
  /// A new directory inside it.
  Result<std::filesystem::path> subdirectory(const std::string& name) const;

 private:
  Scratch(std::filesystem::path path, Descriptor lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}
  std::filesystem::path path_;
  Descriptor lock_;
};

/// The problem without the directory of what it names: a scratch directory is gone when somebody
/// reads it.
Problem without_place(Problem problem);

}  // namespace roofmark
