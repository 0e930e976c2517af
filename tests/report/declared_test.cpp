#include <roofmark/report.hpp>

#include "analysis/report/declared_table.hpp"
#include "catch.hpp"

using namespace roofmark;

namespace {

Count count_of(std::uint64_t value, Source source = Source::counted) {
  Count count;
  count.value = value;
  count.source = source;
  return count;
}

Region region(const std::string& name) {
  Region made;
  made.path = {name};
  made.visits = 1;
  made.work.wall_s = made.self.wall_s = Measure{1, Source::measured, {}, {}};
  return made;
}

/// One whose work was declared and counted, one that was declared alone, one that only has a
/// child's declaration.
Profile profile() {
  Profile made;
  Region both = region("both");
  both.work.declared_flop = both.self.declared_flop = count_of(1000, Source::declared);
  both.work.declared_bytes = both.self.declared_bytes = count_of(800, Source::declared);
  both.work.flop[Precision::f64] = count_of(900);
  both.work.flop[Precision::f32] = count_of(350);
  both.work.flop[Precision::f32].low = 300;
  both.work.bytes["DRAM"] = Traffic{count_of(1500), count_of(100), {}};
  Region alone = region("alone");
  alone.work.declared_flop = alone.self.declared_flop = count_of(7, Source::declared);
  Region parent = region("parent");
  parent.work.declared_flop = count_of(7, Source::declared);
  parent.work.flop[Precision::f64] = count_of(70);
  made.regions = {both, alone, parent};
  return made;
}

}  // namespace

TEST_CASE("Declared against counted: what was counted, per what was declared") {
  const Profile whole = profile();
  const auto rows = report::rows_of(whole, {});
  const report::DeclaredTable table = report::declared_table(whole, rows);
  REQUIRE(table.level == "DRAM");
  REQUIRE(table.rows.size() == 2);  // not the parent: its own work was not declared
  const report::DeclaredRow& both = table.rows[0];
  REQUIRE(both.counted_flop.value() == 1250);
  REQUIRE(both.counted_flop.number->low == 1200);
  REQUIRE_FALSE(both.counted_flop.number->high);
  REQUIRE(both.flop_ratio.value() == 1.25);
  REQUIRE(both.bytes_ratio.value() == 2);
  // A declaration does not stand in for a count here.
  REQUIRE(table.rows[1].declared_flop.value() == 7);
  REQUIRE_FALSE(table.rows[1].counted_flop);
  REQUIRE_FALSE(table.rows[1].flop_ratio);
}

TEST_CASE("Declared against counted: in text and page, and nowhere without counts") {
  Profile whole = profile();
  const std::string text = render_text(whole, {});
  REQUIRE(text.find("Declared against counted") != std::string::npos);
  REQUIRE(text.find("~1.25") != std::string::npos);
  REQUIRE(render_html(whole, {}).find("<table id=\"declared\">") != std::string::npos);
  whole.regions[0].work.flop.clear();
  whole.regions[0].work.bytes.clear();
  REQUIRE(render_text(whole, {}).find("Declared against counted") == std::string::npos);
  REQUIRE(render_html(whole, {}).find("<table id=\"declared\">") == std::string::npos);
}
