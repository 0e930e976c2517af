#include "analysis/roofline/compute_time.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/roofline/ceilings.hpp"

namespace roofmark::model {
namespace {

using Key = std::pair<Precision, unsigned>;  // classes of one precision and width
using Amounts = std::map<Operation, double>;

bool is_divider(Operation operation) {
  return operation == Operation::div || operation == Operation::sqrt;
}

/// Multiplies and adds in equal number run side by side on machines with a pipe for each: they are
/// set against the ceiling of that mixture, the rest against that of its own operation.
void pair_up(Amounts& amounts) {
  const double paired = std::min(amounts[Operation::mul], amounts[Operation::add]);
  amounts[Operation::mul] -= paired;
  amounts[Operation::add] -= paired;
  amounts[Operation::muladd] += 2 * paired;
}

void fuse(Amounts& amounts) {
  amounts[Operation::fma] += std::exchange(amounts[Operation::muladd], 0);
}

std::map<Key, Amounts> by_class(const std::vector<ComputeClass>& mix, const Machine& machine,
                                const Setting& setting) {
  std::map<Key, Amounts> classes;
  for (const ComputeClass& part : mix) {
    const unsigned width = setting.vectorised ? widest(machine, part.precision) : part.width_bits;
    classes[{part.precision, width}][part.operation] += double(part.flop);
  }
  for (auto& [key, amounts] : classes) {
    pair_up(amounts);
    if (setting.fused) fuse(amounts);
  }
  return classes;
}

/// The port group as it is filled class by class; it is named after its heaviest class.
struct Group {
  Part part;
  double heaviest_s = 0;
  std::optional<Precision> precision;
  void add(double flop, Precision of, const Ceiling& ceiling, std::string name) {
    part.mixed_precision = part.mixed_precision || (precision && *precision != of);
    precision = of;
    const double seconds = flop / ceiling.per_s;
    const double known = part.seconds;
    part.seconds += seconds;
    part.amount += flop;
    part.uncertainty =
        part.seconds > 0
            ? (part.uncertainty * known + uncertainty_of(ceiling) * seconds) / part.seconds
            : 0;
    if (seconds > heaviest_s) {
      heaviest_s = seconds;
      part.ceiling = ceiling;
      part.name = std::move(name);
    }
  }
};

std::string divider_name(Operation operation) {
  return operation == Operation::div ? "divide" : "square root";
}

}  // namespace

ComputeParts compute_parts(const std::vector<ComputeClass>& mix, const Machine& machine,
                           const Setting& setting) {
  ComputeParts made;
  Group pipes, divider;
  pipes.part.kind = divider.part.kind = Kind::compute;
  for (const auto& [key, amounts] : by_class(mix, machine, setting)) {
    for (const auto& [operation, flop] : amounts) {
      if (!(flop > 0)) continue;
      const auto ceiling = compute_ceiling(machine, key.first, key.second, operation, setting.cores,
                                           setting.clock_hz);
      if (!ceiling)
        made.flop_without_ceiling += flop;
      else if (is_divider(operation))
        divider.add(flop, key.first, *ceiling, divider_name(operation));
      else
        pipes.add(flop, key.first, *ceiling, ceiling->name);
    }
  }
  for (Group* group : {&pipes, &divider}) {
    if (!(group->part.seconds > 0)) continue;
    group->part.ceiling.per_s = group->part.amount / group->part.seconds;  // the mean of the mix
    made.parts.push_back(std::move(group->part));
  }
  return made;
}

ComputeTime topmost_compute(const Work& work, Source declared_source, const Machine& machine,
                            double cores, std::optional<double> clock_hz) {
  std::map<Precision, double> flop;
  for (const auto& [precision, count] : work.flop)
    if (count.value > 0) flop[precision] = double(count.value);
  if (declared_source == Source::declared && work.flop.empty() && work.declared_flop)
    flop[Precision::f64] = double(work.declared_flop->value);
  ComputeTime made;
  Group all;
  all.part.kind = Kind::compute;
  all.part.source = declared_source;
  for (const auto& [precision, amount] : flop) {
    const auto peak = topmost_peak(machine, precision, cores, clock_hz);
    if (peak)
      all.add(amount, precision, *peak, peak->name);
    else if (!made.no_ceiling)
      made.no_ceiling =
          no_machine(machine).value_or("no ceiling for " + std::string(spelling(precision)));
  }
  if (all.part.seconds > 0) {
    all.part.ceiling.per_s = all.part.amount / all.part.seconds;
    made.part = std::move(all.part);
  }
  return made;
}

}  // namespace roofmark::model
