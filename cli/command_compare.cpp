// `roofmark compare`: what moved between two groups of runs, whether it matters, and a gate for CI.
#include <memory>
#include <roofmark/report.hpp>
#include <string>
#include <vector>

#include "analysis/comparison/chart.hpp"
#include "analysis/comparison/names.hpp"
#include "analysis/comparison/render.hpp"
#include "analysis/report/output.hpp"
#include "analysis/report/picture.hpp"
#include "analysis/report/terminal.hpp"
#include "commands.hpp"
#include "level_option.hpp"
#include "profile_file.hpp"
#include "same_file.hpp"

namespace roofmark::cli {
namespace {

constexpr int limit_exceeded = 1;

struct CompareArguments {
  std::vector<std::string> files, before, after, renamed, fail_if;
  std::string format = "text", output, level;
  bool all = false, ascii = false, chart = false;
  unsigned width = 0;
  double alpha = comparison::default_alpha;
};

/// "old/path=new/path"
Result<std::map<std::string, std::string>> renames(const std::vector<std::string>& given) {
  std::map<std::string, std::string> names;
  for (const std::string& one : given) {
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == one.size())
      return tl::unexpected(Problem{"it is not BEFORE=AFTER", "--map '" + one + "'",
                                    "as in --map solve/old=solve/new"});
    if (!names.emplace(one.substr(0, equals), one.substr(equals + 1)).second)
      return tl::unexpected(Problem{"it renames a region that another --map renames",
                                    "--map '" + one + "'", "leave one of them out"});
  }
  return names;
}

/// `--level` as one of the profiles spells it; empty where it was not given.
Result<std::string> level_of_any(const CompareArguments& arguments,
                                 const std::vector<Profile>& before,
                                 const std::vector<Profile>& after) {
  if (arguments.level.empty()) return std::string();
  for (const auto* side : {&before, &after})
    for (const Profile& run : *side)
      if (auto level = level_of(run, "", arguments.level)) return level;
  return level_of(after.front(), arguments.after.front(), arguments.level);
}

/// The two sides: A and B, or what the options name.
std::optional<Problem> take_sides(CompareArguments& arguments) {
  const bool by_option = !arguments.before.empty() || !arguments.after.empty();
  if (!by_option && arguments.files.size() == 2) {
    arguments.before = {arguments.files.front()};
    arguments.after = {arguments.files.back()};
    return std::nullopt;
  }
  if (by_option && arguments.files.empty() && !arguments.before.empty() && !arguments.after.empty())
    return std::nullopt;
  return Problem{by_option
                     ? "both --before and --after need a profile, and nothing stands beside them"
                     : "two profiles are compared",
                 "compare",
                 "roofmark compare BEFORE AFTER, or with several runs a side: --before FILE... "
                 "--after FILE..."};
}

Result<std::vector<Profile>> load_all(const std::vector<std::string>& files) {
  std::vector<Profile> profiles;
  for (const std::string& file : files) {
    auto profile = load_profile(file);
    if (!profile) return tl::unexpected(profile.error());
    if (profile->regions.empty())
      return tl::unexpected(
          Problem{"it has no regions to compare", file, "record the program again"});
    profiles.push_back(std::move(*profile));
  }
  return profiles;
}

Result<std::string> rendered(const comparison::Judged& judged, const Profile& after,
                             const CompareArguments& arguments) {
  const auto chart = [&] { return comparison::chart_of(judged.comparison, after); };
  if (arguments.format == "png" || arguments.format == "pdf")
    return picture_of(render_svg(chart()), arguments.format);
  if (arguments.format == "svg") return render_svg(chart());
  if (arguments.format == "html") return render_html(chart());
  if (arguments.format == "json") return comparison::render_json(judged);
  if (arguments.format == "markdown") return comparison::render_markdown(judged);
  if (arguments.format == "junit") return comparison::render_junit(judged);
  if (arguments.format == "github") return comparison::render_github(judged);
  const Terminal terminal = terminal_of_output();
  const bool to_file = !arguments.output.empty();
  comparison::TextOptions options;
  options.width = arguments.width > 0 ? arguments.width : to_file ? 100 : terminal.width;
  options.utf8 = !arguments.ascii && (to_file || terminal.utf8);
  options.colour = terminal.colour && !to_file;
  options.all = arguments.all;
  std::string text = comparison::render_text(judged, options);
  if (arguments.chart) {
    TerminalChartOptions drawn;
    drawn.width = options.width;
    drawn.height = terminal.is_terminal && !to_file ? terminal.height - 1 : 24;
    drawn.utf8 = options.utf8;
    drawn.colour = options.colour;
    const Chart both = chart();
    text += '\n' + render_terminal_chart(both, drawn) + "Small letters: before.\n" +
            terminal_chart_notes(both, drawn);
  }
  return text;
}

int compare(CompareArguments arguments) {
  if (const auto problem = take_sides(arguments)) return say(*problem, bad_input);
  std::vector<comparison::Condition> conditions;
  for (const std::string& text : arguments.fail_if) {
    auto condition = comparison::parse_condition(text);
    if (!condition) return say(condition.error(), bad_input);
    conditions.push_back(std::move(*condition));
  }
  if (conditions.empty() && arguments.format == "junit")
    return say({"without a limit there is nothing to pass or fail", "compare --format junit",
                "name one, as in --fail-if 'time > +5%'"},
               bad_input);
  comparison::Options options;
  options.alpha = arguments.alpha;
  auto renamed = renames(arguments.renamed);
  if (!renamed) return say(renamed.error(), bad_input);
  options.renamed = std::move(*renamed);
  for (const auto* side : {&arguments.before, &arguments.after})
    for (const std::string& file : *side)
      if (const auto problem = taken(arguments.output, file, "a profile to compare"))
        return say(*problem, bad_input);

  const auto before = load_all(arguments.before);
  if (!before) return say(before.error(), bad_input);
  const auto after = load_all(arguments.after);
  if (!after) return say(after.error(), bad_input);
  if (const auto problem = comparison::collision_of_names(*before, options.renamed))
    return say(*problem, bad_input);
  auto level = level_of_any(arguments, *before, *after);
  if (!level) return say(level.error(), bad_input);
  options.level = std::move(*level);
  const comparison::Comparison result = comparison::compare(*before, *after, options);
  const auto outcomes = comparison::judge(conditions, result);
  if (!outcomes) return say(outcomes.error(), bad_input);

  const auto text = rendered({result, conditions, *outcomes}, after->front(), arguments);
  // A report that could not be made or written is no pass.
  if (!text) return say(text.error(), bad_input);
  const auto problem = arguments.output.empty() || arguments.output == "-"
                           ? write_standard_output(*text)
                           : write_file(arguments.output, *text);
  if (problem) return say(*problem, bad_input);
  return comparison::any_holds(*outcomes) ? limit_exceeded : 0;
}

}  // namespace

