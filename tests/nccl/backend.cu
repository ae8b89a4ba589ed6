// The list of teams of ranks, made once a process.
#include "nccl/backend.cuh"

namespace upsweep::test {

const std::vector<nccl_backend>& nccl_backends() {
    static const std::vector<nccl_backend> made = [] {
        std::vector<nccl_backend> list;
        for (const int size : team_sizes())
            list.push_back({std::to_string(size) + (size == 1 ? " rank" : " ranks"),
                            std::make_unique<nccl_executor>(size, cuda::algorithm::automatic), size});
        return list;
    }();
    return made;
}

}  // namespace upsweep::test
