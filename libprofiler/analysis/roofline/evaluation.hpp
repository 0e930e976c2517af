// A region's counts turned into times: what each ceiling alone would need for the work.
#pragma once

#include <map>
#include <optional>
#include <roofmark/profile.hpp>
#include <roofmark/roofline.hpp>
#include <string>
#include <vector>

namespace roofmark::model {

struct TrafficOfRegion;

enum class Kind { compute, memory };

/// One ceiling's share in a region: work / ceiling.
struct Part {
  Kind kind = Kind::memory;
  std::string name;  ///< interface, or the heaviest class: "DRAM", "divide", "f64 scalar add"
  double seconds = 0;
  double amount = 0;  ///< FLOPs or interface bytes
  Ceiling ceiling;
  double uncertainty = 0;           ///< relative: of the ceiling and of the count
  double amount_uncertainty = 0;    ///< relative: of the count
  Source source = Source::counted;  ///< of the amount
  bool mixed_precision = false;     ///< several precisions one after the other on the same pipes
};

/// The parts of some work, and what they account for. For a parent the sum over its self work and
/// its serial children.
struct Explained {
  double overlapped = 0;  ///< seconds: the largest part
  double serial = 0;      ///< seconds: all parts
  /// Seconds of the binding parts by name; one entry unless this is a sum over children.
  std::map<std::string, Part> binding;
};
Explained explain(const std::vector<Part>& parts);
void add(Explained& sum, const Explained& child);
/// The part with most of the explained time; nothing where nothing is explained.
const Part* binding_part(const Explained& explained);
const Part* largest(const std::vector<Part>& parts, Kind kind);

/// How a roof is built from the classes of the work; the ladder changes one at a time.
struct Setting {
  double cores = 1;
  bool vectorised = false;                      ///< as if all work were in the widest registers
  bool fused = false;                           ///< as if multiplies and adds were fused
  std::optional<double> large_page_share = {};  ///< of memory; nothing: as if all of it
  std::optional<double> clock_hz = {};          ///< of its cores; nothing: the ceilings' own
  std::string memory_kind = {};                 ///< empty: not known, the fastest counts
};

/// Counts of one piece of work with what it takes to place it.
struct Evaluation {
  std::optional<double> wall_s;
  double wall_uncertainty = 0;
  bool flop_counted = false;
  std::string uncounted_flop;  ///< "FLOPs of f32 not counted", beside those that were; empty: none
  std::uint64_t flop = 0;      ///< of all precisions, to tell zero from some; never shown as a sum
  std::optional<Precision> precision;  ///< dominant
  std::string tensor;  ///< the type of matrix units that is dominant instead; empty: vector units
  double point_flop = 0;  ///< of that precision
  Source flop_source = Source::counted;
  double flop_uncertainty = 0;
  double cores = 1;
  std::optional<double> large_page_share;  ///< of the program's memory
  std::optional<double> clock_hz;          ///< that the region's compute ceilings follow
  std::string memory_kind;                 ///< of the program's memory; empty: not known

  std::vector<Part> machine;                    ///< against the topmost ceilings
  std::optional<std::vector<Part>> as_written;  ///< nothing: withheld
  /// Where it is withheld: topmost operations, but of the cores that the region used.
  std::vector<Part> placed;
  std::map<std::string, LevelPlacement> levels;

  std::vector<std::string> uncounted;  ///< "DRAM not counted": what may bound and is not known
  bool main_memory_uncounted = false;
  std::optional<std::string> no_ceiling;  ///< "no ceiling for f16"
  std::vector<std::string> notes;
};

/// See Program; what was not seen is empty.
struct MemoryOfProgram {
  std::optional<double> large_page_share = {};
  std::string kind = {};
  std::optional<double> remote_share = {};
};

Evaluation evaluate(const Work& work, const Region& region, const Machine& machine,
                    const MemoryOfProgram& memory = {});

/// The setting in which the region ran.
Setting as_it_ran(const Evaluation& evaluation);

/// The parts of the as-written roof for a setting; the mix must be known.
std::vector<Part> written_parts(const Work& work, const Region& region, const Machine& machine,
                                const Setting& setting);
/// The same for traffic that is known already: traffic_of(), of the setting's kind of memory.
std::vector<Part> written_parts(const Work& work, const TrafficOfRegion& traffic,
                                const Machine& machine, const Setting& setting);

/// Mean number of cores that the region kept busy; the machine's where it is not known.
double cores_used(const Region& region, const Work& work, const Machine& machine);

}  // namespace roofmark::model
