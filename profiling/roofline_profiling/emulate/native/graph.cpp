// Graphs: their nodes, in what order these run, and streams whose work goes into one.
#include "graph.h"

#include <algorithm>
#include <map>
#include <set>

namespace emu {
namespace {

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

}  // namespace

CUgraph_st *new_graph() {
  static unsigned long long last_id = 0;
  auto *graph = new CUgraph_st;
  graph->id = ++last_id;
  return graph;
}

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
  std::unique_ptr<CUgraph_st> result(new_graph());
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
