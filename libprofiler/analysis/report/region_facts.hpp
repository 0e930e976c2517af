// What is known of a region beyond its row in the table: the ladder of ceilings above it, its bytes
// at every level, the mix of its operations, its threads. Derived once for every format; each with
// its source, or the reason why it is absent.
#pragma once

#include <roofmark/report.hpp>
#include <string>
#include <vector>

#include "region_row.hpp"

namespace roofmark::report {

struct Fact {
  enum class Group { ladder, roof, time, work, bytes, mix, threads, declared, gpu };
  Group group = Group::work;
  std::string name;    ///< "vectorise", "DRAM", "FMA"
  std::string text;    ///< "at most 3.1x"; of an absent one the reason
  std::string source;  ///< "counted"; empty of an absent one
  bool absent = false;
};

/// "Ladder", "Bytes", ...
std::string title_of(Fact::Group group);

/// In the order of the groups. `self`: without the region's children.
std::vector<Fact> facts_of(const Profile& profile, const Region& region, bool self);

/// A group in one sentence, for the regions that are explained: "Ladder: vectorise 3.1x, ...".
/// Those groups only that people act on, and of the absent the reasons, each once.
struct BriefFacts {
  std::string title, text;
};
std::vector<BriefFacts> brief(const std::vector<Fact>& facts);

/// Those that any of the patterns means, in the order of the profile.
std::vector<std::size_t> named_regions(const Profile& profile,
                                       const std::vector<std::string>& patterns);

// ---- parts of facts_of --------------------------------------------------------------------------

/// Collects facts of one group.
class FactList {
 public:
  FactList(std::vector<Fact>& facts, Fact::Group group) : facts_(facts), group_(group) {}
  void add(const std::string& name, const std::string& text, const std::string& source) {
    facts_.push_back({group_, name, text, source, false});
  }
  void add(const std::string& name, const std::string& text, const std::optional<Source>& source) {
    add(name, text, source ? std::string(spelling(*source)) : std::string());
  }
  void absent(const std::string& name, const std::string& reason) {
    facts_.push_back({group_, name, reason, "", true});
  }
  void absent(const std::string& name, const Figure& figure) {
    absent(name, figure.reason.empty() ? "not counted" : figure.reason);
  }

 private:
  std::vector<Fact>& facts_;
  Fact::Group group_;
};

/// Whose facts: its counts and what the model made of them.
struct FactsOf {
  const Profile& profile;
  const Region& region;
  const Work& work;
  const Roofline* roofline;  ///< may be null
};
void add_ladder(std::vector<Fact>& facts, const FactsOf& of);
void add_bytes(std::vector<Fact>& facts, const FactsOf& of);
void add_mix(std::vector<Fact>& facts, const FactsOf& of);
void add_gpu(std::vector<Fact>& facts, const FactsOf& of);

}  // namespace roofmark::report
