// `roofmark report`: a profile as text, JSON, CSV, HTML or SVG.
#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <optional>
#include <roofmark/report.hpp>
#include <string>
#include <vector>

#include "analysis/machine/measure.hpp"
#include "analysis/profile/profile_json.hpp"
#include "analysis/report/output.hpp"
#include "analysis/report/picture.hpp"
#include "analysis/report/projection_text.hpp"
#include "analysis/report/terminal.hpp"
#include "analysis/roofline/gpu_machine.hpp"
#include "analysis/text/parsing.hpp"
#include "analysis/text/plain_text.hpp"
#include "commands.hpp"
#include "level_option.hpp"
#include "profile_file.hpp"
#include "same_file.hpp"

namespace roofmark::cli {
namespace {

struct ReportArguments {
  std::vector<std::string> what_if, machines, details;
  std::vector<std::string> files;
  std::string format = "text";
  std::string output;
  std::optional<std::string> wanted_level;  ///< as it was typed
  std::string level;                        ///< as the profile at hand spells it
  std::string axes = "log";
  std::string wanted_locus;  ///< as it was typed
  std::string locus;         ///< of the profile at hand
  bool all = false, self = false, inclusive = false, chart = false, ascii = false;
  unsigned width = 0;
};

/// Other roofs stand in the first chart. They are of cores: no GPU's point is put under them.
std::vector<Chart> drawn(const Profile& profile, const ChartOptions& options,
                         const std::vector<NamedRoof>& others) {
  std::vector<Chart> charts = charts_of(profile, options);
  if (others.empty()) return charts;
  Chart& chart = charts.front();
  const std::string locus = options.locus.empty() ? default_locus(profile) : options.locus;
  if (locus.starts_with("gpu")) {
    chart.notes.push_back(
        "Other machines' roofs are of their cores, and not drawn over a GPU's points.");
    return charts;
  }
  add_roofs(chart, profile, others);
  // The axes were fitted to what was there before.
  chart.x_min = chart.x_max = chart.y_min = chart.y_max = 0;
  fit_axes(chart);
  return charts;
}

/// Two machines of one model, as the profile's own may be one, are told apart by their files.
std::string name_beside(const Machine& own, const Machine& machine, const std::string& file) {
  const auto model_of = [](const Machine& one) {
    const auto found = one.identity.find("cpu_model");
    return found == one.identity.end() ? std::string() : found->second;
  };
  const std::string model = model_of(machine);
  if (model.empty()) return file;
  return model == model_of(own) ? model + " of " + std::filesystem::path(file).filename().string()
                                : model;
}

/// The roofs beside the profile's own that were asked for.
Result<std::vector<NamedRoof>> other_roofs(const Profile& profile,
                                           const std::vector<std::string>& what_if,
                                           const std::vector<std::string>& machines) {
  std::vector<NamedRoof> roofs;
  if (!what_if.empty()) {
    std::vector<Scaling> scalings;
    for (const std::string& text : what_if) {
      auto scaling = parse_scaling(text);
      if (!scaling) return tl::unexpected(scaling.error());
      scalings.push_back(std::move(*scaling));
    }
    auto roof = scaled(profile.machine, scalings);
    if (!roof) return tl::unexpected(roof.error());
    roofs.push_back(std::move(*roof));
  }
  for (const std::string& file : machines) {
    MeasureOptions kept;
    kept.file = file;
    auto machine = load_or_measure(kept);
    if (!machine) return tl::unexpected(machine.error());
    if (kernels_alone(profile)) {
      for (const Gpu& gpu : machine->gpus)
        roofs.push_back({gpu.name.empty() ? gpu.uuid : gpu.name, machine_of(gpu)});
      if (machine->gpus.empty())
        return tl::unexpected(Problem{"the machine has no GPU, and the profile is of kernels alone",
                                      "--machine " + file, "give one that has"});
      continue;
    }
    roofs.push_back({name_beside(profile.machine, *machine, file), *machine});
    // Its GPUs beside it: another ridge for the same bytes of memory.
    for (const Gpu& gpu : machine->gpus)
      roofs.push_back({gpu.name.empty() ? gpu.uuid : gpu.name, memory_roof_of(gpu, "DRAM")});
  }
  for (std::size_t i = 0; i < roofs.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (roofs[i].name == roofs[j].name) roofs[i].name += " (" + std::to_string(i + 1) + ")";
  return roofs;
}

/// Whose roof a chart in characters is, and whether its points hold their children's work; the
/// first one's title is that of the whole report.
std::vector<std::string> heading_of(const Chart& chart, std::size_t number,
                                    const TextOptions& options) {
  const std::string text = number == 0 ? chart.subtitle : chart.title + ": " + chart.subtitle;
  return text::wrapped(options.utf8 ? text::printable(text) : text::printable_ascii(text),
                       options.width);
}

std::string text_of(const Profile& profile, const std::vector<NamedRoof>& others,
                    const ReportArguments& arguments) {
  const Terminal terminal = terminal_of_output();
  // A file is read elsewhere and later: no colour, and the full character set.
  const bool to_file = !arguments.output.empty();
  TextOptions options;
  options.width = arguments.width > 0 ? arguments.width : to_file ? 100 : terminal.width;
  options.utf8 = !arguments.ascii && (to_file || terminal.utf8);
  options.colour = terminal.colour && !to_file;
  options.self = arguments.self;
  options.level = arguments.level;
  options.details = arguments.details;
  if (arguments.all) options.rows = 0;
  std::string text = render_text(profile, options);
  if (!others.empty()) {
    std::vector<NamedRoof> roofs{{"as recorded", profile.machine}};
    roofs.insert(roofs.end(), others.begin(), others.end());
    text += '\n' + projection_text(profile, roofs, options);
  }
  if (arguments.chart) {
    TerminalChartOptions chart;
    chart.width = options.width;
    chart.height = terminal.is_terminal && !to_file ? terminal.height - 1 : 24;
    chart.utf8 = options.utf8;
    chart.colour = options.colour;
    ChartOptions options_of_charts;
    options_of_charts.level = arguments.level;
    options_of_charts.self = !arguments.inclusive;
    options_of_charts.locus = arguments.locus;
    const std::vector<Chart> charts = drawn(profile, options_of_charts, others);
    for (std::size_t i = 0; i < charts.size(); ++i)
      // The table says of regions without a point what they lack.
      if (i == 0 || !charts[i].points.empty()) {
        const std::vector<std::string> heading = heading_of(charts[i], i, options);
        TerminalChartOptions below = chart;
        below.height -= static_cast<unsigned>(std::min<std::size_t>(heading.size(), 4));
        text += '\n';
        for (const std::string& line : heading) text += line + '\n';
        text += render_terminal_chart(charts[i], below) + terminal_chart_notes(charts[i], below);
      }
  }
  return text;
}

Result<std::string> rendered(const Profile& profile, const std::vector<NamedRoof>& others,
                             const ReportArguments& arguments) {
  ChartOptions chart;
  chart.level = arguments.level;
  chart.self = !arguments.inclusive;
  chart.linear = arguments.axes == "linear";
  chart.locus = arguments.locus;
  if (arguments.all) chart.points = static_cast<std::size_t>(-1);
  if (arguments.format == "json") return to_json(profile) + "\n";
  if (arguments.format == "openmetrics") return render_openmetrics(profile);
  if (arguments.format == "hatchet") return render_hatchet(profile);
  if (arguments.format == "markdown") {
    TextOptions options;
    options.level = arguments.level;
    options.self = arguments.self;
    options.details = arguments.details;
    if (arguments.all) options.rows = 0;
    return render_markdown(profile, options);
  }
  if (arguments.format == "icicle") {
    std::string icicle = render_icicle(profile);
    if (icicle.empty())
      return tl::unexpected(Problem{"no region has a time", "report --format icicle", ""});
    return icicle;
  }
  if (arguments.format == "csv") return render_csv(profile, arguments.level);
  if (arguments.format == "html") {
    // The page redraws its chart by its own machine; with others it is the chart alone.
    if (!others.empty()) return render_html(drawn(profile, chart, others));
    HtmlOptions html{chart};
    if (arguments.all) html.regions = 0;
    return render_html(profile, html);
  }
  if (arguments.format == "png" || arguments.format == "pdf")
    return picture_of(render_svg(drawn(profile, chart, others)), arguments.format);
  if (arguments.format == "svg") return render_svg(drawn(profile, chart, others));
  return text_of(profile, others, arguments);
}

/// "solve.roofmark.json" -> "solve.roofmark"
std::string stem_of(const std::string& file) {
  if (file == "-") return "report";
  const std::string suffix = ".json";
  const bool json = file.size() > suffix.size() &&
                    file.compare(file.size() - suffix.size(), suffix.size(), suffix) == 0;
  return json ? file.substr(0, file.size() - suffix.size()) : file;
}

int deliver(const std::string& text, const ReportArguments& arguments) {
  if (!arguments.output.empty() && arguments.output != "-") {
    const auto problem = write_file(arguments.output, text);
    return problem ? say(*problem, failed) : 0;
  }
  // Nobody reads a page of markup in a terminal: it goes to a file of its own.
  static constexpr std::array documents = {"html", "svg", "png", "pdf", "icicle"};
  const bool document =
      std::find(documents.begin(), documents.end(), arguments.format) != documents.end();
  if (document && arguments.output.empty() && terminal_of_output().is_terminal) {
    const auto path = write_new_file(
        stem_of(arguments.files.front()),
        "." + (arguments.format == "icicle" ? "icicle.svg" : arguments.format), text);
    if (!path) return say(path.error(), failed);
    std::cerr << "roofmark: wrote " << *path << '\n';
    return 0;
  }
  const auto problem = write_standard_output(text);
  return problem ? say(*problem, failed) : 0;
}

/// "gpu": the one on which kernels took the most time.
Result<std::string> locus_of(const Profile& profile, const std::string& file,
                             const std::string& wanted) {
  std::string known;
  for (const std::string& locus : loci_of(profile)) {
    if (locus == wanted || locus == "gpu:" + wanted) return locus;
    known += (known.empty() ? "" : ", ") + locus;
  }
  const std::string busiest = busiest_gpu(profile);
  if (wanted == "gpu" && !busiest.empty()) return busiest;
  return tl::unexpected(Problem{"no region is under the roof of `" + wanted + "`", file,
                                known.empty() ? "it has no regions" : "choose one of " + known});
}

int report(ReportArguments arguments) {
  static constexpr std::array with_roofs = {"text", "html", "svg", "png", "pdf"};
  std::error_code unknown;
  const std::size_t own = std::filesystem::is_directory(arguments.files.front(), unknown) ? 1 : 0;
  if ((!arguments.what_if.empty() || arguments.machines.size() > own) &&
      std::find(with_roofs.begin(), with_roofs.end(), arguments.format) == with_roofs.end())
    return say({"other roofs are shown as text and in charts",
                "report --format " + arguments.format, "--format text, html, svg, png or pdf"},
               bad_input);
  if (arguments.self && arguments.format == "openmetrics")
    return say({"its regions are with their children alone", "report --self --format openmetrics",
                "--format csv has both"},
               bad_input);
  if (!arguments.details.empty() && arguments.format != "text" && arguments.format != "markdown")
    return say({"text and Markdown alone take it: a page has every region's numbers in its row",
                "report --details --format " + arguments.format, "--format text or markdown"},
               bad_input);
  static constexpr std::array pictures = {"svg", "png", "pdf"};
  if (arguments.axes == "linear" &&
      std::find(pictures.begin(), pictures.end(), arguments.format) == pictures.end())
    return say({"linear axes are drawn in pictures alone",
                "report --axes linear --format " + arguments.format, "--format svg, png or pdf"},
               bad_input);
  if (arguments.files.size() > 1 && arguments.format != "text")
    return say({"one file at a time in this format", "report --format " + arguments.format,
                "call it once for each file"},
               bad_input);
  for (const std::string& file : arguments.files)
    if (const auto problem = taken(arguments.output, file, "the profile to report"))
      return say(*problem, bad_input);
  std::string text;
  int status = 0;
  for (const std::string& file : arguments.files) {
    // Of a directory the first machine is the one that it ran on.
    const bool directory = file != "-" && std::filesystem::is_directory(file, unknown);
    std::vector<std::string> machines = arguments.machines;
    std::string own_machine;
    if (directory && !machines.empty()) {
      own_machine = machines.front();
      machines.erase(machines.begin());
    }
    const auto profile = load_profile(file, own_machine);
    if (!profile) {
      status = say(profile.error(), bad_input);
      continue;
    }
    arguments.level.clear();
    if (arguments.wanted_level) {
      const auto level = level_of(*profile, file, *arguments.wanted_level);
      if (!level) {
        status = say(level.error(), bad_input);
        continue;
      }
      arguments.level = *level;
    }
    arguments.locus.clear();
    if (!arguments.wanted_locus.empty()) {
      const auto locus = locus_of(*profile, file, arguments.wanted_locus);
      if (!locus) {
        status = say(locus.error(), bad_input);
        continue;
      }
      arguments.locus = *locus;
    }
    const auto nobody = std::find_if(
        arguments.details.begin(), arguments.details.end(),
        [&](const std::string& pattern) { return regions_named(*profile, pattern).empty(); });
    if (nobody != arguments.details.end()) {
      status = say({"no region has such a path", file + ": --details '" + *nobody + "'",
                    "write a path as the report does, as in --details solve/spmv or 'solve/*'"},
                   bad_input);
      continue;
    }
    if (arguments.files.size() > 1) text += (text.empty() ? "" : "\n") + ("==> " + file + "\n");
    const auto others = other_roofs(*profile, arguments.what_if, machines);
    if (!others) return say(others.error(), bad_input);
    const auto one = rendered(*profile, *others, arguments);
    if (!one) return say(one.error(), failed);
    text += *one;
  }
  if (text.empty()) return status;
  const int delivered = deliver(text, arguments);
  return status != 0 ? status : delivered;
}

}  // namespace

void add_report_command(CLI::App& app, int& status) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* command = app.add_subcommand("report", "Show a profile: where the time goes and why");
  command
      ->add_option(
          "file", arguments->files,
          "Profiles that `roofmark record` wrote, - is standard input; or directories that "
          "programs wrote which were started with libroofmark-preload.so")
      ->type_name("FILE")
      ->required();
  command
      ->add_option(
          "--format", arguments->format,
          "text, json, csv, html, svg, png, pdf, icicle (SVG), markdown, openmetrics or hatchet")
      ->transform(CLI::IsMember({"text", "json", "csv", "html", "svg", "png", "pdf", "icicle",
                                 "markdown", "openmetrics", "hatchet"},
                                CLI::ignore_case));
  command->add_option("-o,--output", arguments->output, "Write to this file")
      ->type_name("FILE")
      ->check(not_empty);
  command->add_option("--level", arguments->wanted_level,
                      "Interface of the intensity and of the side: L1, L2, L3, DRAM");
  command
      ->add_option("--axes", arguments->axes,
                   "Of a picture: log, or linear, where a bandwidth is a slope through the origin")
      ->transform(CLI::IsMember({"log", "linear"}, CLI::ignore_case));
  command
      ->add_option("--locus", arguments->wanted_locus,
                   "Charts: under one roof alone: cpu, gpu (the one with the most time), or a "
                   "GPU's UUID. Default: one chart for each")
      ->type_name("LOCUS")
      ->check(not_empty);
  command->add_flag("--all", arguments->all, "Every region, not the heaviest alone");
  command
      ->add_option("--details", arguments->details,
                   "Text, Markdown: every number of these regions, with its source: a path or a "
                   "pattern ('solve/*', '*'); may be repeated")
      ->allow_extra_args(false)
      ->check(not_empty);
  auto* self = command->add_flag("--self", arguments->self,
                                 "Regions without their children (charts: always so)");
  command->add_flag("--inclusive", arguments->inclusive, "Charts: regions with their children")
      ->excludes(self);
  command
      ->add_option("--what-if", arguments->what_if,
                   "A ceiling moved: DRAM=4x, bandwidth=2x, peak=2x; several move together")
      ->allow_extra_args(false);
  command
      ->add_option("--machine", arguments->machines,
                   "A machine file: how fast the regions could be there; may be repeated. Of a "
                   "directory the first is the machine that it ran on")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->check(not_empty);
  command->add_flag("--chart", arguments->chart, "Text: with a chart in characters");
  command->add_flag("--ascii", arguments->ascii, "Text: ASCII only");
  command->add_option("--width", arguments->width, "Text: columns")->check(CLI::Range(60, 400));
  command->callback([arguments, &status] { status = report(*arguments); });
}

}  // namespace roofmark::cli
