// `roofmark merge`: one profile of a parallel job from the files of its ranks, read one after the
// other.
#include <algorithm>
#include <analysis/merge/merge_ranks.hpp>
#include <analysis/profile/profile_json.hpp>
#include <analysis/record/output_file.hpp>
#include <cctype>
#include <filesystem>
#include <memory>
#include <roofmark/roofline.hpp>
#include <string>
#include <vector>

#include "analysis/report/output.hpp"
#include "commands.hpp"
#include "same_file.hpp"

namespace roofmark::cli {
namespace {

namespace fs = std::filesystem;

struct MergeArguments {
  std::vector<std::string> inputs;
  std::string output;
  bool skip_broken = false;
};

/// rank-9 before rank-10: sums of times are then the same whatever order the folder has.
bool by_number(const std::string& a, const std::string& b) {
  std::size_t i = 0, j = 0;
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const auto number = [&](const std::string& text, std::size_t& at) {
        while (at < text.size() && text[at] == '0') ++at;
        const std::size_t first = at;
        while (at < text.size() && is_digit(text[at])) ++at;
        return text.substr(first, at - first);
      };
      const std::string one = number(a, i), other = number(b, j);
      if (one.size() != other.size()) return one.size() < other.size();
      if (one != other) return one < other;
      continue;
    }
    if (a[i] != b[j]) return a[i] < b[j];
    ++i;
    ++j;
  }
  return a.size() - i < b.size() - j;
}

/// The folders' JSON files, and what was named itself.
Result<std::vector<std::string>> files_of(const std::vector<std::string>& inputs) {
  std::vector<std::string> files;
  for (const std::string& input : inputs) {
    std::error_code error;
    if (!fs::is_directory(input, error)) {
      files.push_back(input);
      continue;
    }
    std::vector<std::string> found;
    for (fs::directory_iterator at(input, error), end; !error && at != end; at.increment(error))
      if (at->path().extension() == ".json") found.push_back(at->path().string());
    if (error)
      return tl::unexpected(Problem{"the folder can't be read: " + error.message(), input, ""});
    if (found.empty())
      return tl::unexpected(Problem{"the folder holds no profiles (.json)", input,
                                    "name the folder that -o of record named"});
    std::sort(found.begin(), found.end(), by_number);
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

std::optional<Problem> add_file(RankMerge& merge, const std::string& file) {
  auto text = read_input(file, "give the folder that -o of record named, or files in it");
  if (!text) return text.error();
  auto profile = profile_from_json(*text, file);
  if (!profile) return profile.error();
  return merge.add(*profile, file);
}

Result<fs::path> output_of(const MergeArguments& arguments) {
  if (!arguments.output.empty()) return fs::path(arguments.output);
  auto name = claim_name(".", "out.roofmark", ".json", ".html");
  if (name) return name->lexically_normal();
  return name;
}

int merge(const MergeArguments& arguments) {
  const auto files = files_of(arguments.inputs);
  if (!files) return say(files.error(), bad_input);
  for (const std::string& file : *files)
    if (const auto problem = taken(arguments.output, file, "the profile of a rank"))
      return say(*problem, bad_input);
  RankMerge ranks;
  std::size_t left_out = 0;
  for (const std::string& file : *files) {
    auto problem = add_file(ranks, file);
    if (!problem) continue;
    if (!arguments.skip_broken) {
      if (problem->remedy.empty()) problem->remedy = "--skip-broken leaves it out";
      return say(*problem, bad_input);
    }
    say(*problem, bad_input);
    ++left_out;
  }
  auto job = ranks.finish();
  if (!job) return say(job.error(), bad_input);
  if (left_out > 0)
    job->notes.insert(job->notes.begin(),
                      std::to_string(left_out) + (left_out == 1 ? " file" : " files") +
                          " could not be used and " + (left_out == 1 ? "was" : "were") +
                          " left out (--skip-broken).");
  judge(*job);
  const auto output = output_of(arguments);
  if (!output) return say(output.error(), failed);
  if (const auto problem = write_file(*output, to_json(*job))) return say(*problem, failed);
  if (arguments.output.empty())
    std::cerr << "roofmark: " << ranks.ranks() << " ranks merged to " << output->string()
              << "; `roofmark report " << output->string() << "` shows them\n";
  return 0;
}

}  // namespace

void add_merge_command(CLI::App& app, int& status) {
  auto arguments = std::make_shared<MergeArguments>();
  CLI::App* command =
      app.add_subcommand("merge", "Make one profile of a parallel job from the files of its ranks");
  command
      ->add_option("input", arguments->inputs,
                   "Files of ranks, or the folder that `mpirun ... roofmark record -o` named")
      ->type_name("FILE")
      ->required();
  command
      ->add_option("-o,--output", arguments->output,
                   "The profile of the job, replaced where it exists. Default: "
                   "out.roofmark.json, numbered rather than overwritten")
      ->type_name("FILE")
      ->check(not_empty);
  command->add_flag("--skip-broken", arguments->skip_broken,
                    "Leave out what can't be used, with a line for each; default: refuse");
  command->callback([arguments, &status] { status = merge(*arguments); });
}

}  // namespace roofmark::cli
