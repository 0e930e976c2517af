#include <algorithm>
#include <analysis/record/mounts.hpp>
#include <array>
#include <sstream>
#include <string_view>

namespace roofmark {
namespace {

/// proc(5): blank, tab, newline and backslash stand as three octal digits.
std::string unescaped(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto is_octal = [&](std::size_t at) { return text[at] >= '0' && text[at] <= '7'; };
    if (text[i] == '\\' && i + 3 < text.size() && is_octal(i + 1) && is_octal(i + 2) &&
        is_octal(i + 3)) {
      result += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                  (text[i + 3] - '0'));
      i += 3;
    } else {
      result += text[i];
    }
  }
  return result;
}

constexpr std::array<std::string_view, 21> interfaces{
    "proc",    "sysfs",   "cgroup",      "cgroup2",    "devpts",   "devtmpfs",  "mqueue",
    "debugfs", "tracefs", "hugetlbfs",   "securityfs", "pstore",   "bpf",       "configfs",
    "fusectl", "autofs",  "binfmt_misc", "rpc_pipefs", "efivarfs", "selinuxfs", "nsfs"};

}  // namespace

std::vector<Mount> parse_mountinfo(const std::string& text) {
  std::vector<Mount> mounts;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    Mount mount;
    std::string device, root, point, options, field;
    if (!(fields >> mount.id >> mount.parent >> device >> root >> point >> options)) continue;
    while (fields >> field && field != "-") {
    }
    if (!(fields >> mount.type)) continue;
    mount.point = unescaped(point);
    mount.read_only = options == "ro" || options.rfind("ro,", 0) == 0;
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

bool holds_files(const std::string& type) {
  return std::find(interfaces.begin(), interfaces.end(), type) == interfaces.end();
}

}  // namespace roofmark
