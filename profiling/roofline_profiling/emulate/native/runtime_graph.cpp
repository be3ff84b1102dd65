// Graphs: capture of streams, instantiation and launch. runtime_graph_nodes.cpp has the nodes.
#include "runtime_graph.h"

#include <algorithm>
#include <map>
#include <set>

namespace emu {
namespace {

unsigned long long next_graph_id() {
  static unsigned long long last = 0;
  return ++last;
}

void visit(CUgraphNode_st *node, std::set<const CUgraphNode_st *> *seen, std::vector<CUgraphNode_st *> *order) {
  if (!seen->insert(node).second) return;
  for (CUgraphNode_st *before : node->dependencies) visit(before, seen, order);
  order->push_back(node);
}

std::vector<CUgraphNode_st *> in_order(const CUgraph_st &graph) {
  std::set<const CUgraphNode_st *> seen;
  std::vector<CUgraphNode_st *> order;
  for (const auto &node : graph.nodes) visit(node.get(), &seen, &order);
  return order;
}

cudaError_t begin_capture(CUstream_st *stream) {
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (stream->capture != nullptr) return cudaErrorIllegalState;
  auto *graph = new CUgraph_st;
  graph->id = next_graph_id();
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

cudaError_t instantiate(cudaGraphExec_t *result, const CUgraph_st *graph, unsigned long long flags) {
  if (result == nullptr || graph == nullptr) return cudaErrorInvalidValue;
  *result = new CUgraphExec_st{clone(*graph), flags};
  return cudaSuccess;
}

// Takes over another graph's work where both have the same shape.
cudaError_t update(CUgraphExec_st *exec, const CUgraph_st &graph) {
  const auto &nodes = exec->graph->nodes;
  if (nodes.size() != graph.nodes.size()) return cudaErrorGraphExecUpdateFailure;
  for (std::size_t i = 0; i < nodes.size(); i++) {
    if (nodes[i]->type != graph.nodes[i]->type) return cudaErrorGraphExecUpdateFailure;
  }
  exec->graph = clone(graph);
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

CUgraphNode_st *add_node(CUgraph_st *graph, cudaGraphNodeType type, const Task &task,
                         const std::vector<CUgraphNode_st *> &dependencies) {
  auto node = std::make_unique<CUgraphNode_st>();
  node->type = type;
  node->task = task;
  node->dependencies = dependencies;
  node->graph = graph;
  graph->nodes.push_back(std::move(node));
  return graph->nodes.back().get();
}

CUgraphNode_st *capture_node(CUstream_st *stream, cudaGraphNodeType type, const Task &task) {
  std::vector<CUgraphNode_st *> dependencies = stream->waits;
  if (stream->last != nullptr) dependencies.push_back(stream->last);
  stream->waits.clear();
  stream->last = add_node(stream->capture, type, task, dependencies);
  return stream->last;
}

void join_capture(CUstream_st *stream, CUgraph_st *graph) {
  stream->capture = graph;
  stream->capture_origin = false;
  stream->last = nullptr;
  stream->waits.clear();
  graph->streams.push_back(stream);
}

void leave_capture(CUstream_st *stream) {
  if (stream->capture == nullptr) return;
  auto &streams = stream->capture->streams;
  streams.erase(std::remove(streams.begin(), streams.end(), stream), streams.end());
  stream->capture = nullptr;
  stream->capture_origin = false;
  stream->last = nullptr;
  stream->waits.clear();
}

std::unique_ptr<CUgraph_st> clone(const CUgraph_st &graph) {
  auto result = std::make_unique<CUgraph_st>();
  result->id = next_graph_id();
  std::map<const CUgraphNode_st *, CUgraphNode_st *> copies;
  for (const auto &node : graph.nodes) {
    auto copy = std::make_unique<CUgraphNode_st>(*node);
    copy->graph = result.get();
    copy->original = node.get();
    if (node->child != nullptr) copy->child = clone(*node->child).release();
    copies[node.get()] = copy.get();
    result->nodes.push_back(std::move(copy));
  }
  for (const auto &node : result->nodes) {
    for (CUgraphNode_st *&before : node->dependencies) before = copies.at(before);
  }
  return result;
}

cudaError_t run_graph(const CUgraph_st &graph) {
  for (const CUgraphNode_st *node : in_order(graph)) {
    cudaError_t error = cudaSuccess;
    if (node->child != nullptr) error = run_graph(*node->child);
    if (node->task) error = node->task();
    if (error != cudaSuccess) return error;
    if (broken() != cudaSuccess) return cudaSuccess;  // the next call says it
  }
  return cudaSuccess;
}

}  // namespace emu

CUgraph_st::~CUgraph_st() {
  for (const auto &node : nodes) delete node->child;
}

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

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned) {
  return emu::call([&] {
    *graph = new CUgraph_st;
    (*graph)->id = emu::next_graph_id();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return emu::call([&] {
    delete graph;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphClone(cudaGraph_t *result, cudaGraph_t graph) {
  return emu::call([&] {
    *result = emu::clone(*graph).release();
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
  return emu::call([&] { return emu::instantiate(exec, graph, flags); });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
  return cudaGraphInstantiate(exec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphInstantiateParams *parameters) {
  parameters->result_out = cudaGraphInstantiateSuccess;
  return cudaGraphInstantiate(exec, graph, parameters->flags);
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags) {
  return emu::call([&] {
    *flags = exec->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info) {
  return emu::call([&] {
    const cudaError_t error = emu::update(exec, *graph);
    if (info != nullptr) {
      info->result = error == cudaSuccess ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
      info->errorNode = info->errorFromNode = nullptr;
    }
    return error;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return emu::call([&] {
    delete exec;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) {
  return emu::call([] { return cudaSuccess; });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return emu::call([&] {
    if (exec == nullptr) return cudaErrorInvalidValue;
    return emu::submit(stream, cudaGraphNodeTypeGraph, [exec] { return emu::run_graph(*exec->graph); });
  });
}
