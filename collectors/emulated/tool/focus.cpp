#include "focus.hpp"

#include "options.hpp"

namespace roofmark::emulator::focus {
namespace {

constinit bool has_begun = false;

// One path a line: names from the outermost in, each as hexadecimal digits, a slash between two.
// Names may hold any bytes.
class Reader {
 public:
  explicit Reader(Int file) : file_(file) {}

  Int next() {
    if (at_ == filled_) {
      filled_ = VG_(read)(file_, buffer_, sizeof buffer_);
      at_ = 0;
      if (filled_ <= 0) return -1;
    }
    return static_cast<UChar>(buffer_[at_++]);
  }

 private:
  Int file_;
  HChar buffer_[4096];
  Int filled_ = 0, at_ = 0;
};

Int digit(Int c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

const HChar* read_paths(Reader& in) {
  static constinit Vector<UChar> name;
  Node* node = root();
  name.clear();
  const auto end_name = [&] {
    if (node->heat == Heat::cold) node->heat = Heat::leads_to_hot;
    node = child(node, name.begin(), static_cast<UInt>(name.size()));
    name.clear();
  };
  for (Int c = in.next(); c != -1; c = in.next()) {
    if (c == '/') {
      end_name();
    } else if (c == '\n') {
      end_name();
      node->heat = Heat::hot;
      node = root();
    } else {
      const Int high = digit(c), low = digit(in.next());
      if (high < 0 || low < 0) return "not a list of paths";
      name.push(static_cast<UChar>(high * 16 + low));
    }
  }
  return nullptr;
}

}  // namespace

const HChar* start() {
  if (options.hot == nullptr) return nullptr;
  options.outside = false;
  const Int file = VG_(fd_open)(options.hot, VKI_O_RDONLY, 0);
  if (file < 0) return "can't be read";
  Reader in(file);
  const HChar* problem = read_paths(in);
  VG_(close)(file);
  return problem;
}

bool wanted() {
  return options.hot != nullptr;
}

bool counting() {
  return has_begun || !wanted();
}

bool begins_with(const Node* node) {
  if (counting() || node->heat == Heat::cold) return false;
  has_begun = true;
  // What was translated so far counts nothing.
  VG_(discard_translations_safely)(0x1000, ~static_cast<SizeT>(0xFFF), "roofmark");
  return true;
}

bool simulated(const Node* node) {
  if (wanted()) return node->heat != Heat::cold && node != root();
  return options.outside || node != root();
}

}  // namespace roofmark::emulator::focus
