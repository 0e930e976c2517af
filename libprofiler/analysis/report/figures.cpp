// Numbers of a region, or the reasons why there are none.
#include <algorithm>
#include <analysis/profile/uncounted_flop.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "analysis/roofline/traffic.hpp"
#include "numbers.hpp"
#include "region_row.hpp"

namespace roofmark::report {
namespace {

/// True where a missing entry for `listed` covers `quantity`: "bytes" covers "bytes.DRAM".
bool covers(const std::string& listed, const std::string& quantity) {
  if (quantity == listed) return true;
  return quantity.size() > listed.size() && quantity.compare(0, listed.size(), listed) == 0 &&
         quantity[listed.size()] == '.';
}

Figure absent(const std::string& quantity, const std::vector<Missing>& missing,
              const std::string& otherwise) {
  Figure figure;
  figure.quantity = quantity;
  figure.reason = otherwise;
  for (const Missing& entry : missing) {
    // An entry for one direction or precision explains the whole as well.
    if (!covers(entry.quantity, quantity) && !covers(quantity, entry.quantity)) continue;
    figure.quantity = entry.quantity;
    figure.reason = entry.reason;
    figure.fix = entry.fix;
    break;
  }
  if (figure.reason.empty()) figure.reason = "not counted";
  return figure;
}

Figure figure_of(const Count& count) {
  Figure figure;
  Interval number{static_cast<double>(count.value), {}, {}};
  if (count.low) number.low = static_cast<double>(*count.low);
  if (count.high) number.high = static_cast<double>(*count.high);
  figure.number = number;
  figure.source = count.source;
  return figure;
}

/// Of two sources the one that is further from a direct observation.
Source weaker(Source a, Source b) {
  return std::max(a, b);
}

Figure sum(const Figure& a, const Figure& b) {
  if (!a) return a;
  if (!b) return b;
  Figure figure = a;
  figure.number->value += b.number->value;
  if (a.number->low || b.number->low)
    figure.number->low =
        a.number->low.value_or(a.number->value) + b.number->low.value_or(b.number->value);
  if (a.number->high || b.number->high)
    figure.number->high =
        a.number->high.value_or(a.number->value) + b.number->high.value_or(b.number->value);
  figure.source = weaker(*a.source, *b.source);
  return figure;
}

}  // namespace

int distance_of_level(const std::string& level) {
  if (level.size() >= 2 && level[0] == 'L' && level[1] >= '0' && level[1] <= '9')
    return level[1] - '0';
  // Inside a GPU's multiprocessor, and between L2 and that.
  if (level == "shared") return 0;
  if (level == "TMA") return 2;
  return 100;
}

Figure ratio(const Figure& dividend, const Figure& divisor) {
  Figure figure;
  if (!dividend || !divisor) {
    figure = dividend ? divisor : dividend;
    figure.number.reset();
    return figure;
  }
  const Interval& a = *dividend.number;
  const Interval& b = *divisor.number;
  const double value = a.value / b.value;
  if (!std::isfinite(value) || b.value == 0) {
    figure.reason = "divided by a measured zero";
    return figure;
  }
  figure.number = Interval{value, {}, {}};
  if (a.low || b.high) {
    const double low = a.low.value_or(a.value) / b.high.value_or(b.value);
    if (std::isfinite(low)) figure.number->low = low;
  }
  if (a.high || b.low) {
    const double high = a.high.value_or(a.value) / b.low.value_or(b.value);
    // The divisor may be nothing: there is no upper bound, and that is no small spread.
    figure.number->high = std::isfinite(high) ? high : std::numeric_limits<double>::infinity();
  }
  figure.source =
      weaker(dividend.source.value_or(Source::measured), divisor.source.value_or(Source::measured));
  return figure;
}

Figure time_of(const Work& work, const std::vector<Missing>& missing) {
  if (!work.wall_s || !std::isfinite(work.wall_s->value) || work.wall_s->value < 0)
    return absent("time.wall", missing, "no time was recorded");
  Figure figure;
  figure.number = Interval{work.wall_s->value, work.wall_s->low, work.wall_s->high};
  figure.source = work.wall_s->source;
  return figure;
}

std::vector<Rate> rates_of(const Work& work, const std::vector<Missing>& missing) {
  std::vector<Rate> rates;
  for (const auto& [precision, count] : work.flop)
    rates.push_back({precision, std::string(spelling(precision)), figure_of(count), {}});
  for (const auto& [type, count] : work.tensor)
    if (count.value > 0) rates.push_back({Precision::any, "tensor " + type, figure_of(count), {}});
  std::stable_sort(rates.begin(), rates.end(),
                   [](const Rate& a, const Rate& b) { return a.flop.value() > b.flop.value(); });
  if (rates.empty() && work.declared_flop)
    rates.push_back({Precision::any, "any", figure_of(*work.declared_flop), {}});
  if (rates.empty())
    rates.push_back({Precision::any,
                     "any",
                     absent("flop", missing, "this recording has no count of FLOPs"),
                     {}});
  // None in one precision is not none in all where another one was not counted.
  if (const auto other = uncounted_flop(work, missing); other && counts_no_flop(work)) {
    Figure unknown;
    unknown.quantity = other->quantity;
    unknown.reason = other->reason;
    unknown.fix = other->fix;
    rates = {{Precision::any, "any", unknown, {}}};
  }
  const Figure time = time_of(work, missing);
  for (Rate& rate : rates) {
    rate.flop_per_s = ratio(rate.flop, time);
    if (!rate.flop_per_s && rate.flop && time) {
      rate.flop_per_s.quantity = "time.wall";
      rate.flop_per_s.reason = "the time was too short for the clock";
    }
  }
  return rates;
}

Figure bytes_at(const Work& work, const std::string& level, const std::vector<Missing>& missing) {
  const std::string quantity = "bytes." + (level.empty() ? std::string("DRAM") : level);
  const auto found = work.bytes.find(level);
  if (found != work.bytes.end() && found->second.read && found->second.write)
    return sum(figure_of(*found->second.read), figure_of(*found->second.write));
  if (found != work.bytes.end() && found->second.total) return figure_of(*found->second.total);
  // A declared number stands for memory traffic, since nobody can declare what a cache lets
  // through.
  if (found == work.bytes.end() && work.declared_bytes && distance_of_level(level) >= 100)
    return figure_of(*work.declared_bytes);
  if (found != work.bytes.end() && (found->second.read || found->second.write)) {
    const std::string direction = found->second.read ? "write" : "read";
    return absent(quantity + "." + direction, missing, "only the other direction was counted");
  }
  return absent(quantity, missing, "this recording has no count of these bytes");
}

Figure bytes_for_intensity(const Region& region, const Work& work, const std::string& level) {
  Figure bytes = bytes_at(work, level, region.missing);
  const auto why = model::other_scope(level, work, region);
  if (!bytes || !why) return bytes;
  bytes.number.reset();
  bytes.source.reset();
  bytes.quantity = "bytes." + level;
  bytes.reason = *why;
  bytes.fix =
      "count the program alone (--counters emulated), or import with --alone where nothing else "
      "ran";
  return bytes;
}

Figure event_at(const Work& work, const std::string& name, const std::vector<Missing>& missing) {
  const auto found = work.events.find(name);
  if (found != work.events.end()) return figure_of(found->second);
  return absent("events." + name, missing, "it was not counted for this region");
}

std::optional<Scatter> scatter_of_visits(const Region& region) {
  const auto& visit = region.visit_s;
  const auto& time = region.work.thread_s ? region.work.thread_s : region.work.wall_s;
  if (region.visits < 2 || !visit || !time) return std::nullopt;
  const double mean = time->value / static_cast<double>(region.visits);
  if (!(mean > 0) || !(visit->stddev > 0) || !std::isfinite(mean + visit->stddev))
    return std::nullopt;
  double longest = mean + visit->stddev, shortest = mean - visit->stddev;
  if (visit->max > mean) longest = std::min(longest, visit->max);
  if (visit->min > 0 && visit->min < mean) shortest = std::max(shortest, visit->min);
  if (!(shortest > 0)) return std::nullopt;  // the fastest one is not known
  return Scatter{mean / longest, mean / shortest};
}

Figure run_time(const Profile& profile) {
  for (const Region& region : profile.regions)
    if (region.path.empty() && region.work.wall_s) return time_of(region.work, {});
  for (const Pass& pass : profile.passes)
    if (pass.purpose == "time" && std::isfinite(pass.wall_s) && pass.wall_s > 0) {
      Figure figure;
      figure.number = Interval{pass.wall_s, {}, {}};
      figure.source = Source::measured;
      return figure;
    }
  Figure total;
  for (const Region& region : profile.regions) {
    if (region.path.size() > 1) continue;
    const Figure time = time_of(region.work, {});
    if (!time) continue;
    if (total)
      total.number->value += time.value();
    else
      total = time;
  }
  if (!total) {
    total.quantity = "time.wall";
    total.reason = "no time was recorded";
  }
  return total;
}

}  // namespace roofmark::report