void add_compare_command(CLI::App& app, int& status) {
  auto arguments = std::make_shared<CompareArguments>();
  CLI::App* command = app.add_subcommand(
      "compare", "What moved between two runs or groups of runs, and whether it matters");
  command->add_option("profiles", arguments->files, "The profile before and the one after")
      ->type_name("FILE");
  command->add_option("--before", arguments->before, "Several profiles of the runs before")
      ->type_name("FILE")
      ->check(not_empty);
  command->add_option("--after", arguments->after, "Several profiles of the runs after")
      ->type_name("FILE")
      ->check(not_empty);
  command
      ->add_option("--map", arguments->renamed,
                   "A region that was renamed, with what is below it: BEFORE=AFTER")
      ->allow_extra_args(false);
  command
      ->add_option("--fail-if", arguments->fail_if,
                   "Exit with 1 where it holds: 'time > +5%', 'solve/*: roof_fraction < -3%'")
      ->allow_extra_args(false);
  command
      ->add_option("--format", arguments->format,
                   "text, json, html, svg, png, pdf, markdown, junit or github")
      ->transform(CLI::IsMember(
          {"text", "json", "html", "svg", "png", "pdf", "markdown", "junit", "github"},
          CLI::ignore_case));
  command->add_option("-o,--output", arguments->output, "Write to this file")
      ->type_name("FILE")
      ->check(not_empty);
  command->add_option("--level", arguments->level, "Interface of the bytes: L1, L2, L3, DRAM");
  command
      ->add_option("--alpha", arguments->alpha,
                   "With several runs: chance of calling any region changed when none is")
      ->check(CLI::Range(1e-6, 0.5));
  command->add_flag("--all", arguments->all, "Regions that did not move too");
  command->add_flag("--chart", arguments->chart, "Text: with a chart in characters");
  command->add_flag("--ascii", arguments->ascii, "Text: ASCII only");
  command->add_option("--width", arguments->width, "Text: columns")->check(CLI::Range(60, 400));
  command->callback([arguments, &status] { status = compare(*arguments); });
}

}  // namespace roofmark::cli
