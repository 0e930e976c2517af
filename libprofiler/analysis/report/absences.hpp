// Why numbers are absent, each reason once, with a letter that the table refers to.
#pragma once

#include <map>
#include <roofmark/profile.hpp>
#include <set>
#include <string>
#include <vector>

#include "region_row.hpp"

namespace roofmark::report {

class Absences {
 public:
  struct Entry {
    std::string mark;  ///< "a"; empty: no number in the table refers to it
    std::set<std::string> quantities;
    std::string reason, fix;
    std::set<std::string> paths;  ///< of the regions
  };

  /// The mark for a figure that has no number.
  std::string mark_of(const Figure& figure, const std::string& path);
  /// What a region lists as missing, whether or not the table shows that quantity.
  void add(const Missing& missing, const std::string& path);
  /// Marked entries in the order of their marks, then the others.
  std::vector<Entry> entries() const;

 private:
  Entry& find(const std::string& reason, const std::string& fix);
  std::map<std::pair<std::string, std::string>, std::size_t> places_;
  std::vector<Entry> entries_;
  std::size_t marks_ = 0;
};

}  // namespace roofmark::report
