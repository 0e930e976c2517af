// The union of intervals that arrive almost in order, in bounded memory. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace roofmark::cupti {

class BusyUnion {
 public:
  /// `kept`: how many disjoint intervals stay changeable.
  explicit BusyUnion(std::size_t kept = 1024) : kept_(kept < 2 ? 2 : kept) {}

  void add(std::int64_t start, std::int64_t end);

  std::uint64_t busy() const;
  std::int64_t first() const { return first_; }
  std::int64_t last() const { return last_; }
  bool empty() const { return empty_; }
  /// False: something came from before what is settled; the part of it there is left out.
  bool exact() const { return exact_; }
  std::size_t intervals() const { return open_.size(); }
  /// Settles all but the newest `keep`, and gives their memory back.
  void shrink(std::size_t keep);

 private:
  struct Interval {
    std::int64_t start, end;
  };
  void settle(std::size_t count);

  std::size_t kept_;
  std::vector<Interval> open_;  // sorted, disjoint, none touches the next
  std::uint64_t settled_ = 0;   // of what lies before settled_until_
  std::int64_t settled_until_ = 0, first_ = 0, last_ = 0;
  bool empty_ = true, any_settled_ = false, exact_ = true;
};

}  // namespace roofmark::cupti
