/* The program's side of NVTX 3, as far as ranges go: what its headers put into each shared object
 * that includes them. Written after the documented protocol: at the first call the library named by
 * NVTX_INJECTION64_PATH is loaded and its InitializeInjectionNvtx2 gets the table that leads to our
 * pointers. */
#ifndef TESTS_READERS_NVTX_CLIENT_H
#define TESTS_READERS_NVTX_CLIENT_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <wchar.h>

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomain* nvtxDomainHandle_t;
typedef struct nvtxString* nvtxStringHandle_t;
enum {
  NVTX_MESSAGE_TYPE_ASCII = 1,
  NVTX_MESSAGE_TYPE_UNICODE = 2,
  NVTX_MESSAGE_TYPE_REGISTERED = 3
};
typedef struct {
  uint16_t version, size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType, reserved0;
  uint64_t payload;
  int32_t messageType;
  union {
    const char* ascii;
    const wchar_t* unicode;
    nvtxStringHandle_t registered;
  } message;
} nvtxEventAttributes_t;

typedef void (*nvtx_function)(void);
static nvtx_function nvtx_core[16], nvtx_core2[16];
static nvtx_function *nvtx_core_at[17], *nvtx_core2_at[17];

__attribute__((unused)) static int nvtx_table_of_module(int module, nvtx_function*** table,
                                                        unsigned* size) {
  if (module != 1 && module != 5) return 0;
  *table = module == 1 ? nvtx_core_at : nvtx_core2_at;
  *size = 16;
  return 1;
}
static const struct {
  size_t size;
  int (*table_of_module)(int, nvtx_function***, unsigned*);
} nvtx_callbacks = {sizeof nvtx_callbacks, nvtx_table_of_module};

static const void* nvtx_export_table(uint32_t id) {
  return id == 1 ? &nvtx_callbacks : NULL;
}

static int nvtx_tools; /* how many have attached themselves to this copy */
static void nvtx_initialize(void) {
  static int asked;
  if (asked++) return;
  for (int i = 0; i < 16; ++i) {
    nvtx_core_at[i] = i == 0 ? NULL : &nvtx_core[i];
    nvtx_core2_at[i] = i == 0 ? NULL : &nvtx_core2[i];
  }
  const char* const path = getenv("NVTX_INJECTION64_PATH");
  void* const library = path != NULL ? dlopen(path, RTLD_LAZY) : NULL;
  if (library == NULL) return;
  int (*attach)(const void* (*)(uint32_t));
  *(void**)&attach = dlsym(library, "InitializeInjectionNvtx2");
  if (attach != NULL && attach(nvtx_export_table) != 0)
    ++nvtx_tools;
  else
    dlclose(library);
}

#define NVTX_CALL(table, id, type, otherwise, ...) \
  (nvtx_initialize(), table[id] != NULL ? ((type)table[id])(__VA_ARGS__) : otherwise)

#define nvtxRangePushA(text) NVTX_CALL(nvtx_core, 9, int (*)(const char*), -2, text)
#define nvtxRangePushW(text) NVTX_CALL(nvtx_core, 10, int (*)(const wchar_t*), -2, text)
#define nvtxRangePushEx(event) \
  NVTX_CALL(nvtx_core, 8, int (*)(const nvtxEventAttributes_t*), -2, event)
#define nvtxRangePop() NVTX_CALL(nvtx_core, 11, int (*)(void), -2)
#define nvtxRangeStartA(text) NVTX_CALL(nvtx_core, 5, nvtxRangeId_t (*)(const char*), 0, text)
#define nvtxRangeStartW(text) NVTX_CALL(nvtx_core, 6, nvtxRangeId_t (*)(const wchar_t*), 0, text)
#define nvtxRangeEnd(id) NVTX_CALL(nvtx_core, 7, void (*)(nvtxRangeId_t), (void)0, id)
#define nvtxDomainCreateA(name) \
  NVTX_CALL(nvtx_core2, 12, nvtxDomainHandle_t (*)(const char*), NULL, name)
#define nvtxDomainCreateW(name) \
  NVTX_CALL(nvtx_core2, 13, nvtxDomainHandle_t (*)(const wchar_t*), NULL, name)
#define nvtxDomainDestroy(domain) \
  NVTX_CALL(nvtx_core2, 14, void (*)(nvtxDomainHandle_t), (void)0, domain)
#define nvtxDomainRegisterStringA(domain, text)                                                    \
  NVTX_CALL(nvtx_core2, 10, nvtxStringHandle_t (*)(nvtxDomainHandle_t, const char*), NULL, domain, \
            text)
#define nvtxDomainRegisterStringW(domain, text)                                               \
  NVTX_CALL(nvtx_core2, 11, nvtxStringHandle_t (*)(nvtxDomainHandle_t, const wchar_t*), NULL, \
            domain, text)
#define nvtxDomainRangePushEx(domain, event)                                                      \
  NVTX_CALL(nvtx_core2, 4, int (*)(nvtxDomainHandle_t, const nvtxEventAttributes_t*), -2, domain, \
            event)
#define nvtxDomainRangePop(domain) NVTX_CALL(nvtx_core2, 5, int (*)(nvtxDomainHandle_t), -2, domain)
#define nvtxDomainRangeStartEx(domain, event)                                                      \
  NVTX_CALL(nvtx_core2, 2, nvtxRangeId_t (*)(nvtxDomainHandle_t, const nvtxEventAttributes_t*), 0, \
            domain, event)
#define nvtxDomainRangeEnd(domain, id) \
  NVTX_CALL(nvtx_core2, 3, void (*)(nvtxDomainHandle_t, nvtxRangeId_t), (void)0, domain, id)

#endif
