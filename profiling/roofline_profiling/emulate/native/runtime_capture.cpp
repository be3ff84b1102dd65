// CUDA's functions for the capture of streams: what is submitted to one becomes a graph.
#include <algorithm>

#include "graph.h"

namespace emu {
namespace {

cudaError_t begin_capture(CUstream_st *stream) {
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (stream->capture != nullptr) return cudaErrorIllegalState;
  CUgraph_st *graph = new_graph();
  join_capture(stream, graph);
  stream->capture_origin = true;
  return cudaSuccess;
}

// A stream that joined must have been waited for: its last node then has one that depends on it, or is one that
// the first stream's next node would wait for.
bool joined(const CUstream_st &stream, const CUstream_st &origin) {
  if (stream.last == nullptr) return true;
  if (std::count(origin.waits.begin(), origin.waits.end(), stream.last) != 0) return true;
  for (const auto &node : stream.capture->nodes) {
    const auto &before = node->dependencies;
    if (std::count(before.begin(), before.end(), stream.last) != 0) return true;
  }
  return false;
}

cudaError_t end_capture(CUstream_st *stream, cudaGraph_t *result) {
  if (stream == nullptr || result == nullptr) return cudaErrorInvalidValue;
  CUgraph_st *graph = stream->capture;
  if (graph == nullptr) return cudaErrorIllegalState;
  if (!stream->capture_origin) return cudaErrorStreamCaptureUnmatched;
  bool all_joined = true;
  for (const CUstream_st *other : graph->streams) all_joined = all_joined && (other == stream || joined(*other, *stream));
  while (!graph->streams.empty()) leave_capture(graph->streams.back());
  if (!all_joined) {
    delete graph;
    *result = nullptr;
    return cudaErrorStreamCaptureUnjoined;
  }
  *result = graph;
  return cudaSuccess;
}

cudaError_t capture_status(cudaStream_t handle, cudaStreamCaptureStatus *status, CUstream_st **stream) {
  *stream = stream_of(handle);
  if (*stream == nullptr || status == nullptr) return cudaErrorInvalidValue;
  *status = (*stream)->capture == nullptr ? cudaStreamCaptureStatusNone : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}

cudaError_t capture_info(cudaStream_t handle, cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
                         const cudaGraphNode_t **dependencies, std::size_t *count) {
  CUstream_st *stream = nullptr;
  const cudaError_t error = capture_status(handle, status, &stream);
  if (error != cudaSuccess || stream->capture == nullptr) return error;
  if (id != nullptr) *id = stream->capture->id;
  if (graph != nullptr) *graph = stream->capture;
  if (dependencies != nullptr) *dependencies = &stream->last;
  if (count != nullptr) *count = stream->last == nullptr ? 0 : 1;
  return cudaSuccess;
}

}  // namespace
}  // namespace emu

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  return emu::call([&] { return emu::begin_capture(emu::stream_of(stream)); });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  return emu::call([&] { return emu::end_capture(emu::stream_of(stream), graph); });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus *status) {
  return emu::call([&] {
    CUstream_st *stream = nullptr;
    return emu::capture_status(handle, status, &stream);
  });
}

#if CUDART_VERSION >= 13000
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus *status, unsigned long long *id,
                                     cudaGraph_t *graph, const cudaGraphNode_t **dependencies,
                                     const cudaGraphEdgeData **edges, std::size_t *count) {
  if (edges != nullptr) *edges = nullptr;
  return emu::call([&] { return emu::capture_info(stream, status, id, graph, dependencies, count); });
}
#else
extern "C" cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus *status,
                                                   unsigned long long *id, cudaGraph_t *graph,
                                                   const cudaGraphNode_t **dependencies, std::size_t *count) {
  return emu::call([&] { return emu::capture_info(stream, status, id, graph, dependencies, count); });
}
#endif

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *mode) {
  static thread_local cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
  return emu::call([&] {
    if (mode == nullptr) return cudaErrorInvalidValue;
    std::swap(*mode, current);
    return cudaSuccess;
  });
}
