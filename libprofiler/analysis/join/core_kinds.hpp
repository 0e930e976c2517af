// Machines with several kinds of cores: a group of one kind runs only while its thread is there, so
// that running < enabled alone says nothing of others that had the counters. The running times of
// the kinds have to add up to the whole.
#pragma once

#include <analysis/join/event_sums.hpp>

namespace roofmark {

/// What is missing of the whole may be this share before visits count as not counted whole; above
/// `unnoticed_loss` it makes the count a range.
inline constexpr double noticed_loss = 0.01, unnoticed_loss = 0.001;
/// Threads may have been this share of the time on a kind that can't count a quantity before it is
/// absent: up to that it is a lower bound.
inline constexpr double seldom_there = 0.01;

/// Of one region: each group as if it had run all the time that its set did, with the share of the
/// time that was its kind's. Nothing on machines with one kind of core.
void settle_kinds(const CounterPlan& plan, RegionSums& sums);

/// The share of the time in which threads were on a kind of core while the formula's events were
/// counted, in sums that are settled. Nothing where that is not known.
std::optional<double> share_on(const CounterPlan& plan, const RegionSums& sums,
                               const Formula& formula, unsigned kind);

/// Visits of a node that a pass counted whole, on whichever kinds of cores.
std::uint64_t whole_visits(const CounterPlan& plan, unsigned pass, const RawNode& node);

}  // namespace roofmark
