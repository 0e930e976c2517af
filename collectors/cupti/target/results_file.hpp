// The file that a process leaves its results in: always whole, replaced by a newer one as a whole.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace roofmark::cupti {

class ResultsFile {
 public:
  /// Claims `gpu-PID-SEQ.jsonl` in the directory, of the first sequence that is free. False: it
  /// can't be written there.
  bool claim(const std::string& directory, std::int64_t pid);
  std::uint32_t sequence() const { return sequence_; }

  /// False: what was there before is still there. Neither a full disk nor a limit on the size of
  /// files (which would end the program by a signal) does any harm.
  bool replace(std::string_view text);

 private:
  std::string path_;
  std::uint32_t sequence_ = 0;
};

}  // namespace roofmark::cupti
