// Streams, events and host functions. Work is done when it is submitted, or captured in a graph.
#include <chrono>
#include <mutex>
#include <set>

#include "graph.h"

struct CUevent_st {
  unsigned flags = 0;
  bool recorded = false;
  std::chrono::steady_clock::time_point time;
  CUgraph_st *capture = nullptr;    // where it was recorded in a stream that captures
  CUgraphNode_st *node = nullptr;
};

namespace emu {
namespace {

struct Handles {
  std::mutex mutex;
  CUstream_st standard;
  std::set<CUstream_st *> streams;
  std::set<CUevent_st *> events;
  unsigned long long next_id = 1;
};

Handles &handles() {
  static Handles *result = new Handles;
  return *result;
}

CUevent_st *event_of(cudaEvent_t event) {
  const std::lock_guard lock(handles().mutex);
  return handles().events.count(event) != 0 ? event : nullptr;
}

cudaError_t create_stream(cudaStream_t *result, unsigned flags, int priority) {
  return call([&] {
    if (result == nullptr || flags > cudaStreamNonBlocking) return cudaErrorInvalidValue;
    const std::lock_guard lock(handles().mutex);
    auto *stream = new CUstream_st;
    stream->flags = flags;
    stream->priority = priority;
    stream->id = ++handles().next_id;
    handles().streams.insert(stream);
    *result = stream;
    return cudaSuccess;
  });
}

// What a stream function does with a stream that exists.
template <typename Body>
cudaError_t with(cudaStream_t handle, Body &&body) {
  return call([&]() -> cudaError_t {
    CUstream_st *stream = stream_of(handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    return body(*stream);
  });
}

cudaError_t record(CUevent_st *event, CUstream_st *stream) {
  if (event == nullptr || stream == nullptr) return cudaErrorInvalidResourceHandle;
  event->capture = stream->capture;
  event->node = stream->last;
  if (stream->capture != nullptr) return cudaSuccess;
  event->recorded = true;
  event->time = std::chrono::steady_clock::now();
  return cudaSuccess;
}

cudaError_t wait(CUstream_st *stream, const CUevent_st *event) {
  if (event == nullptr || stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (event->capture == nullptr) return cudaSuccess;
  if (stream->capture != nullptr && stream->capture != event->capture) return cudaErrorStreamCaptureMerge;
  if (stream->capture == nullptr) join_capture(stream, event->capture);
  if (event->node != nullptr) stream->waits.push_back(event->node);
  return cudaSuccess;
}

cudaError_t create_event(cudaEvent_t *result, unsigned flags) {
  return call([&] {
    if (result == nullptr) return cudaErrorInvalidValue;
    const std::lock_guard lock(handles().mutex);
    auto *event = new CUevent_st;
    event->flags = flags;
    handles().events.insert(event);
    *result = event;
    return cudaSuccess;
  });
}

}  // namespace

CUstream_st *stream_of(cudaStream_t stream) {
  const std::lock_guard lock(handles().mutex);
  if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread) return &handles().standard;
  return handles().streams.count(stream) != 0 ? stream : nullptr;
}

cudaError_t submit(cudaStream_t handle, cudaGraphNodeType type, const Task &task, CUgraphNode_st **node) {
  CUstream_st *stream = stream_of(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (stream->capture == nullptr) return task ? task() : cudaSuccess;
  CUgraphNode_st *added = capture_node(stream, type, task);
  if (node != nullptr) *node = added;
  return cudaSuccess;
}

}  // namespace emu

cudaError_t cudaStreamCreate(cudaStream_t *stream) { return emu::create_stream(stream, 0, 0); }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) { return emu::create_stream(stream, flags, 0); }

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
  return emu::create_stream(stream, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return emu::call([&] {
    const std::lock_guard lock(emu::handles().mutex);
    if (emu::handles().streams.erase(stream) == 0) return cudaErrorInvalidResourceHandle;
    emu::leave_capture(stream);
    delete stream;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return emu::with(handle, [](const CUstream_st &stream) {
    return stream.capture == nullptr ? cudaSuccess : cudaErrorStreamCaptureUnsupported;
  });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) { return cudaStreamSynchronize(handle); }

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int *priority) {
  return emu::with(handle, [&](const CUstream_st &stream) {
    *priority = stream.priority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned *flags) {
  return emu::with(handle, [&](const CUstream_st &stream) {
    *flags = stream.flags;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long *id) {
  return emu::with(handle, [&](const CUstream_st &stream) {
    *id = stream.id;
    return cudaSuccess;
  });
}

extern "C" cudaError_t cudaStreamGetDevice(cudaStream_t handle, int *device) {
  return emu::with(handle, [&](const CUstream_st &) {
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return emu::call([&] { return emu::wait(emu::stream_of(stream), emu::event_of(event)); });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned) {
  return emu::call([&] {
    return emu::submit(stream, cudaGraphNodeTypeHost, [=] {
      callback(stream, cudaSuccess, data);
      return cudaSuccess;
    });
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
  return emu::call([&] {
    CUgraphNode_st *node = nullptr;
    const cudaError_t error = emu::submit(stream, cudaGraphNodeTypeHost, [=] {
      function(data);
      return cudaSuccess;
    }, &node);
    if (node != nullptr) node->host = {function, data};
    return error;
  });
}

cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaStreamAttrID, const cudaStreamAttrValue *) {
  return emu::with(handle, [](const CUstream_st &) { return cudaSuccess; });  // L2 windows and the like: no effect
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return emu::with(to, [&](const CUstream_st &) {
    return emu::stream_of(from) == nullptr ? cudaErrorInvalidResourceHandle : cudaSuccess;
  });
}

cudaError_t cudaCtxResetPersistingL2Cache() {
  return emu::call([] { return cudaSuccess; });
}

cudaError_t cudaEventCreate(cudaEvent_t *event) { return emu::create_event(event, 0); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) { return emu::create_event(event, flags); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return emu::call([&] {
    const std::lock_guard lock(emu::handles().mutex);
    if (emu::handles().events.erase(event) == 0) return cudaErrorInvalidResourceHandle;
    delete event;
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return emu::call([&] { return emu::record(emu::event_of(event), emu::stream_of(stream)); });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return cudaEventRecord(event, stream);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return emu::call([&] { return emu::event_of(event) == nullptr ? cudaErrorInvalidResourceHandle : cudaSuccess; });
}

cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }

// The time that the host has needed: it says nothing about a device.
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return emu::call([&] {
    const CUevent_st *first = emu::event_of(start), *second = emu::event_of(end);
    if (first == nullptr || second == nullptr) return cudaErrorInvalidResourceHandle;
    if (!first->recorded || !second->recorded) return cudaErrorInvalidResourceHandle;
    if (((first->flags | second->flags) & cudaEventDisableTiming) != 0) return cudaErrorInvalidResourceHandle;
    *milliseconds = std::chrono::duration<float, std::milli>(second->time - first->time).count();
    return cudaSuccess;
  });
}

// The same function under the name that headers of CUDA 12.8 and 12.9 use.
extern "C" cudaError_t cudaEventElapsedTime_v2(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return cudaEventElapsedTime(milliseconds, start, end);
}
