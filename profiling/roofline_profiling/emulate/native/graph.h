// Graphs: work that is recorded once, by capture or node by node, and replayed.
#pragma once
#include <memory>
#include <vector>

#include "runtime.h"

struct CUgraph_st {
  CUgraph_st() = default;
  CUgraph_st(const CUgraph_st &) = delete;
  CUgraph_st &operator=(const CUgraph_st &) = delete;
  ~CUgraph_st();
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
  std::vector<CUstream_st *> streams;  // whose work is captured in it now
  unsigned long long id = 0;
};

struct CUgraphExec_st {
  std::unique_ptr<CUgraph_st> graph;  // a clone: later changes of the graph do not reach it
  unsigned long long flags = 0;
};

namespace emu {

CUgraph_st *new_graph();  // empty
CUgraphNode_st *add_node(CUgraph_st *graph, cudaGraphNodeType type, const Task &task,
                         const std::vector<CUgraphNode_st *> &dependencies);
CUgraphNode_st *capture_node(CUstream_st *stream, cudaGraphNodeType type, const Task &task);
void join_capture(CUstream_st *stream, CUgraph_st *graph);  // the stream's work goes into the graph from now on
void leave_capture(CUstream_st *stream);                    // its work is done at once again
std::unique_ptr<CUgraph_st> clone(const CUgraph_st &graph);
cudaError_t run_graph(const CUgraph_st &graph);             // every node after those that it depends on

}  // namespace emu
