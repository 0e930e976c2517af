// `roofmark chart`: a roofline from given numbers, no run.
#include <iostream>
#include <roofmark/report.hpp>
#include <string>
#include <vector>

#include "analysis/report/output.hpp"
#include "analysis/report/picture.hpp"
#include "analysis/report/quantity.hpp"
#include "analysis/report/terminal.hpp"
#include "analysis/text/parsing.hpp"
#include "commands.hpp"

namespace roofmark::cli {
namespace {

struct ChartArguments {
  std::vector<std::string> peaks, bandwidths, kernels;
  std::string output, axes = "log";
  bool ascii = false;
};

struct Named {
  std::string name, text;
};

/// "NAME=TEXT" at the last '='; without one the name is empty.
Named split(const std::string& argument) {
  const std::size_t at = argument.rfind('=');
  if (at == std::string::npos) return {"", argument};
  return {argument.substr(0, at), argument.substr(at + 1)};
}

Result<std::vector<GivenNumber>> numbers(const std::vector<std::string>& arguments,
                                         const std::string& name, std::string_view unit) {
  std::vector<GivenNumber> found;
  for (const std::string& argument : arguments) {
    const Named named = split(argument);
    const auto value = parse_quantity(named.text, unit);
    if (!value) return tl::unexpected(value.error());
    found.push_back({named.name.empty() ? name : named.name, *value});
  }
  return found;
}

Result<GivenNumbers> given_by(const ChartArguments& arguments) {
  GivenNumbers given;
  auto peaks = numbers(arguments.peaks, "peak", "FLOP/s");
  if (!peaks) return tl::unexpected(peaks.error());
  auto bandwidths = numbers(arguments.bandwidths, "bandwidth", "B/s");
  if (!bandwidths) return tl::unexpected(bandwidths.error());
  given.peaks_flop_per_s = std::move(*peaks);
  given.bandwidths_bytes_per_s = std::move(*bandwidths);
  for (const std::string& argument : arguments.kernels) {
    Named named = split(argument);
    if (named.name.empty())
      return tl::unexpected(
          Problem{"is not a name, `=` and a number", "`" + argument + "`",
                  "write NAME=INTENSITY or NAME=INTENSITY@FLOPS, e.g. fft=1.5@2e11"});
    GivenKernel kernel;
    kernel.name = named.name;
    const std::size_t at = named.text.find('@');
    const auto intensity = parse_quantity(named.text.substr(0, at), "FLOP/byte");
    if (!intensity) return tl::unexpected(intensity.error());
    kernel.intensity = *intensity;
    if (at != std::string::npos) {
      const auto rate = parse_quantity(named.text.substr(at + 1), "FLOP/s");
      if (!rate) return tl::unexpected(rate.error());
      kernel.flop_per_s = *rate;
    }
    given.kernels.push_back(kernel);
  }
  return given;
}

int chart(const ChartArguments& arguments) {
  const auto given = given_by(arguments);
  if (!given) return say(given.error(), bad_input);
  Chart drawing = chart_of(*given);
  const bool linear = arguments.axes == "linear";
  if (linear) make_linear(drawing);
  if (linear && arguments.output.empty())
    return say({"linear axes are drawn in pictures alone", "chart --axes linear",
                "name one: -o chart.svg"},
               bad_input);
  const Terminal terminal = terminal_of_output();
  if (!arguments.output.empty()) {
    const std::string name = text::lowered(arguments.output);
    std::string document;
    if (name.ends_with(".svg")) {
      document = render_svg(drawing);
    } else if (name.ends_with(".html")) {
      document = render_html(drawing);
    } else if (name.ends_with(".png") || name.ends_with(".pdf")) {
      auto picture = picture_of(render_svg(drawing), name.substr(name.size() - 3));
      if (!picture) return say(picture.error(), failed);
      document = std::move(*picture);
    } else {
      return say({"not a name of a chart", arguments.output, "end it in .svg, .html, .png or .pdf"},
                 bad_input);
    }
    if (const auto problem = write_file(arguments.output, document)) return say(*problem, failed);
  }
  TerminalChartOptions options;
  options.width = terminal.width;
  options.utf8 = terminal.utf8 && !arguments.ascii;
  options.colour = terminal.colour;
  std::string text = render_text(*given, terminal.width);
  if (arguments.output.empty()) text += '\n' + render_terminal_chart(drawing, options);
  const auto problem = write_standard_output(text);
  return problem ? say(*problem, failed) : 0;
}

}  // namespace

void add_chart_command(CLI::App& app, int& status) {
  auto arguments = std::make_shared<ChartArguments>();
  CLI::App* command = app.add_subcommand("chart", "Draw a roofline from given numbers");
  command
      ->add_option("--peak", arguments->peaks, "[NAME=]FLOP/s, e.g. 20e12 or fma=20T; repeatable")
      ->required()
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command
      ->add_option("--bandwidth", arguments->bandwidths,
                   "[NAME=]bytes/s, e.g. DRAM=200G; repeatable")
      ->required()
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("kernel", arguments->kernels,
                      "NAME=INTENSITY or NAME=INTENSITY@FLOPS, FLOP/byte and FLOP/s");
  command
      ->add_option("-o,--output", arguments->output,
                   "Write a chart to this .svg, .html, .png or .pdf file")
      ->type_name("FILE")
      ->check(not_empty);
  command
      ->add_option("--axes", arguments->axes,
                   "Of a picture: log, or linear, where a bandwidth is a slope through the origin")
      ->transform(CLI::IsMember({"log", "linear"}, CLI::ignore_case));
  command->add_flag("--ascii", arguments->ascii, "ASCII only");
  command->callback([arguments, &status] { status = chart(*arguments); });
}

}  // namespace roofmark::cli
