// Graph nodes that programs add and change one by one.
#include <cstring>

#include "graph.h"

namespace emu {
namespace {

std::vector<CUgraphNode_st *> list(const cudaGraphNode_t *nodes, std::size_t count) {
  return nodes == nullptr ? std::vector<CUgraphNode_st *>() : std::vector<CUgraphNode_st *>(nodes, nodes + count);
}

cudaError_t kernel_task(const cudaKernelNodeParams &p, Task *task) {
  return prepare_launch(p.func, {p.gridDim, p.blockDim, p.sharedMemBytes, false}, p.kernelParams, p.extra, task);
}

cudaError_t memset_task(const cudaMemsetParams &p, Task *task) {
  const u64 pitch = p.height > 1 ? p.pitch : p.width * p.elementSize;
  return set_task(p.dst, pitch, p.value, p.elementSize, p.width, p.height, task);
}

Task host_task(const cudaHostNodeParams &p) {
  return [p] {
    p.fn(p.userData);
    return cudaSuccess;
  };
}

// Adds a node whose task `make` gives.
template <typename Make>
cudaError_t add(cudaGraphNode_t *result, cudaGraph_t graph, const cudaGraphNode_t *before, std::size_t count,
                cudaGraphNodeType type, Make &&make) {
  return call([&]() -> cudaError_t {
    if (result == nullptr || graph == nullptr) return cudaErrorInvalidValue;
    Task task;
    const cudaError_t error = make(&task);
    if (error == cudaSuccess) *result = add_node(graph, type, task, list(before, count));
    return error;
  });
}

// Changes a node's task to what `make` gives.
template <typename Make>
cudaError_t change(CUgraphNode_st *node, Make &&make) {
  return call([&]() -> cudaError_t { return node == nullptr ? cudaErrorInvalidValue : make(&node->task); });
}

CUgraphNode_st *in_exec(cudaGraphExec_t exec, cudaGraphNode_t original) {
  for (const auto &node : exec->graph->nodes) {
    if (node->original == original) return node.get();
  }
  return nullptr;
}

template <typename Keep>
cudaError_t give_nodes(const CUgraph_st &graph, cudaGraphNode_t *nodes, std::size_t *count, Keep &&keep_node) {
  return call([&] {
    std::size_t found = 0;
    for (const auto &node : graph.nodes) {
      if (!keep_node(*node)) continue;
      if (nodes != nullptr && found < *count) nodes[found] = node.get();
      found++;
    }
    *count = found;
    return cudaSuccess;
  });
}

cudaError_t add_dependencies(const cudaGraphNode_t *from, const cudaGraphNode_t *to, std::size_t count) {
  return call([&] {
    for (std::size_t i = 0; i < count; i++) to[i]->dependencies.push_back(from[i]);
    return cudaSuccess;
  });
}

}  // namespace
}  // namespace emu

using emu::Task;

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                   std::size_t count, const cudaKernelNodeParams *p) {
  const cudaError_t error = emu::add(node, graph, before, count, cudaGraphNodeTypeKernel,
                                     [&](Task *task) { return emu::kernel_task(*p, task); });
  if (error == cudaSuccess) (*node)->kernel = *p;
  return error;
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                   std::size_t count, const cudaMemcpy3DParms *p) {
  return emu::add(node, graph, before, count, cudaGraphNodeTypeMemcpy,
                  [&](Task *task) { return emu::copy_3d_task(*p, task); });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                     std::size_t count, void *to, const void *from, std::size_t bytes, cudaMemcpyKind kind) {
  return emu::add(node, graph, before, count, cudaGraphNodeTypeMemcpy,
                  [&](Task *task) { return emu::copy_task(to, from, bytes, kind, task); });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                   std::size_t count, const cudaMemsetParams *p) {
  const cudaError_t error = emu::add(node, graph, before, count, cudaGraphNodeTypeMemset,
                                     [&](Task *task) { return emu::memset_task(*p, task); });
  if (error == cudaSuccess) (*node)->memset = *p;
  return error;
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                 std::size_t count, const cudaHostNodeParams *p) {
  const cudaError_t error = emu::add(node, graph, before, count, cudaGraphNodeTypeHost, [&](Task *task) {
    *task = emu::host_task(*p);
    return cudaSuccess;
  });
  if (error == cudaSuccess) (*node)->host = *p;
  return error;
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before, std::size_t count) {
  return emu::add(node, graph, before, count, cudaGraphNodeTypeEmpty, [](Task *) { return cudaSuccess; });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *before,
                                       std::size_t count, cudaGraph_t child) {
  const cudaError_t error =
      emu::add(node, graph, before, count, cudaGraphNodeTypeGraph, [](Task *) { return cudaSuccess; });
  if (error == cudaSuccess) (*node)->child = emu::clone(*child).release();
  return error;
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph) {
  return emu::call([&] {
    *graph = node->child;
    return node->child == nullptr ? cudaErrorInvalidValue : cudaSuccess;
  });
}

#if CUDART_VERSION >= 13000
cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     const cudaGraphEdgeData *, std::size_t count) {
  return emu::add_dependencies(from, to, count);
}
#else
cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t *from, const cudaGraphNode_t *to, std::size_t count) {
  return emu::add_dependencies(from, to, count);
}
#endif

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, std::size_t *count) {
  return emu::give_nodes(*graph, nodes, count, [](const CUgraphNode_st &) { return true; });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, std::size_t *count) {
  return emu::give_nodes(*graph, nodes, count, [](const CUgraphNode_st &node) { return node.dependencies.empty(); });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType *type) {
  return emu::call([&] {
    *type = node->type;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *result, cudaGraphNode_t original, cudaGraph_t graph) {
  return emu::call([&] {
    for (const auto &node : graph->nodes) {
      if (node->original != original) continue;
      *result = node.get();
      return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams *p) {
  return emu::call([&] {
    *p = node->kernel;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams *p) {
  node->kernel = *p;
  return emu::change(node, [&](Task *task) { return emu::kernel_task(*p, task); });
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams *p) {
  return emu::call([&] {
    *p = node->memset;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams *p) {
  node->memset = *p;
  return emu::change(node, [&](Task *task) { return emu::memset_task(*p, task); });
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms *p) {
  return emu::change(node, [&](Task *task) { return emu::copy_3d_task(*p, task); });
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const cudaKernelNodeParams *p) {
  return emu::change(emu::in_exec(exec, node), [&](Task *task) { return emu::kernel_task(*p, task); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const cudaMemcpy3DParms *p) {
  return emu::change(emu::in_exec(exec, node), [&](Task *task) { return emu::copy_3d_task(*p, task); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node, void *to, const void *from,
                                               std::size_t bytes, cudaMemcpyKind kind) {
  return emu::change(emu::in_exec(exec, node), [&](Task *task) { return emu::copy_task(to, from, bytes, kind, task); });
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const cudaMemsetParams *p) {
  return emu::change(emu::in_exec(exec, node), [&](Task *task) { return emu::memset_task(*p, task); });
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const cudaHostNodeParams *p) {
  return emu::change(emu::in_exec(exec, node), [&](Task *task) {
    *task = emu::host_task(*p);
    return cudaSuccess;
  });
}
