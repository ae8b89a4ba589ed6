// A CUDA graph of what a stream was asked to do.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "cuda/staging.hpp"

namespace upsweep::test {

class captured_graph {
  public:
    template <class Work>
    captured_graph(cudaStream_t stream, const Work& work) {
        expect_success(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
                       "beginning a capture");
        work();
        expect_success(cudaStreamEndCapture(stream, &graph_), "ending a capture");
        expect_success(cudaGraphInstantiate(&executable_, graph_, 0), "making a graph executable");
    }
    captured_graph(const captured_graph&) = delete;
    captured_graph& operator=(const captured_graph&) = delete;
    ~captured_graph() {
        cudaGraphExecDestroy(executable_);
        cudaGraphDestroy(graph_);
    }
    void launch(cudaStream_t stream) const {
        expect_success(cudaGraphLaunch(executable_, stream), "launching a graph");
    }

    // How many kernels it launches.
    [[nodiscard]] std::size_t kernels() const {
        std::size_t count = 0;
        expect_success(cudaGraphGetNodes(graph_, nullptr, &count), "counting a graph's nodes");
        std::vector<cudaGraphNode_t> nodes(count);
        expect_success(cudaGraphGetNodes(graph_, nodes.data(), &count), "reading a graph's nodes");
        return std::size_t(std::count_if(nodes.begin(), nodes.end(), [](cudaGraphNode_t node) {
            cudaGraphNodeType type{};
            expect_success(cudaGraphNodeGetType(node, &type), "reading a graph's node");
            return type == cudaGraphNodeTypeKernel;
        }));
    }

  private:
    cudaGraph_t graph_ = nullptr;
    cudaGraphExec_t executable_ = nullptr;
};

}  // namespace upsweep::test
