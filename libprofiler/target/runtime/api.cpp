// The one object that the annotation headers look for.
#include "runtime.hpp"

namespace roofmark::runtime {
namespace {

int api_connect() {
  return connect();
}
roofmark_token api_enter(roofmark_site* site) {
  return enter_region(site);
}
void api_leave(roofmark_token token) {
  leave_region(token);
}
roofmark_token api_enter_name(const char* name, size_t length) {
  return enter_named(name, length);
}
void api_leave_site(roofmark_site* site) {
  leave_at_site(site);
}
void api_declare(roofmark_token token, double flop, double bytes) {
  declare_work(token, flop, bytes);
}
void api_detach_thread() {
  detach_this_thread();
}

}  // namespace
}  // namespace roofmark::runtime

extern "C" {
__attribute__((visibility("default"))) extern const roofmark_api roofmark_api_v1;
const roofmark_api roofmark_api_v1 = {
    1,
    sizeof(roofmark_api),
    roofmark::runtime::api_connect,
    roofmark::runtime::api_enter,
    roofmark::runtime::api_leave,
    roofmark::runtime::api_enter_name,
    roofmark::runtime::api_leave_site,
    roofmark::runtime::api_declare,
    roofmark::runtime::api_detach_thread,
};
}
