// What stands below the table in a report, as sentences: the same in text and HTML.
#pragma once

#include <cstddef>
#include <roofmark/report.hpp>
#include <string>
#include <vector>

#include "absences.hpp"
#include "region_row.hpp"

namespace roofmark::report {

/// "./app --size 128"; raw bytes.
std::string command_line(const Program& program);

/// Machine, host, start, time, and the exit status where it is not 0.
std::vector<std::string> run_facts(const Profile& profile);

struct Explanation {
  std::size_t region = 0;
  std::string path;   ///< printable
  std::string facts;  ///< "504 ms more than its roof needs (12% of the run)"
  std::string why;
  std::vector<std::string> tries;  ///< advice with its gain and what would falsify it
  std::vector<std::string> notes;
};
/// The regions that lost most against their roofs, by their own work.
std::vector<Explanation> explanations(const Profile& profile, const std::string& level,
                                      std::size_t most);

/// "2.1 GHz, measured"; "at least 2.1 GHz, estimated".
/// Where the code of a region lies that was found: "two.c:5-7", or its object file; empty: it was
/// marked.
std::string place_text(const Region& region);

std::string clock_text(const Measure& clock_hz);

/// "bytes.DRAM of 3 regions: REASON. To change it: FIX."
std::string sentence(const Absences::Entry& entry, std::size_t regions);

/// At most so many regions are named for each flag; 0: all.
std::vector<std::string> flag_sentences(const Profile& profile, std::size_t most_named);

/// By which means regions of functions were made, and what a call of them cost.
std::vector<std::string> function_sentences(const Profile& profile);

/// Passes, and what the markers cost.
std::vector<std::string> pass_sentences(const Profile& profile);

/// Notes of the profile and of the machine.
std::vector<std::string> note_sentences(const Profile& profile);

/// The machine's own roof for the precisions in use.
std::vector<ChartCeiling> own_roof(const Profile& profile, const std::vector<RegionRow>& rows);

/// Every other ceiling of it: other patterns, widths, operations and numbers of cores.
std::vector<ChartCeiling> other_ceilings(const Profile& profile,
                                         const std::vector<RegionRow>& rows);

/// "-3% to +1%"; empty where the spread is not known.
/// The roof of one GPU, for what kernels did on it.
std::vector<ChartCeiling> own_roof_of(const Profile& profile, const Gpu& gpu);

std::string spread_of(const Interval& ceiling);

}  // namespace roofmark::report
