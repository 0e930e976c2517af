// A CUPTI that is older than the headers knows shorter parameter structures.
#include "catch.hpp"
#include "collectors/cupti/target/cupti_library.hpp"

using namespace roofmark::cupti;

namespace {

// As a later header would have it: one member more than this CUPTI knows.
struct Newer_Params {
  std::size_t structSize;
  void* pPriv;
  int used;
  int added_later;
};
constexpr std::size_t Newer_Params_STRUCT_SIZE = sizeof(Newer_Params);

std::vector<std::size_t> asked;
std::size_t known = 0;
CUptiResult refusal = CUPTI_ERROR_INVALID_PARAMETER;

CUptiResult CUPTIAPI older(Newer_Params* p) {
  asked.push_back(p->structSize);
  if (p->structSize > known) return refusal;
  p->used = 7;
  return CUPTI_SUCCESS;
}

CUptiResult ask(std::size_t knows, CUptiResult refuses_by, int& used) {
  asked.clear();
  known = knows;
  refusal = refuses_by;
  ROOFMARK_SIZED(Newer, params, used);
  const CUptiResult result = call(older, params);
  used = params->used;
  return result;
}

}  // namespace

TEST_CASE("a structure that CUPTI finds too long is offered once more, up to what is used") {
  constexpr std::size_t whole = sizeof(Newer_Params), least = offsetof(Newer_Params, added_later);
  int used = 0;
  CHECK(ask(whole, CUPTI_ERROR_INVALID_PARAMETER, used) == CUPTI_SUCCESS);
  CHECK(asked == std::vector<std::size_t>{whole});
  CHECK(ask(least, CUPTI_ERROR_INVALID_PARAMETER, used) == CUPTI_SUCCESS);
  CHECK(asked == std::vector<std::size_t>{whole, least});
  CHECK(used == 7);
  CHECK(ask(0, CUPTI_ERROR_INVALID_PARAMETER, used) == CUPTI_ERROR_INVALID_PARAMETER);
  CHECK(asked == std::vector<std::size_t>{whole, least});
  // Another refusal is not about the size.
  CHECK(ask(0, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, used) == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
  CHECK(asked.size() == 1);
}
