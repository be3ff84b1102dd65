// The few calls that the benchmarks need, by one name for CUDA and HIP.
#pragma once
#include <cstdio>
#include <cstdlib>

#if defined(__HIP__) || defined(__HIPCC__)
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>
#define GPU(name) hip##name
#else
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#define GPU(name) cuda##name
#endif

#define MUST(call)                                                \
  do {                                                            \
    GPU(Error_t) status = (call);                                 \
    if (status != GPU(Success)) {                                 \
      std::fprintf(stderr, "%s\n", GPU(GetErrorString)(status));  \
      std::exit(1);                                               \
    }                                                             \
  } while (0)

constexpr int RUNS = 8;  // the best of so many counts; the first warms up

// Seconds of the fastest of some runs of a launch.
template <class Launch>
double best_seconds(Launch launch) {
  GPU(Event_t) start, stop;
  MUST(GPU(EventCreate)(&start));
  MUST(GPU(EventCreate)(&stop));
  double best = 1e30;
  for (int run = 0; run <= RUNS; run++) {
    MUST(GPU(EventRecord)(start));
    launch();
    MUST(GPU(GetLastError)());
    MUST(GPU(EventRecord)(stop));
    MUST(GPU(EventSynchronize)(stop));
    float milliseconds = 0;
    MUST(GPU(EventElapsedTime)(&milliseconds, start, stop));
    if (run > 0 && milliseconds * 1e-3 < best) best = milliseconds * 1e-3;
  }
  MUST(GPU(EventDestroy)(start));
  MUST(GPU(EventDestroy)(stop));
  return best;
}
