// Which call launched what: from the correlation number that CUPTI gives to a call and to the
// records of the work that it began. Written by launching threads, read by CUPTI's own, without a
// lock; what is overwritten before it is asked for is not known, never wrong.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

namespace roofmark::cupti {

class Correlations {
 public:
  struct Call {
    std::uint32_t path;
    std::int64_t begin_ns;
  };

  /// 2^`bits` calls are remembered.
  explicit Correlations(unsigned bits = 18)
      : mask_((1U << bits) - 1), slots_(new Slot[std::size_t{1} << bits]) {}

  void put(std::uint32_t correlation, Call call) {
    Slot& slot = slots_[correlation & mask_];
    slot.key.exchange(0, std::memory_order_acq_rel);  // what follows stays behind it
    slot.begin_ns.store(call.begin_ns, std::memory_order_relaxed);
    slot.key.store(key_of(correlation, call.path), std::memory_order_release);
  }
  std::optional<Call> find(std::uint32_t correlation) const {
    const Slot& slot = slots_[correlation & mask_];
    const std::uint64_t key = slot.key.load(std::memory_order_acquire);
    const std::int64_t begin = slot.begin_ns.load(std::memory_order_acquire);
    if (key >> 32 != correlation || slot.key.load(std::memory_order_relaxed) != key || key == 0)
      return std::nullopt;
    return Call{static_cast<std::uint32_t>(key) - 1, begin};
  }

 private:
  struct Slot {
    std::atomic<std::uint64_t> key{0};
    std::atomic<std::int64_t> begin_ns{0};
  };
  // + 1: no key is 0.
  static std::uint64_t key_of(std::uint32_t correlation, std::uint32_t path) {
    return std::uint64_t{correlation} << 32 | (path + 1);
  }

  std::uint32_t mask_;
  std::unique_ptr<Slot[]> slots_;
};

}  // namespace roofmark::cupti
