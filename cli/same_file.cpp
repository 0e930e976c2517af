#include "same_file.hpp"

#include <sys/stat.h>

#include <analysis/record/output_file.hpp>

namespace roofmark::cli {
namespace {

bool same(const struct stat& one, const struct stat& other) {
  return S_ISREG(one.st_mode) && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

}  // namespace

bool same_file(const std::string& one, const std::string& other) {
  struct stat first {};
  struct stat second {};
  return stat(one.c_str(), &first) == 0 && stat(other.c_str(), &second) == 0 &&
         same(first, second) && is_replaceable(one);
}

bool same_file(int descriptor, const std::string& name) {
  struct stat open {};
  struct stat there {};
  return fstat(descriptor, &open) == 0 && stat(name.c_str(), &there) == 0 && same(open, there) &&
         is_replaceable(name);
}

std::optional<Problem> taken(const std::string& output, const std::string& other,
                             const std::string& role, const std::string& option) {
  if (output.empty() || other.empty() || !same_file(output, other)) return std::nullopt;
  return Problem{"it is " + role + " as well, and would be replaced", option + " " + output,
                 "name another file"};
}

}  // namespace roofmark::cli
