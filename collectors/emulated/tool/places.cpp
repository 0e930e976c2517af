#include "places.hpp"

#include "threads.hpp"

namespace roofmark::emulator {
namespace {

struct PlaceRow {
  const HChar* function;
  const HChar* object;
  const HChar* file;
  UInt line;
  ULong flop;
  ULong load_bytes;
  ULong store_bytes;
};

class Places {
 public:
  PlaceRow& at(const HChar* function, const HChar* object, const HChar* file, UInt line) {
    ULong key = hash_text(hash_text(hash_text(hash_start, function), object), file);
    key = hash_bytes(key, &line, sizeof line) | 1;
    if (const UInt* index = by_key_.find(key)) return rows_[*index];
    by_key_.insert(key, static_cast<UInt>(rows_.size()));
    return rows_.push({VG_(strdup)("roofmark.place", function),
                       VG_(strdup)("roofmark.place", object), VG_(strdup)("roofmark.place", file),
                       line, 0, 0, 0});
  }
  Vector<PlaceRow>& rows() { return rows_; }

 private:
  Vector<PlaceRow> rows_;
  Map<UInt> by_key_;
};

void add(PlaceRow& row, const Cost& cost, ULong times) {
  const ULong amount = times * cost.amount;
  if (cost.cost_class < flop_classes) row.flop += amount;
  if (cost.cost_class == load_bytes) row.load_bytes += amount;
  if (cost.cost_class == store_bytes) row.store_bytes += amount;
}

bool has_place(const Cost& c) {
  return c.cost_class < flop_classes || c.cost_class == load_bytes || c.cost_class == store_bytes;
}

void write(JsonLines& json, const HChar* kind, Places& places) {
  const bool lines = kind[0] == 'l';
  for (const PlaceRow& r : places.rows()) {
    json.begin_line();
    if (lines) json.number("line", r.line);
    json.text("function", r.function);
    json.text("object", r.object);
    json.text("file", r.file);
    json.number("flop", r.flop);
    json.number("load_bytes", r.load_bytes);
    json.number("store_bytes", r.store_bytes);
    json.end_line();
  }
}

constinit Places functions;
constinit Places lines;

}  // namespace

void write_places(JsonLines& json) {
  Places* const both[] = {&functions, &lines};
  for (Places* p : both)
    for (PlaceRow& r : p->rows()) r.flop = r.load_bytes = r.store_bytes = 0;
  Vector<ULong> times;
  times.resize(segments.size());
  for (Row* row : rows()) row->counters.for_each([&](SegmentId id, ULong n) { times[id] += n; });
  for (SegmentId id = 0; id < times.size(); ++id) {
    if (times[id] == 0) continue;
    const Segment& s = segments[id];
    const Cost* costs = segments.costs_of(s);
    Addr last = 0;
    UWord function_row = 0;
    UWord line_row = ~0UL;
    for (UInt i = 0; i < s.costs; ++i) {
      if (!has_place(costs[i])) continue;
      if (costs[i].address != last) {
        last = costs[i].address;
        const HChar* function = "";
        const HChar* object = "";
        const HChar* file = "";
        const HChar* directory = "";
        UInt line = 0;
        if (!VG_(get_objname)(s.epoch, last, &object)) object = "";
        const bool has_line =
            VG_(get_filename_linenum)(s.epoch, last, &file, &directory, &line) != False;
        if (!VG_(get_fnname)(s.epoch, last, &function)) function = "";
        // The name lives in a buffer of Valgrind's until the next question.
        function_row = static_cast<UWord>(&functions.at(function, object, has_line ? file : "", 0) -
                                          functions.rows().begin());
        line_row =
            has_line
                ? static_cast<UWord>(&lines.at(function, object, file, line) - lines.rows().begin())
                : ~0UL;
      }
      add(functions.rows()[function_row], costs[i], times[id]);
      if (line_row != ~0UL) add(lines.rows()[line_row], costs[i], times[id]);
    }
  }
  times.free();
  write(json, "function", functions);
  write(json, "line", lines);
}

}  // namespace roofmark::emulator
