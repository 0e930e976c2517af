#include <analysis/functions/loops.hpp>
#include <analysis/functions/x86_jumps.hpp>
#include <cstdio>
#include <sstream>
#include <string>

#include "catch.hpp"

using namespace roofmark;
using namespace roofmark::functions;

namespace {

using Code = std::vector<std::uint8_t>;

unsigned length(const Code& code) {
  const auto step = x86_step(code);
  return step ? step->bytes : 0;
}

}  // namespace

TEST_CASE("instructions have the lengths that processors give them") {
  CHECK(length({0x90}) == 1);
  CHECK(length({0xF2, 0x0F, 0x58, 0xC1}) == 4);                        // addsd
  CHECK(length({0xC5, 0xFB, 0x58, 0x04, 0xC7}) == 5);                  // vaddsd with an index
  CHECK(length({0x62, 0xF1, 0xFD, 0x48, 0x58, 0x47, 0x01}) == 7);      // vaddpd zmm
  CHECK(length({0x48, 0xB8, 1, 2, 3, 4, 5, 6, 7, 8}) == 10);           // movabs
  CHECK(length({0x66, 0xB8, 1, 2}) == 4);                              // mov ax
  CHECK(length({0xF6, 0x05, 1, 2, 3, 4, 5}) == 7);                     // test byte [rip+...], imm
  CHECK(length({0xF7, 0xD8}) == 2);                                    // neg
  CHECK(length({0x66, 0x2E, 0x0F, 0x1F, 0x84, 0, 0, 0, 0, 0}) == 10);  // a long nop
  CHECK(length({0xC5, 0xF8, 0x77}) == 3);                              // vzeroupper
  CHECK(length({0xC4, 0xE3, 0x7D, 0x19, 0xC1, 0x01}) == 6);            // vextractf128
  CHECK(length({0x06}) == 0);                                          // no instruction
  CHECK(length({0x0F}) == 0);                                          // ends within one
  CHECK(length({}) == 0);
  CHECK(x86_step(Code{0x75, 0xFE})->jump == -2);
  CHECK(x86_step(Code{0x0F, 0x85, 0xFA, 0xFF, 0xFF, 0xFF})->jump == -6);
  CHECK_FALSE(x86_step(Code{0xE8, 0, 0, 0, 0})->jump);  // a call
}

TEST_CASE("a jump back is a loop, inner ones first") {
  // 0: nop; 1: nop; 2: jne 1; 4: nop; 5: jmp 0; 7: ret
  const Code code{0x90, 0x90, 0x75, 0xFD, 0x90, 0xEB, 0xF9, 0xC3};
  CHECK(loops_in(code, 100) == std::vector<symbols::Extent>{{101, 104}, {100, 107}});
  // Two ways back to one head are one loop.
  CHECK(loops_in(Code{0x90, 0x75, 0xFD, 0x75, 0xFB}, 0) == std::vector<symbols::Extent>{{0, 5}});
  // Before the function's start is elsewhere.
  CHECK(loops_in(Code{0x90, 0xEB, 0x80}, 0).empty());
  CHECK(loops_in(Code{0x90, 0x75, 0xFD, 0x06}, 0).empty());
}

#if defined(__x86_64__)
TEST_CASE("every instruction of real programs is as long as objdump has it") {
  int read = 0, differ = 0;
  std::string first;
  for (const char* const file : {"/proc/self/exe", "/lib/x86_64-linux-gnu/libc.so.6"}) {
    const std::string command = std::string("objdump -d --insn-width=16 ") + file + " 2>/dev/null";
    FILE* const pipe = popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    char line[512];
    while (std::fgets(line, sizeof line, pipe) != nullptr) {
      std::string text(line);
      const std::size_t tab = text.find('\t');
      if (tab == std::string::npos || text.find("(bad)") != std::string::npos) continue;
      const std::size_t end = text.find('\t', tab + 1);
      if (end == std::string::npos) continue;
      std::istringstream bytes(text.substr(tab + 1, end - tab - 1));
      Code code;
      unsigned byte = 0;
      while (bytes >> std::hex >> byte) code.push_back(static_cast<std::uint8_t>(byte));
      // `fwait` and prefixes alone are instructions of their own, which objdump puts together.
      if (code.empty() || code.front() == 0x9B) continue;
      const unsigned expected = static_cast<unsigned>(code.size());
      ++read;
      if (length(code) == expected) continue;
      if (++differ == 1) first = text;
    }
    pclose(pipe);
  }
  if (read == 0) {
    WARN("objdump is not installed");
    return;
  }
  INFO(first);
  CHECK(differ == 0);
}
#endif
