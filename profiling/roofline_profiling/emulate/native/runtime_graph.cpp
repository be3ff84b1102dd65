// CUDA's functions for graphs: instantiation and launch. runtime_graph_nodes.cpp has those for nodes.
#include "graph.h"

namespace emu {
namespace {

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

}  // namespace

}  // namespace emu

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned) {
  return emu::call([&] {
    *graph = emu::new_graph();
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
