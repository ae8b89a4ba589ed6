// A kernel without a GPU: a running sum by Hillis and Steele's steps with a barrier forgotten, what the
// emulator says about it, and the library's own.
#include <cstdio>
#include <upsweep/collectives/hillis_steele.hpp>
#include <upsweep/emulator/machine.hpp>
#include <vector>

// Over any block: the emulator's here, cuda::block in a CUDA kernel.
struct forgetful_sum {
    const int* in;
    int* out;

    template <upsweep::block_group Block>
    void operator()(const Block& block) const {
        const unsigned thread = block.thread();
        const auto shared = block.template shared<int>(block.size());
        int sum = in[thread];
        shared.store(thread, sum);
        block.sync();
        for (unsigned distance = 1; distance < block.size(); distance *= 2) {
            if (thread >= distance) sum += shared.load(thread - distance);
            // Here belongs a barrier: others may not have read yet what is written next.
            shared.store(thread, sum);
            block.sync();
        }
        out[thread] = sum;
    }
};

int main() {
    const std::vector<int> in(100, 1);
    std::vector<int> out(in.size());
    const unsigned threads = 100;

    upsweep::emulator::machine machine;
    const auto bad = machine.run({.threads = threads, .shared_bytes = threads * sizeof(int)},
                                 forgetful_sum{in.data(), out.data()});
    std::fputs(bad.text().c_str(), stdout);
    if (bad.clean()) return 1;

    constexpr unsigned scratch = upsweep::hillis_steele_scratch(threads);
    const auto good =
        machine.run({.threads = threads, .shared_bytes = scratch * sizeof(int)}, [&](const auto& block) {
            const auto shared = block.template shared<int>(scratch);
            out[block.thread()] = upsweep::hillis_steele_inclusive_scan(block, shared, in[block.thread()]);
        });
    std::printf("with all barriers: %zu findings, sum %d\n", good.findings.size(), out.back());
    return good.clean() && out.back() == 100 ? 0 : 1;
}
