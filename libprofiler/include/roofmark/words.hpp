// The words that every part shares (source, scope, precision, verdict), with their spelling
// in files.
#pragma once

#include <optional>
#include <string_view>

namespace roofmark {

/// Where a number came from.
enum class Source { measured, counted, modelled, declared, estimated, theoretical };
/// Whose work a count covers.
enum class Scope { thread, process, socket, device };
/// FLOPs of different precision are never summed into one point. `any`: the hardware can't split.
enum class Precision { f64, f32, f16, bf16, tf32, fp8, fp4, x87, any };
/// `muladd`: separate multiplies and adds in equal number, a ceiling without FMA.
enum class Operation { fma, add, mul, muladd, div, sqrt, other };
enum class Side { memory, compute, balanced, unknown };
enum class Verdict {
  memory,
  compute,
  balanced,
  latency,
  serial,
  imbalanced,
  communication,
  launch,
  no_flop,
  too_small,
  at_roof,
  above_roof,
  undetermined
};

std::string_view spelling(Source);
std::string_view spelling(Scope);
std::string_view spelling(Precision);
std::string_view spelling(Operation);
std::string_view spelling(Side);
std::string_view spelling(Verdict);

/// The value that is spelt so, or nothing.
template <class Word>
std::optional<Word> parse_word(std::string_view text);

}  // namespace roofmark
