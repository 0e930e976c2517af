#include <sys/auxv.h>
#include <unistd.h>

#include <analysis/record/install_paths.hpp>
#include <cstdlib>

namespace roofmark {
namespace {

namespace fs = std::filesystem;

constexpr const char* runtime_name = "libroofmark-runtime.so";

fs::path library_directory(const fs::path& prefix) {
  std::error_code ignored;
  for (const char* name : {"lib", "lib64"})
    if (fs::exists(prefix / name / runtime_name, ignored)) return prefix / name;
  // Debian's multiarch directory, whatever the triplet is called here.
  for (fs::directory_iterator entry(prefix / "lib", ignored), end; entry != end;
       entry.increment(ignored)) {
    if (ignored) break;
    if (fs::exists(entry->path() / runtime_name, ignored)) return entry->path();
  }
  return prefix / "lib";
}

InstallPaths below(const fs::path& prefix) {
  return {prefix / "bin", library_directory(prefix), prefix / "libexec" / "roofmark",
          prefix / "share" / "roofmark"};
}

}  // namespace

InstallPaths InstallPaths::beside(const fs::path& executable) {
  return below(executable.parent_path().parent_path());
}

InstallPaths InstallPaths::find() {
  if (const char* prefix = std::getenv("ROOFMARK_PREFIX"); prefix != nullptr && *prefix != '\0') {
    std::error_code unknown;
    const fs::path absolute = fs::absolute(prefix, unknown);
    return below(unknown ? fs::path(prefix) : absolute);
  }
  std::error_code unknown;
  fs::path self = fs::read_symlink("/proc/self/exe", unknown);
  // Without /proc: the path by which the kernel was asked to start this program.
  const auto* const started = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  if (unknown && started != nullptr) self = fs::canonical(started, unknown);
  return unknown ? below("/usr") : beside(self);
}

Result<fs::path> InstallPaths::runtime() const {
  const fs::path file = lib / runtime_name;
  if (access(file.c_str(), R_OK) != 0)
    return tl::unexpected(
        Problem{"the runtime that times regions is not there", file.string(),
                "reinstall Roofmark, or set ROOFMARK_PREFIX to where it is installed"});
  // ld.so splits LD_PRELOAD at blanks and colons, and knows no escape.
  if (file.string().find_first_of(" :\t\n") != std::string::npos)
    return tl::unexpected(
        Problem{"the dynamic loader can't preload from a path that holds a blank or a colon",
                file.string(), "install Roofmark below a path without them"});
  return file;
}

}  // namespace roofmark
