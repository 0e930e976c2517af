#include <analysis/record/executable.hpp>
#include <exception>

namespace roofmark {

TargetFile look_at(const std::string& name, emulated::Look look) {
  TargetFile target;
  const auto found = emulated::find_program(name);
  if (!found) return target;
  target.path = *found;
  stat(target.path.c_str(), &target.status);
  try {
    if (auto executable = emulated::inspect(target.path, look))
      target.executable = std::move(*executable);
  } catch (const std::exception&) {  // no memory for it: the program runs all the same
  }
  return target;
}

std::optional<Problem> why_not_preloadable(const TargetFile& target) {
  if (!target.executable) return std::nullopt;
  const emulated::Executable& executable = *target.executable;
  const std::string where = executable.path.string();
  if (!executable.gains_rights.empty())
    return Problem{"the program gains rights by " + executable.gains_rights +
                       ", and the loader ignores LD_PRELOAD for such a program",
                   where, "record a copy of it (cp drops them), as the user whose rights it needs"};
  if (executable.is_32_bit)
    return Problem{"the program is a 32-bit program and the runtime is not", where,
                   "build the program for 64 bit"};
  if (executable.is_static)
    return Problem{"the program is statically linked, so the runtime can't be preloaded", where,
                   "link it dynamically, or link roofmark::runtime_static into it (without CMake: "
                   "-Wl,-u,roofmark_api_v1 and libroofmark-runtime.a)"};
  return std::nullopt;
}

std::optional<Problem> why_not_again(const TargetFile& target) {
  if (target.path.empty()) return std::nullopt;
  const struct stat& before = target.status;
  struct stat now {};
  if (stat(target.path.c_str(), &now) != 0)
    return Problem{"the program's file was removed during the timed run, by itself or by another",
                   target.path.string(), "record a copy that stays"};
  const bool same = now.st_dev == before.st_dev && now.st_ino == before.st_ino &&
                    now.st_size == before.st_size && now.st_mtim.tv_sec == before.st_mtim.tv_sec &&
                    now.st_mtim.tv_nsec == before.st_mtim.tv_nsec;
  if (same) return std::nullopt;
  return Problem{
      "the program's file was changed during the timed run: a second run would be "
      "another program's",
      target.path.string(), "record it again"};
}

}  // namespace roofmark
