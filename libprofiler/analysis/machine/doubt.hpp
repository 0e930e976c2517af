// Whether a measurement of a machine is one of a busy machine, which is to be made again. No I/O.
#pragma once

#include <cstddef>
#include <optional>
#include <roofmark/machine.hpp>
#include <string>

namespace roofmark {

/// From this share of noisy ceilings on a measurement is doubted.
inline constexpr double doubtful_share = 0.5;
/// A machine that is always busy is not measured at every run: so often in a row, then it stands.
inline constexpr unsigned most_measurements = 3;

struct NoisyCeilings {
  std::size_t noisy = 0, all = 0;
  double share() const { return all > 0 ? double(noisy) / double(all) : 0; }
};
NoisyCeilings noisy_ceilings(const Machine& machine);

/// What is wrong with it, as the beginning of a sentence; nothing of a good one. Of several cores
/// those that no time was left for are wrong, too.
std::optional<std::string> doubt(const Machine& machine);

/// Whether it is to be measured again, after so many measurements of which each was doubted.
bool is_to_be_measured_again(const Machine& machine, unsigned measurements);
/// The sentence that says so, or that it stands; nothing of a good one.
std::optional<std::string> note_of_doubt(const Machine& machine, unsigned measurements);

/// Which of two measurements is the better one to keep.
bool is_better(const Machine& machine, const Machine& than);

}  // namespace roofmark
