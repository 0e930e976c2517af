// Between evaluation and text: everything that verdict, ladder, sentence and advice rest on.
#pragma once

#include <optional>
#include <roofmark/profile.hpp>
#include <string>
#include <vector>

#include "analysis/roofline/evaluation.hpp"

namespace roofmark::model {

/// One piece of work under judgement, of a region alone or with its children.
struct Case {
  const Work& work;
  const Region& region;
  const Machine& machine;
  Evaluation evaluation;
  Explained machine_time;                 ///< against the topmost ceilings
  std::optional<Explained> written_time;  ///< nothing: withheld
  Explained time;       ///< what the verdict rests on: as written, or what is nearest to it
  bool is_sum = false;  ///< self work and serial children, not one kernel
  std::optional<double> waited_share = {};         ///< of the program's threads, for a core
  std::optional<double> remote_memory_share = {};  ///< see Program
};

/// The parts of the same, of one kernel.
const std::vector<Part>& evidence(const Evaluation& evaluation);
std::optional<double> fraction(const Case& it, const Explained& time);
/// Relative uncertainty of the fractions.
double uncertainty(const Case& it);

struct Decision {
  Verdict verdict = Verdict::undetermined;
  std::string detail;
};
Decision decide(const Case& it);

Side side_against_machine(const Case& it);
Side side_as_written(const Case& it);

std::vector<Rung> ladder(const Case& it);
std::string why(const Case& it, const Roofline& roofline);
std::vector<Advice> advice(const Case& it, const Roofline& roofline);

/// Instructions per cycle and busy core; nothing where one of the three is not known.
std::optional<double> instructions_per_cycle(const Case& it);
/// What the idle cores of a region of several threads would give, limited by the machine roof.
double gain_of_idle_cores(const Case& it);
double gain_of_balance(const Case& it);
/// Share of the time in MPI calls, of a mean rank; nothing where none were seen.
std::optional<double> communication_share(const Case& it);
/// The rank that the others wait for in MPI calls: it waits less than half of their mean.
std::optional<std::uint64_t> awaited_rank(const Case& it);
/// How launching kernels keeps a GPU; nothing where the gaps between them or the calls that launch
/// are not known, and of work on processors.
struct LaunchFacts {
  double idle_s = 0, span_s = 0;  ///< gaps, from the first kernel to the last
  double launch_s = 0;            ///< of the host, in calls that launch
  std::uint64_t calls = 0;        ///< that launch
  double kernel_mean_s = 0;       ///< of one launch
};
std::optional<LaunchFacts> launch_facts(const Case& it);
/// Whether launching is what takes the time, by the thresholds.
bool is_launch_bound(const Case& it);
/// The time that it was neither in MPI calls nor asleep; nothing where none of these was seen.
std::optional<double> working_s(const Case& it);
/// Share of the FLOPs of known mix that is scalar / fused; nothing where the mix is not known.
std::optional<double> scalar_share(const Work& work);
std::optional<double> fused_share(const Work& work);

}  // namespace roofmark::model
