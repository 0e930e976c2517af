// Writes a page that holds web/numbers.js against report/numbers.hpp: numbers with and without a
// range, what the command makes of each, and a script that says where the page makes something
// else. usage: report_numbers FILE
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <iostream>
#include <limits>
#include <random>
#include <roofmark/report.hpp>
#include <string>
#include <vector>

#include "analysis/report/numbers.hpp"
#include "analysis/report/web_files.hpp"
#include "analysis/text/digits.hpp"

using namespace roofmark;
using namespace roofmark::report;

namespace {

/// As html_data.cpp writes them: what has no upper bound has the largest number there.
std::string json(const std::optional<double>& number) {
  if (!number) return "null";
  return fmt::format("{:.17g}", std::isinf(*number) ? std::numeric_limits<double>::max() : *number);
}

std::string entry(const std::string& name, const Interval& number, const std::string& text) {
  return fmt::format("[\"{}\",[{},{},{}],\"{}\"],\n", name, json(number.value), json(number.low),
                     json(number.high), text);
}

std::string entries(const Interval& number) {
  const auto rate = [](double value) { return with_prefix(value, "B/s"); };
  const auto time = [](double value) { return duration(value); };
  const auto plain = [](double value) { return significant(value); };
  std::string made =
      entry("significant", number, significant(number) + range_text(number, plain)) +
      entry("prefixed", number, with_prefix(number, "B/s") + range_text(number, rate)) +
      entry("duration", number, duration(number) + range_text(number, time)) +
      entry("percent", number, percent(number)) +
      entry("percentText", number, percent_text(number)) +
      entry("digits", number,
            std::to_string(text::carried_digits(number.value, number.low, number.high)));
  if (number.low && number.high && std::isfinite(*number.high) && number.value > 0) {
    const double spread = (*number.high - *number.low) / 2 / number.value;
    made += fmt::format("[\"withinShare\",[{},{},null],\"{}\"],\n", json(number.value),
                        json(spread), percent(number.value, spread));
  }
  return made;
}

std::vector<Interval> numbers() {
  std::vector<Interval> made = {{0, {}, {}}, {0, 0, 1536}, {0, {}, 0.04}, {0, 0, 9.999e8}};
  // Two neighbours equally near, what rounds up into another number of digits, borders of prefixes.
  for (const double first :
       {1.0, 1.125, 1.25, 1.375, 2.5, 3.5, 5.0, 9.94, 9.95, 9.96, 9.994, 9.995, 9.9951, 9.9999})
    for (int exponent = -14; exponent <= 16; ++exponent)
      for (const double sign : {1.0, -1.0}) {
        const double value = sign * first * std::pow(10.0, exponent);
        made.push_back({value, {}, {}});
        for (const double share : {0.0, 0.004, 0.0999, 0.1, 0.1001, 0.5, 1.0, 3.0})
          made.push_back({value, value - std::abs(value) * share, value + std::abs(value) * share});
      }
  std::mt19937 random(7);
  std::uniform_real_distribution<> exponent(-14, 17), share(-4, 1), part(0, 1);
  for (int i = 0; i < 4000; ++i) {
    const double value = std::pow(10.0, exponent(random));
    const double below = value * std::pow(10.0, share(random)) * part(random);
    const double above = value * std::pow(10.0, share(random)) * part(random);
    made.push_back({value, {}, {}});
    made.push_back({value, value - below, value + above});
    made.push_back({value, value - below, {}});
    made.push_back({value, {}, value + above});
    made.push_back({value, std::max(0.0, value - below), std::numeric_limits<double>::infinity()});
    made.push_back({std::round(value), {}, {}});
  }
  return made;
}

constexpr const char* check = R"js(
const n = window.roofmarkNumbers;
const forms = {
  significant: (f) => n.interval(f, n.significant),
  prefixed: (f) => n.interval(f, (v, digits) => n.prefixed(v, 'B/s', digits)),
  duration: (f) => n.interval(f, n.duration),
  percent: (f) => n.carried(f, n.percent),
  percentText: (f) => n.carried(f, n.percentText),
  digits: (f) => String(n.carriedDigits(f[0], f[1], f[2])),
  withinShare: (f) => n.percent(n.withinShare(f[0], f[1])),
};
let differ = 0;
for (const [form, figure, text] of table) {
  const made = forms[form](figure);
  if (made === text) continue;
  if (++differ <= 20) console.log('DIFFERS ' + form + ' of ' + JSON.stringify(figure) + ': the command has "' + text + '", the page "' + made + '"');
}
console.log(differ ? differ + ' of ' + table.length + ' differ' : 'NUMBERS PASSED ' + table.length);
)js";

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: report_numbers FILE\n";
    return 2;
  }
  std::ofstream out(arguments[1], std::ios::binary);
  out << "<!DOCTYPE html><meta charset=\"utf-8\"><title>numbers</title>\n<script>\n"
      << web_file("numbers.js") << "</script>\n<script>\nconst table = [\n";
  for (const Interval& number : numbers()) out << entries(number);
  out << "];\n" << check << "</script>\n";
  return out.good() ? 0 : 1;
}
