/* What the fake driver tells the fake CUPTI. Ours alone: no part of CUDA. */
#ifndef ROOFMARK_FAKE_DEVICE_H
#define ROOFMARK_FAKE_DEVICE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct FakeContext {
  int device;
  uint32_t number;
} FakeContext;

/* A kernel, a copy or a fill that runs on a device. end_ns 0: it never ends. CLOCK_MONOTONIC. */
typedef struct FakeWork {
  const char* kernel; /* NULL: a copy or a fill */
  const char* copy;   /* "HtoD", "DtoH", "DtoD", "PtoP", "set" */
  FakeContext* context;
  int peer;
  uint32_t stream, graph;
  uint32_t grid, block;
  uint64_t bytes;
  int64_t start_ns, end_ns;
} FakeWork;

typedef enum FakeEvent {
  fake_context_created,
  fake_context_ends,
  fake_graph_node_created,
  fake_call_begins, /* of the driver */
  fake_call_ends,
  fake_runtime_call_begins,
  fake_runtime_call_ends,
  fake_work /* inside of a call */
} FakeEvent;

typedef struct FakeCall {
  const char* function;
  const char* kernel;
  FakeContext* context;
  int result;
} FakeCall;

/* `what`: a FakeContext, FakeCall or FakeWork. */
typedef void (*FakeHook)(FakeEvent event, const void* what);
void fake_set_hook(FakeHook hook);

/* 0 before cuInit, 1 inside of it, 2 after. */
int fake_init_state(void);
int fake_device_count(void);
const char* fake_chip(int device);
/* Nanoseconds that a kernel takes, by the data; below 0: it never ends. */
double fake_value(const char* kernel, const char* metric, double otherwise);

#ifdef __cplusplus
}
#endif

#endif
