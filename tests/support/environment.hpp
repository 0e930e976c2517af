// A variable of the environment for the time of one scope: what it was comes back.
#pragma once

#include <stdlib.h>

#include <optional>
#include <string>

namespace roofmark::test {

class Environment {
 public:
  /// Null: the variable is not set.
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* old = getenv(name)) old_ = old;
    set(value);
  }
  ~Environment() { set(old_ ? old_->c_str() : nullptr); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  void set(const char* value) {
    if (value == nullptr)
      unsetenv(name_);
    else
      setenv(name_, value, 1);
  }

  const char* name_;
  std::optional<std::string> old_;
};

}  // namespace roofmark::test
