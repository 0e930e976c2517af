// The decoder against a zoo of instruction forms whose truth is written down by hand.
#include <collectors/emulated/x86/decode.hpp>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "catch.hpp"
#include "x86_words.hpp"

using namespace roofmark::x86;

extern "C" const std::uint8_t roofmark_zoo[];
extern "C" const std::uint8_t roofmark_zoo_end[];

namespace {

struct Form {
  std::string truth;
  std::string instruction;
};

std::vector<Form> zoo() {
  std::ifstream file(ROOFMARK_X86_ZOO);
  std::vector<Form> forms;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const auto colon = line.find(" : ");
    forms.push_back({line.substr(0, colon), line.substr(colon + 3)});
  }
  return forms;
}

}  // namespace

TEST_CASE("every form of the zoo is classified as written down") {
  const std::vector<Form> forms = zoo();
  REQUIRE(forms.size() > 500);
  REQUIRE(static_cast<std::size_t>(roofmark_zoo_end - roofmark_zoo) == forms.size() * 32);
  for (std::size_t i = 0; i < forms.size(); ++i) {
    INFO(forms[i].instruction);
    CHECK(x86_tests::words(decode(roofmark_zoo + 32 * i, max_instruction_bytes)) == forms[i].truth);
  }
}

TEST_CASE("bytes that end early are no more than what is there") {
  const std::uint8_t vfmadd[] = {0xC4, 0xE2, 0xED, 0xB8, 0xD9};  // vfmadd231pd ymm3, ymm2, ymm1
  CHECK(x86_tests::words(decode(vfmadd, 5)) == "flop f64 256 fma 8");
  for (std::size_t length = 0; length < 5; ++length) CHECK(decode(vfmadd, length).flop == 0);
  const std::uint8_t prefixes[] = {0x66, 0x66, 0xF2, 0x67};
  CHECK(decode(prefixes, 4).kind == Kind::other);
  CHECK(decode(nullptr, 0).kind == Kind::other);
}

TEST_CASE("prefixes that change nothing change nothing") {
  const std::uint8_t addpd[] = {0x3E, 0x66, 0x0F, 0x58, 0xC1};
  CHECK(x86_tests::words(decode(addpd, 5)) == "flop f64 128 add 2");
  const std::uint8_t addsd[] = {0x66, 0xF2, 0x0F, 0x58, 0xC1};  // F2 goes before 66
  CHECK(x86_tests::words(decode(addsd, 5)) == "flop f64 0 add 1");
  const std::uint8_t lig[] = {0xC5, 0xF7, 0x58,
                              0xC1};  // vaddsd with VEX.L set: the length is ignored
  CHECK(x86_tests::words(decode(lig, 4)) == "flop f64 0 add 1");
}

TEST_CASE("encodings are told apart") {
  const std::uint8_t evex[] = {0x62, 0xF1, 0xED, 0x48, 0x58, 0xD9};
  CHECK(decode(evex, 6).encoding == Encoding::evex);
  CHECK(x86_tests::words(decode(evex, 6)) == "flop f64 512 add 8");
  const std::uint8_t pop[] = {0x8F, 0xC0};  // not XOP
  CHECK(decode(pop, 2).encoding == Encoding::legacy);
  const std::uint8_t fadd[] = {0xD8, 0xC1};
  CHECK(decode(fadd, 2).encoding == Encoding::x87);
  CHECK_FALSE(decode(fadd, 2).vector);
  const std::uint8_t movaps[] = {0x0F, 0x28, 0xC1};
  CHECK(decode(movaps, 3).vector);
  const std::uint8_t mov[] = {0x48, 0x89, 0xC3};
  CHECK_FALSE(decode(mov, 3).vector);
}

TEST_CASE("places in memory that a translation may hide are told") {
  const std::uint8_t addpd[] = {0x66, 0x0F, 0x58, 0x01};
  CHECK(decode(addpd, 4).memory == Memory::one_operand);
  CHECK(decode(addpd, 4).operand_bytes == 0);
  const std::uint8_t btq[] = {0x48, 0x0F, 0xA3, 0x01};
  CHECK(decode(btq, 4).memory == Memory::one_operand);
  CHECK(decode(btq, 4).operand_bytes == 8);
  CHECK(decode(btq + 1, 3).operand_bytes == 4);
  const std::uint8_t lock_btsw[] = {0xF0, 0x66, 0x0F, 0xAB, 0x01};
  CHECK(decode(lock_btsw, 5).operand_bytes == 2);
  const std::uint8_t btq_registers[] = {0x48, 0x0F, 0xA3, 0xC1};
  CHECK(decode(btq_registers, 4).memory == Memory::untouched);
  const std::uint8_t repe_cmpsb[] = {0xF3, 0xA6};
  CHECK(decode(repe_cmpsb, 2).memory == Memory::two_reads);
  const std::uint8_t vgatherqpd[] = {0xC4, 0xE2, 0xE5, 0x93, 0x24, 0xD0};
  CHECK(decode(vgatherqpd, 6).memory == Memory::gathered);
  const std::uint8_t maskmovdqu[] = {0x66, 0x0F, 0xF7, 0xC1};
  CHECK(decode(maskmovdqu, 4).memory == Memory::written_alone);
  const std::uint8_t vmovddup[] = {0xC5, 0xFF, 0x12, 0x18};  // 256 bits
  CHECK(decode(vmovddup, 4).operand_bytes == 32);
  const std::uint8_t psrlw[] = {0x66, 0x0F, 0xD1, 0x01};
  CHECK(decode(psrlw, 4).operand_bytes == 16);
  CHECK(decode(psrlw + 1, 3).operand_bytes == 0);  // of MMX registers: 8, as accessed
}
