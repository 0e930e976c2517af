// Which regions are open in the launching thread, by our runtime where there is one.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "libprofiler/target/runtime/runtime_table.h"
#include "path_table.hpp"

namespace roofmark::cupti {

class RegionPaths {
 public:
  /// True: a runtime is in the program. It may come with the program or by dlopen: asked again.
  bool find_runtime();
  bool has_runtime() const { return table_ != nullptr; }

  /// The number of the calling thread's path.
  std::uint32_t here();
  /// All paths so far, by number.
  std::vector<LaunchPath> all() const;
  /// For whoever needs several answers at once: `use(const PathTable&)`.
  template <class Use>
  void with(Use use) const {
    const std::lock_guard lock(mutex_);
    use(paths_);
  }

 private:
  std::atomic<const roofmark_runtime_table*> table_ = nullptr;
  mutable std::mutex mutex_;
  PathTable paths_;
};

}  // namespace roofmark::cupti
