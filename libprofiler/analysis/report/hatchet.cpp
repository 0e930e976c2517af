// The call tree as Hatchet and Thicket read it (`GraphFrame.from_literal`): nodes with a frame,
// metrics and children. What was not counted has no metric.
#include <analysis/json/json_writer.hpp>
#include <analysis/profile/path_index.hpp>
#include <roofmark/report.hpp>
#include <roofmark/roofline.hpp>

#include "analysis/text/plain_text.hpp"
#include "region_row.hpp"

namespace roofmark {
namespace {

class Tree {
 public:
  explicit Tree(const Profile& profile)
      : profile_(profile), index_(profile.regions), children_(profile.regions.size()) {
    for (std::size_t i = 0; i < profile.regions.size(); ++i) {
      const std::size_t above = index_.nearest_above(i);
      (above == PathIndex::none ? roots_ : children_[above]).push_back(i);
    }
  }

  std::string render() {
    out_.open_array();
    for (const std::size_t root : roots_) node(root);
    out_.last_line();
    out_.close_array();
    return out_.take() + "\n";
  }

 private:
  void metric(const std::string& name, const std::optional<double>& value) {
    if (!value) return;
    out_.key(name);
    out_.number(*value);
  }
  static std::optional<double> seconds(const std::optional<Measure>& measure) {
    return measure ? std::optional(measure->value) : std::nullopt;
  }

  void open(std::size_t i) {
    const Region& region = profile_.regions[i];
    out_.new_line();
    out_.open_object();
    out_.key("frame");
    out_.open_object();
    out_.key("name");
    out_.text(region.path.empty() ? text::path_text({}) : region.path.back());
    out_.key("type");
    out_.text("region");
    out_.close_object();
    out_.key("metrics");
    out_.open_object();
    metric("time", seconds(region.self.wall_s));
    metric("time (inc)", seconds(region.work.wall_s));
    if (has_visits(region)) metric("visits", static_cast<double>(region.visits));
    for (const bool inclusive : {false, true}) {
      const Work& work = inclusive ? region.work : region.self;
      const std::string suffix = inclusive ? " (inc)" : "";
      for (const auto& [precision, count] : work.flop)
        metric("flop." + std::string(spelling(precision)) + suffix,
               static_cast<double>(count.value));
      for (const auto& [level, traffic] : work.bytes) {
        const auto bytes = report::bytes_at(work, level, region.missing);
        if (bytes) metric("bytes." + level + suffix, bytes.value());
      }
    }
    if (const Roofline* roofline = inclusive_roofline(region); roofline && roofline->fraction)
      metric("roof_fraction (inc)", roofline->fraction);
    out_.close_object();
    out_.key("children");
    out_.open_array();
  }
  void close() {
    out_.close_array();
    out_.close_object();
  }

  /// Without recursion: a path may be thousands of names deep.
  void node(std::size_t root) {
    struct Open {
      std::size_t region, next;
    };
    std::vector<Open> stack{{root, 0}};
    open(root);
    while (!stack.empty()) {
      Open& top = stack.back();
      if (top.next == children_[top.region].size()) {
        close();
        stack.pop_back();
        continue;
      }
      const std::size_t child = children_[top.region][top.next++];
      open(child);
      stack.push_back({child, 0});
    }
  }

  const Profile& profile_;
  PathIndex index_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<std::size_t> roots_;
  JsonWriter out_;
};

}  // namespace

std::string render_hatchet(const Profile& profile) {
  return Tree(profile).render();
}

}  // namespace roofmark
