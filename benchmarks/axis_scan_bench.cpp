// Sums of 2-D float32 arrays along either axis: a few long, as many long as wide, and many short sequences.
#include "peers/special_loops.hpp"
#include "support/contenders.hpp"
#include "support/session.hpp"
#include "upsweep/upsweep.hpp"

#include <array>

using namespace bench;

namespace {

// The last element of every sequence against the sum in double, within 1 %.
bool is_right(const float* in, const float* out, matrix shape, int axis) {
    std::vector<double> sums(axis == 0 ? shape.columns : shape.rows);
    for (std::size_t row = 0; row < shape.rows; ++row)
        for (std::size_t column = 0; column < shape.columns; ++column)
            sums[axis == 0 ? column : row] += in[row * shape.columns + column];
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const std::size_t last =
            axis == 0 ? (shape.rows - 1) * shape.columns + i : (i + 1) * shape.columns - 1;
        if (!(std::abs(out[last] - sums[i]) <= 0.01 * sums[i])) return false;
    }
    return true;
}

void measure(session& current, team& threads, executors& upsweeps, matrix shape, int axis) {
    const std::size_t bytes = shape.size() * sizeof(float);
    const cell which{"axis " + std::to_string(axis), "float", shape.size(), 2 * bytes,
                     std::to_string(shape.rows) + "x" + std::to_string(shape.columns)};
    if (!current.fits(4 * bytes) || !current.wants(which)) return;
    const buffer from(bytes, 0, threads);
    const buffer to(bytes, 1, threads);
    const float* in = from.as<const float>();
    float* out = to.as<float>();
    fill(from.as<float>(), shape.size());

    std::vector<contender> list;
    add_copies(list, threads, from, to, bytes);
    list.push_back({"plain loop", role::peer, 1, repeated([=] { axis_loop(in, out, shape, axis); })});
    upsweeps.add_to(list, [=](upsweep::cpu::executor& executor) {
        const std::array<std::int64_t, 2> extents = {static_cast<std::int64_t>(shape.rows),
                                                     static_cast<std::int64_t>(shape.columns)};
        upsweep::inclusive_scan(executor, upsweep::strided_view<const float>(in, extents),
                                upsweep::strided_view<float>(out, extents), axis);
    });
    for (contender& one : list)
        // Float sums of 2^22 elements in a plain loop lose more than is_right allows, so it checks Upsweep
        // alone.
        if (one.kind == role::upsweep)
            one.correct = [=, run = one.repeat] {
                std::memset(out, 0xff, bytes);
                run(1);
                return is_right(in, out, shape, axis);
            };
    current.measure(which, std::move(list));
}

}  // namespace

int main(int argc, char** argv) {
    return run_session(argc, argv, [](session& current) {
        team threads(current.threads());
        executors upsweeps(current.threads());
        for (const matrix shape :
             {matrix{std::size_t{1} << 22, 16}, matrix{4096, 4096}, matrix{16, std::size_t{1} << 22}})
            for (const int axis : {0, 1}) measure(current, threads, upsweeps, shape, axis);
    });
}
