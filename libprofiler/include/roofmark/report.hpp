// Turning a profile into something a person reads: text, SVG, HTML, CSV. Pure functions: no file,
// no terminal, no clock. What is absent in a profile is absent here, with its reason; it is never
// 0.
#pragma once

#include <cstddef>
#include <optional>
#include <roofmark/profile.hpp>
#include <string>
#include <vector>

namespace roofmark {

// ---- the chart as data
// ---------------------------------------------------------------------------

/// A number with the interval it is believed to lie in.
struct Interval {
  double value = 0;
  std::optional<double> low, high;
};

/// One roof line: horizontal (compute) or of slope 1 (bandwidth). A bandwidth is the line's height:
/// it reads off at an intensity of 1.
struct ChartCeiling {
  enum class Kind { compute, bandwidth };
  Kind kind = Kind::bandwidth;
  std::string name;    ///< "DRAM", "f64 avx2 fma"
  std::string detail;  ///< "triad, 2 threads": shown in tooltips and lists
  std::string pages;   ///< "large pages", where the level was measured in pages of several sizes
  Interval per_s;      ///< FLOP/s or interface bytes/s
  Source source = Source::theoretical;
  double cores = 0;        ///< how many it holds for; 0: not known
  bool emphasised = true;  ///< part of the machine's own roof; false: a lower rung, drawn thin
  std::string roof;        ///< whose it is; empty: of the machine that the points were measured on
  /// The peak at which a bandwidth ends, or the bandwidth at which a peak begins; 0: the highest of
  /// the chart.
  double ends_at = 0;
};

/// A place on a chart.
struct ChartPlace {
  double intensity = 0;  ///< FLOP/byte
  double flop_per_s = 0;
};

/// A region (or a given kernel) at one interface and one precision.
struct ChartPoint {
  std::string name;  ///< raw bytes; made safe when drawn
  Interval intensity;
  Interval flop_per_s;
  double weight = 0;              ///< share of the run's time, 0 to 1: the area of the mark
  std::optional<Interval> share;  ///< the same as it is told: with its range
  Side side = Side::unknown;
  Verdict verdict = Verdict::undetermined;
  std::string level;      ///< the interface whose bytes give the intensity
  std::string precision;  ///< "f64"
  std::string note;       ///< for tooltips: "0.42 of the roof, bytes modelled"
  /// Rates of single visits, one standard deviation of their times to either side.
  std::optional<double> visits_low, visits_high;
  /// As if each visit had done the same work, which it did not in all passes: a dashed bar.
  bool visits_differ = false;
  bool attainable = false;  ///< the height is the roof's, not an achieved rate: drawn hollow
  std::optional<std::size_t> region;  ///< index into Profile::regions
  std::optional<ChartPlace> before;   ///< where it was: an arrow leads from there
};

struct Chart {
  std::string title, subtitle;
  std::vector<ChartCeiling> ceilings;
  std::vector<ChartPoint> points;  ///< heaviest first
  std::vector<std::string> notes;  ///< what is not drawn and why, one sentence each
  /// From zero on: a bandwidth is a line's slope there, and every line passes through the origin.
  bool linear = false;
  double x_min = 0, x_max = 0;  ///< FLOP/byte; 0: chosen by fit_axes
  double y_min = 0, y_max = 0;  ///< FLOP/s
};

/// Fills the axes that are 0 so that every ceiling and ridge is inside, in whole 1-2-5 steps, and
/// every point but the lightest, which together have 5 % of the points' time: those are where they
/// lie not far from the others.
void fit_axes(Chart& chart);
/// Linear axes instead of those that it has.
void make_linear(Chart& chart);
/// How many points lie outside the axes, and a sentence that says so; empty for none.
std::size_t points_outside(const Chart& chart);
std::string outside_sentence(const Chart& chart);

struct ChartOptions {
  std::string level;  ///< interface of the points; empty: the outermost that shows most of the time
  bool self = true;   ///< exclusive of child regions
  std::size_t points = 400;  ///< at most so many, the heaviest; the rest is counted in a note
  bool linear = false;       ///< axes from zero on instead of logarithmic ones
  /// Whose roof, and the regions under it: "cpu" or "gpu:UUID"; empty: see default_locus().
  std::string locus = {};
};

/// The levels (innermost first) at which a region of the profile can be drawn.
std::vector<std::string> levels_of(const Profile& profile);

/// Whose roofs a profile has regions under: "cpu" where there are any of the host, then its GPUs.
std::vector<std::string> loci_of(const Profile& profile);
/// "cpu" where a region of the host has FLOPs, or no kernel has; else the GPU with the most time.
std::string default_locus(const Profile& profile);
/// The locus of the GPU on which kernels took the most time; empty: there are no kernels.
std::string busiest_gpu(const Profile& profile);

Chart chart_of(const Profile& profile, const ChartOptions& options = {});
/// chart_of(), and behind it one for each other roof that regions are under: the host and its GPUs
/// are never under one another's ceilings. Of the one that `options.locus` names alone, where it
/// names one.
std::vector<Chart> charts_of(const Profile& profile, const ChartOptions& options = {});
/// The ceilings alone.
Chart chart_of(const Machine& machine);
/// Those of the cores, and of each of its GPUs.
std::vector<Chart> charts_of(const Machine& machine);

/// A chart from given numbers: no run, no machine.
struct GivenNumber {
  std::string name;
  double value = 0;
};
struct GivenKernel {
  std::string name;
  double intensity = 0;              ///< FLOP/byte
  std::optional<double> flop_per_s;  ///< absent: drawn hollow on the roof
};
struct GivenNumbers {
  std::vector<GivenNumber> peaks_flop_per_s;
  std::vector<GivenNumber> bandwidths_bytes_per_s;
  std::vector<GivenKernel> kernels;
};
Chart chart_of(const GivenNumbers& given);
/// For each kernel its side, roof and ridge under each bandwidth, in lines of so many columns.
std::string render_text(const GivenNumbers& given, unsigned width = 80);

// ---- renderings
// ----------------------------------------------------------------------------------

struct TextOptions {
  unsigned width = 80;        ///< terminal columns, 60 at least; no line is longer
  bool utf8 = true;           ///< false: ASCII only
  bool colour = false;        ///< ANSI colours
  bool self = false;          ///< exclusive of child regions
  std::string level;          ///< interface of the intensity column; empty: as ChartOptions::level
  std::size_t rows = 40;      ///< regions in the table, the heaviest with their ancestors; 0: all
  std::size_t explained = 3;  ///< regions explained under the table
  /// Paths, or patterns of them ("solve/*"), whose numbers are told in full below.
  std::vector<std::string> details = {};
};
/// The regions of a profile that a pattern of `TextOptions::details` means.
std::vector<std::size_t> regions_named(const Profile& profile, const std::string& pattern);
std::string render_text(const Profile& profile, const TextOptions& options = {});

struct TerminalChartOptions {
  unsigned width = 80, height = 24;
  bool utf8 = true;  ///< braille; false: plain ASCII
  bool colour = false;
};
std::string render_terminal_chart(const Chart& chart, const TerminalChartOptions& options = {});
/// What is left out of it and why, in lines that go below it; empty for nothing.
std::string terminal_chart_notes(const Chart& chart, const TerminalChartOptions& options = {});

struct SvgOptions {
  double width = 960, height = 620;  ///< CSS pixels
  std::size_t labelled = 12;         ///< points with a name beside them, the heaviest
  std::string id = "roofline";       ///< prefix of the element ids, for several charts in one page
  bool every_side = false;           ///< the key names marks that no point has, for a redrawn chart
};
/// A whole SVG document without an XML declaration, so that it can also stand inside HTML.
std::string render_svg(const Chart& chart, const SvgOptions& options = {});
/// Several charts in one document, one under the other.
std::string render_svg(const std::vector<Chart>& charts, const SvgOptions& options = {});

struct HtmlOptions {
  ChartOptions chart;
  /// At most so many regions and bytes of them are in the page, those with the most time of their
  /// own and their ancestors; a line says how many are left out. 0: all.
  std::size_t regions = 5000;
  std::size_t bytes = std::size_t{12} << 20;
};
/// One self-contained page: no network, and a static chart with a table where scripts are off.
std::string render_html(const Profile& profile, const HtmlOptions& options = {});
std::string render_html(const Chart& chart);
std::string render_html(const std::vector<Chart>& charts);

/// The call tree as an SVG icicle: as wide as its time, coloured by what bounds it; empty where no
/// region has a time.
std::string render_icicle(const Profile& profile);

/// For a comment, an issue or a wiki; `rows`, `explained`, `self` and `level` of the options hold.
std::string render_markdown(const Profile& profile, const TextOptions& options = {});

/// OpenMetrics text, for Prometheus and dashboards: gauges with the region, source and host as
/// labels.
std::string render_openmetrics(const Profile& profile);

/// The call tree as `GraphFrame.from_literal` of Hatchet and Thicket takes it.
std::string render_hatchet(const Profile& profile);

/// RFC 4180, one line a region, quantity names as column names, an empty field for what is absent.
/// `intensity` and `side` are those at `level`; empty: as ChartOptions::level.
std::string render_csv(const Profile& profile, const std::string& level = "");

}  // namespace roofmark
