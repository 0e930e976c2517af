// What the libpapi of this machine says of events, by adding, starting and reading each: its lists
// name events that can't be counted.
#pragma once

#include <functional>
#include <roofmark/result.hpp>
#include <string>
#include <vector>

namespace roofmark::papi {

/// How far an event came.
enum class Step : char { name = 'n', add = 'a', start = 's', counted = 'c' };

struct Answer {
  std::string event;
  Step step = Step::name;  ///< where it was refused; `counted`: it was not
  int error = 0;           ///< of PAPI, below 0
  std::string component;   ///< as far as it is known
};

struct Probe {
  std::string file, version;   ///< of libpapi
  std::vector<Answer> events;  ///< in the order of the names
};

/// In a child process, whose output is thrown away: components load libraries of their own, and
/// nothing of that is to stay in the recorder or to end it.
Result<Probe> probe(const std::vector<std::string>& names);

/// The same for sets of events of one component, each of which is to fit at once: how many events
/// of its beginning do.
Result<std::vector<std::size_t>> probe_together(const std::vector<std::vector<std::string>>& sets);

/// Work whose events are counted.
struct Piece {
  std::function<bool()> prepare;  ///< before the first reading; false: it can't be done
  std::function<void()> work;     ///< between the two
};
/// By set and piece: what each event of the set counted in the child process, which does the work.
/// Empty where the set could not be counted or the piece not be done.
using CountsOfSets = std::vector<std::vector<std::vector<long long>>>;
Result<CountsOfSets> count_around(const std::vector<std::vector<std::string>>& sets,
                                  const std::vector<Piece>& pieces);

}  // namespace roofmark::papi
