#include "checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "within_range.hpp"

namespace roofmark {
namespace {

constexpr double attained_share = 0.99;
constexpr double scaling_share = 0.75;
constexpr double faster_than_inner = 1.05;
constexpr double disturbed_share = 0.9;  // two hardware threads of a core cost each other a little

void flag(std::vector<std::string>& flags, const char* name) {
  if (std::find(flags.begin(), flags.end(), name) == flags.end()) flags.emplace_back(name);
}

void check_theory(Machine& machine) {
  unsigned below = 0, checked = 0;
  for (ComputeCeiling& ceiling : machine.compute) {
    if (ceiling.sustained || ceiling.threads != 1) continue;
    const auto fit = fit_pipes(ceiling);
    const bool noisy =
        std::find(ceiling.flags.begin(), ceiling.flags.end(), "noisy") != ceiling.flags.end();
    if (!fit || noisy) continue;  // what is noisy can't be held to 1 %
    ++checked;
    if (fit->share >= attained_share && fit->share <= 2 - attained_share) continue;
    flag(ceiling.flags, "below_theory");
    ++below;
  }
  if (below != 0)
    machine.notes.push_back(
        fmt::format("{} of {} compute ceilings of one core fit no whole number of pipes within 1 % "
                    "(width x pipes x clock); they are flagged below_theory.",
                    below, checked));
}

const ComputeCeiling* alone(const Machine& machine, const ComputeCeiling& many) {
  for (const ComputeCeiling& one : machine.compute)
    if (one.threads == 1 && one.scope == "core" && !one.sustained &&
        one.precision == many.precision && one.isa == many.isa && one.operation == many.operation)
      return &one;
  return nullptr;
}

/// L1 has a ceiling for each instruction set; of what lies further out the set is merely that of
/// the kernel that won, and one core's winner may be another than that of all.
const BandwidthCeiling* alone(const Machine& machine, const BandwidthCeiling& many) {
  const BandwidthCeiling* best = nullptr;
  for (const BandwidthCeiling& one : machine.bandwidth) {
    const bool same = one.threads == 1 && one.scope == "core" && one.level == many.level &&
                      one.pattern == many.pattern && one.page_bytes == many.page_bytes &&
                      (many.level != "L1" || one.isa == many.isa);
    if (same && (best == nullptr || one.interface_bytes_per_s > best->interface_bytes_per_s))
      best = &one;
  }
  return best;
}

/// The range goes with the value that stands.
template <class Ceiling>
void take_range(Ceiling& many, const Ceiling& one) {
  many.low = one.low;
  many.high = std::max(many.high, one.high);
  hold_within_range(many);
  flag(many.flags, "below_one_core");
}

/// Several cores can do what one of them does while the others rest.
void check_one_core(Machine& machine) {
  unsigned raised = 0;
  for (ComputeCeiling& many : machine.compute) {
    const ComputeCeiling* one =
        many.threads > 1 && !many.sustained ? alone(machine, many) : nullptr;
    if (one == nullptr || many.flop_per_s >= disturbed_share * one->flop_per_s) continue;
    many.flop_per_s = one->flop_per_s;
    many.flop_per_cycle = one->flop_per_cycle;
    take_range(many, *one);
    ++raised;
  }
  for (BandwidthCeiling& many : machine.bandwidth) {
    const BandwidthCeiling* one = many.threads > 1 ? alone(machine, many) : nullptr;
    if (one == nullptr ||
        many.interface_bytes_per_s >= disturbed_share * one->interface_bytes_per_s)
      continue;
    many.interface_bytes_per_s = one->interface_bytes_per_s;
    many.program_bytes_per_s = one->program_bytes_per_s;
    take_range(many, *one);
    ++raised;
  }
  if (raised != 0)
    machine.notes.push_back(fmt::format(
        "{} ceiling{} of several cores {} measured below one core's, which several cores attain as "
        "well: one core's stand{} instead, flagged below_one_core. Other programs had the cores; "
        "`roofmark machine --refresh` on a quiet machine.",
        raised, raised == 1 ? "" : "s", raised == 1 ? "was" : "were", raised == 1 ? "s" : ""));
}

void check_scaling(Machine& machine) {
  double worst = 1;
  unsigned threads = 0;
  for (ComputeCeiling& many : machine.compute) {
    const ComputeCeiling* one =
        many.threads > 1 && !many.sustained ? alone(machine, many) : nullptr;
    if (one == nullptr) continue;
    const double share = many.flop_per_s / (one->flop_per_s * many.threads);
    if (share >= scaling_share) continue;
    flag(many.flags, "shared_core");
    if (many.operation != Operation::fma || share >= worst) continue;
    worst = share;
    threads = many.threads;
  }
  if (threads != 0)
    machine.notes.push_back(
        fmt::format("{} cores together attain only {:.2f} of {} times one core's FMA peak: they "
                    "share a physical "
                    "core, a power limit, or the host's time.",
                    threads, worst, threads));
}

void check_levels(Machine& machine) {
  std::vector<std::string> order;
  for (const CacheLevel& cache : machine.topology.caches) order.push_back(cache.name);
  auto place = [&](const std::string& level) {
    return std::find(order.begin(), order.end(), level) - order.begin();
  };
  std::set<std::string> named;
  for (BandwidthCeiling& outer : machine.bandwidth) {
    if (outer.pattern != "read") continue;
    // The best of each level inside: L1 has one ceiling per instruction set.
    for (const std::string& level : order) {
      if (place(level) >= place(outer.level)) break;
      double best = 0;
      for (const BandwidthCeiling& inner : machine.bandwidth)
        if (inner.level == level && inner.pattern == "read" && inner.scope == outer.scope &&
            inner.threads == outer.threads)
          best = std::max(best, inner.interface_bytes_per_s);
      if (best <= 0 || outer.interface_bytes_per_s <= faster_than_inner * best) continue;
      flag(outer.flags, "above_inner_level");
      if (named.insert(outer.level + level).second)
        machine.notes.push_back(fmt::format(
            "{} was read faster than {}: one of the two is disturbed.", outer.level, level));
    }
  }
}

/// Of the same memory near the cores: what as many of them attain, or the next more that were
/// measured. More cores than that attain what says nothing of these. 0: not measured.
double local_of(const Machine& machine, const BandwidthCeiling& far) {
  unsigned threads = 0;
  double best = 0;
  for (const BandwidthCeiling& near : machine.bandwidth) {
    if (near.level != far.level || near.pattern != far.pattern || near.threads < far.threads)
      continue;
    if (threads == 0 || near.threads < threads) {
      threads = near.threads;
      best = 0;
    }
    if (near.threads == threads) best = std::max(best, near.interface_bytes_per_s);
  }
  return best;
}

/// What comes from further away can't come faster.
void check_remote(Machine& machine) {
  for (BandwidthCeiling& far : machine.apart_bandwidth) {
    if (far.placement != "remote") continue;
    const double local = local_of(machine, far);
    if (local <= 0 || far.interface_bytes_per_s <= faster_than_inner * local) continue;
    flag(far.flags, "above_local");
    if (far.pattern == "read")
      machine.notes.push_back(
          fmt::format("Remote {} was read faster than the cores' own: one of the two is disturbed.",
                      far.level));
  }
}

}  // namespace

std::optional<PipeFit> fit_pipes(const ComputeCeiling& ceiling) {
  const bool piped = ceiling.operation == Operation::fma || ceiling.operation == Operation::add ||
                     ceiling.operation == Operation::mul;
  if (!piped || ceiling.flop_per_cycle <= 0) return std::nullopt;
  const unsigned element_bits = ceiling.precision == Precision::f64 ? 64 : 32;
  const double lanes = ceiling.width_bits == 0 ? 1 : ceiling.width_bits / element_bits;
  const double per_pipe = lanes * (ceiling.operation == Operation::fma ? 2 : 1);
  const double pipes = ceiling.flop_per_cycle / per_pipe / ceiling.threads;
  PipeFit fit;
  fit.pipes = static_cast<unsigned>(std::max(std::lround(pipes), 1L));
  fit.share = pipes / fit.pipes;
  return fit;
}

void check_machine(Machine& machine) {
  check_theory(machine);
  check_one_core(machine);
  check_scaling(machine);
  check_levels(machine);
  check_remote(machine);
}

}  // namespace roofmark
