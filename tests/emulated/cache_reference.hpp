// The hierarchy once more, as plainly as it can be written: one thread, maps and lists, no filter,
// no bit tricks. The tests hold the fast one to it, access by access.
#pragma once
#include <collectors/emulated/cache/hierarchy.hpp>
#include <optional>
#include <vector>

namespace cache_tests {

struct PlainLine {
  roofmark::cache::Line line;
  std::optional<std::uint32_t> dirty_owner;
};

class PlainLevel {
 public:
  explicit PlainLevel(const roofmark::cache::LevelShape& shape)
      : shape_(shape), sets_(shape.sets, std::vector<Way>(shape.ways)) {}

  PlainLine* find(roofmark::cache::Line line, bool use) {
    auto& set = set_of(line);
    for (std::size_t w = 0; w < set.size(); ++w) {
      if (set[w].held && set[w].held->line == line) {
        if (use) mark(set, w);
        return &*set[w].held;
      }
    }
    return nullptr;
  }

  std::optional<PlainLine> insert(PlainLine incoming) {
    auto& set = set_of(incoming.line);
    std::size_t victim = 0;
    while (victim + 1 < set.size() && set[victim].marked) ++victim;
    if (set[victim].marked) victim = 0;
    const auto out = set[victim].held;
    set[victim].held = incoming;
    mark(set, victim);
    return out;
  }

 private:
  struct Way {
    std::optional<PlainLine> held;
    bool marked = false;
  };
  std::vector<Way>& set_of(roofmark::cache::Line line) {
    if (shape_.index == roofmark::cache::Index::modulo) return sets_[line % shape_.sets];
    // As the fast model documents its index; evenness is tested apart.
    const auto [block, within] = roofmark::cache::place_of(line);
    if (shape_.sets % 16 == 0) {
      return sets_[static_cast<std::size_t>(
          std::uint64_t{block} * (shape_.sets / 16) / 4294967296U * 16 + within)];
    }
    const std::uint32_t hash = block + within * 0x9E3779B1U;
    return sets_[static_cast<std::size_t>(std::uint64_t{hash} * shape_.sets / 4294967296U)];
  }
  static void mark(std::vector<Way>& set, std::size_t way) {
    set[way].marked = true;
    for (const Way& w : set) {
      if (!w.marked) return;
    }
    for (Way& w : set) w.marked = false;
    set[way].marked = true;
  }
  roofmark::cache::LevelShape shape_;
  std::vector<std::vector<Way>> sets_;
};

class PlainHierarchy {
 public:
  PlainHierarchy(const roofmark::cache::Geometry& g, std::size_t owners)
      : counts(owners), l1_(g.l1), l2_(g.l2), l3_(g.l3) {}

  std::vector<roofmark::cache::Traffic> counts;
  std::uint32_t owner = 0;

  void access(std::uint64_t address, bool store) {
    const roofmark::cache::Line line = roofmark::cache::line_of(address);
    if (l1_.find(line, true) == nullptr) {
      ++counts[owner].l2.read;
      if (const auto out = l1_.insert({line, {}}); out && out->dirty_owner) into_l2(*out);
      fetch(line);
    }
    PlainLine* held = l1_.find(line, false);
    if (store && !held->dirty_owner) held->dirty_owner = owner;
  }

 private:
  void fetch(roofmark::cache::Line line) {
    if (l2_.find(line, true) != nullptr) return;
    ++counts[owner].l3.read;
    if (l3_.find(line, true) == nullptr) {
      ++counts[owner].dram.read;
      drop(l3_.insert({line, {}}));
    }
    if (const auto out = l2_.insert({line, {}}); out && out->dirty_owner) into_l3(*out);
  }
  void into_l2(const PlainLine& from) {
    ++counts[*from.dirty_owner].l2.write;
    if (PlainLine* held = l2_.find(from.line, false)) {
      if (!held->dirty_owner) held->dirty_owner = from.dirty_owner;
    } else if (const auto out = l2_.insert(from); out && out->dirty_owner) {
      into_l3(*out);
    }
  }
  void into_l3(const PlainLine& from) {
    ++counts[*from.dirty_owner].l3.write;
    if (PlainLine* held = l3_.find(from.line, false)) {
      if (!held->dirty_owner) held->dirty_owner = from.dirty_owner;
    } else {
      drop(l3_.insert(from));
    }
  }
  void drop(const std::optional<PlainLine>& out) {
    if (out && out->dirty_owner) ++counts[*out->dirty_owner].dram.write;
  }
  PlainLevel l1_, l2_, l3_;
};

}  // namespace cache_tests
