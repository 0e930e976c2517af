#include "analysis/roofline/ceilings.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "analysis/roofline/curve.hpp"
#include "analysis/roofline/gpu_machine.hpp"
#include "analysis/roofline/sane.hpp"
#include "analysis/roofline/thresholds.hpp"

namespace roofmark::model {
namespace {

std::string name_of(const ComputeCeiling& ceiling) {
  return std::string(spelling(ceiling.precision)) + " " + ceiling.isa + " " +
         std::string(spelling(ceiling.operation));
}

Ceiling as_ceiling(const ComputeCeiling& from) {
  return {name_of(from), from.flop_per_s, from.low, from.high, double(from.threads), from.source};
}

/// One thread a core is the peak; hyper-threads are apart.
bool within_cores(unsigned threads, const Machine& machine) {
  return threads >= 1 && threads <= std::max(1U, machine.topology.cores);
}

/// The clock that a ceiling was measured at is its own where that was seen, else the machine's.
double to_clock(const ComputeCeiling& ceiling, const Machine& machine,
                std::optional<double> clock_hz) {
  if (!clock_hz || !is_rate(*clock_hz)) return 1;
  double measured_hz = machine.clock_hz.value_or(0);
  if (is_rate(ceiling.flop_per_cycle)) measured_hz = ceiling.flop_per_s / ceiling.flop_per_cycle;
  return is_rate(measured_hz) ? *clock_hz / measured_hz : 1;
}

/// Of ceilings of one class.
std::optional<Ceiling> curve_of(const std::vector<const ComputeCeiling*>& ceilings,
                                const Machine& machine, double cores,
                                std::optional<double> clock_hz) {
  Curve curve;
  // Of equal core counts a sustained clock comes before a burst, then the higher value.
  std::map<unsigned, bool> sustained;
  for (const ComputeCeiling* ceiling : ceilings)
    if (ceiling->sustained) sustained[ceiling->threads] = true;
  for (const ComputeCeiling* ceiling : ceilings) {
    if (!is_rate(ceiling->flop_per_s) || !within_cores(ceiling->threads, machine)) continue;
    if (sustained[ceiling->threads] && !ceiling->sustained) continue;
    curve.add(scaled(as_ceiling(*ceiling), to_clock(*ceiling, machine, clock_hz)));
  }
  return curve.at(std::clamp(cores, 1.0, double(cores_of(machine))), Curve::Beyond::scale);
}

template <class Wanted>
std::optional<Ceiling> compute_curve(const Machine& machine, double cores,
                                     std::optional<double> clock_hz, Wanted wanted) {
  std::vector<const ComputeCeiling*> ceilings;
  for (const ComputeCeiling& ceiling : machine.compute)
    if (wanted(ceiling)) ceilings.push_back(&ceiling);
  return curve_of(ceilings, machine, cores, clock_hz);
}

unsigned bits(Precision precision) {
  switch (precision) {
    case Precision::f32:
    case Precision::tf32:
      return 32;
    case Precision::f16:
    case Precision::bf16:
      return 16;
    case Precision::fp8:
      return 8;
    case Precision::fp4:
      return 4;
    default:
      return 64;
  }
}

double lanes(unsigned width_bits, Precision precision) {
  return width_bits == 0 ? 1 : double(width_bits) / bits(precision);
}

struct Stand {
  Operation operation;
  double factor;
};

/// What may stand in for an operation that has no ceiling of its own: never something slower.
std::vector<Stand> stands_for(Operation operation) {
  switch (operation) {
    case Operation::fma:
      return {{Operation::fma, 1}, {Operation::muladd, 1}, {Operation::add, 1}};
    case Operation::add:
      return {{Operation::add, 1}, {Operation::mul, 1}, {Operation::fma, 0.5}};
    case Operation::mul:
      return {{Operation::mul, 1}, {Operation::add, 1}, {Operation::fma, 0.5}};
    case Operation::muladd:
      return {{Operation::muladd, 1}, {Operation::fma, 1}};
    case Operation::div:
      return {{Operation::div, 1}};
    case Operation::sqrt:
      return {{Operation::sqrt, 1}, {Operation::div, 1}};
    case Operation::other:
      return {{Operation::add, 1}, {Operation::mul, 1}, {Operation::fma, 0.5}};
  }
  return {};
}

}  // namespace

std::optional<std::string> no_machine(const Machine& machine) {
  if (!machine.compute.empty() || !machine.bandwidth.empty() || is_gpu(machine))
    return std::nullopt;
  const bool asked = std::any_of(machine.notes.begin(), machine.notes.end(), [](const auto& note) {
    return note.find("--no-machine") != std::string::npos;
  });
  return asked ? "no machine was measured: --no-machine" : "no machine was measured";
}

unsigned cores_of(const Machine& machine) {
  unsigned cores = std::max(1U, machine.topology.cores);
  return cores;
}

bool is_main_memory(const std::string& level) {
  if (level == "shared" || level == "TMA") return false;  // inside a GPU's multiprocessor
  return level.empty() || level[0] != 'L';
}

double uncertainty_of(const Ceiling& ceiling) {
  const double spread = (ceiling.high - ceiling.low) / 2;
  if (!is_rate(ceiling.per_s) || !std::isfinite(spread) || spread <= 0) return 0;
  return std::min(spread / ceiling.per_s, thresholds().spread_cap);
}

std::optional<Ceiling> compute_ceiling(const Machine& machine, Precision precision,
                                       unsigned width_bits, Operation operation, double cores,
                                       std::optional<double> clock_hz) {
  // x87 has no ceiling of its own, and hardware that can't split precisions counts mostly doubles.
  if (precision == Precision::x87 || precision == Precision::any) {
    auto stand =
        compute_ceiling(machine, Precision::f64, precision == Precision::x87 ? 0 : width_bits,
                        operation, cores, clock_hz);
    if (stand) stand->source = Source::theoretical;
    return stand;
  }
  for (const Stand& stand : stands_for(operation)) {
    auto found = compute_curve(machine, cores, clock_hz, [&](const ComputeCeiling& ceiling) {
      return ceiling.precision == precision && ceiling.width_bits == width_bits &&
             ceiling.operation == stand.operation;
    });
    if (!found) continue;
    if (stand.operation == operation) return found;
    found->source = Source::theoretical;
    return scaled(*found, stand.factor);
  }
  // Another width of the same class, by its number of lanes.
  for (const ComputeCeiling& other : machine.compute) {
    if (other.precision != precision || other.width_bits == width_bits) continue;
    if (other.operation != operation || !is_rate(other.flop_per_s)) continue;
    auto found = compute_curve(machine, cores, clock_hz, [&](const ComputeCeiling& ceiling) {
      return ceiling.precision == precision && ceiling.width_bits == other.width_bits &&
             ceiling.operation == operation;
    });
    if (!found) continue;
    found->source = Source::theoretical;
    return scaled(*found, lanes(width_bits, precision) / lanes(other.width_bits, precision));
  }
  return std::nullopt;
}

std::optional<Ceiling> topmost_peak(const Machine& machine, Precision precision, double cores,
                                    std::optional<double> clock_hz) {
  if (precision == Precision::x87)
    return compute_ceiling(machine, precision, 0, Operation::add, cores, clock_hz);
  if (precision == Precision::any) precision = Precision::f64;
  // The ceilings of each class are gone through once, not all of them for each class.
  std::map<std::pair<unsigned, Operation>, std::size_t> known;
  std::vector<std::vector<const ComputeCeiling*>> classes;  // in the order of the machine
  for (const ComputeCeiling& ceiling : machine.compute) {
    if (ceiling.precision != precision) continue;
    const auto [at, is_new] =
        known.try_emplace({ceiling.width_bits, ceiling.operation}, classes.size());
    if (is_new) classes.emplace_back();
    classes[at->second].push_back(&ceiling);
  }
  std::optional<Ceiling> best;
  for (const auto& ceilings : classes) {
    const ComputeCeiling& one = *ceilings.front();
    auto found = curve_of(ceilings, machine, cores, clock_hz);
    if (!found || one.operation == Operation::other)
      found = compute_ceiling(machine, precision, one.width_bits, one.operation, cores, clock_hz);
    if (found && (!best || found->per_s > best->per_s)) best = found;
  }
  return best;
}

unsigned widest(const Machine& machine, Precision precision) {
  unsigned width = 0;
  for (const ComputeCeiling& ceiling : machine.compute)
    if (ceiling.precision == precision) width = std::max(width, ceiling.width_bits);
  return width;
}

std::optional<MachineRoof> topmost_roof(const Machine& machine, Precision precision) {
  const auto peak = topmost_peak(machine, precision, cores_of(machine));
  if (!peak) return std::nullopt;
  MachineRoof roof{*peak, {}};
  for (const std::string& level : interfaces(machine))
    if (const auto bandwidth = topmost_bandwidth(machine, level))
      roof.levels.push_back({level, *bandwidth});
  return roof;
}

}  // namespace roofmark::model

namespace roofmark {

std::optional<MachineRoof> machine_roof(const Machine& machine, Precision precision) {
  return model::topmost_roof(machine, precision);
}

}  // namespace roofmark
