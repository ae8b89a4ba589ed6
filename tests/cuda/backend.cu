// The list of CUDA back ends, made once a process.
#include "cuda/backend.cuh"

namespace upsweep::test {

const std::vector<cuda_backend>& cuda_backends() {
    static const std::vector<cuda_backend> made = [] {
        std::vector<cuda_backend> list;
        const bool hopper = cuda::executor().compute_capability() >= 90;
        for (const cuda::algorithm choice :
             {cuda::algorithm::look_ahead, cuda::algorithm::look_back, cuda::algorithm::reduce_then_scan}) {
            if (choice == cuda::algorithm::look_ahead && !hopper) continue;
            list.push_back({std::string("cuda, ") + cuda::name(choice),
                            std::make_unique<cuda_executor>(choice), choice});
        }
        // Look-back as it runs on long arrays, at every length.
        list.push_back({"cuda, look-back, sums ahead",
                        std::make_unique<cuda_executor>(cuda::algorithm::look_back),
                        cuda::algorithm::look_back});
        list.back().executor->device().set_tiles_ahead(64);
        return list;
    }();
    return made;
}

}  // namespace upsweep::test
