// Sums along either axis of two-dimensional arrays: a few long, as many long as wide, and many short
// sequences of float32; points; and a picture.
#include "peers/special_loops.hpp"
#include "support/contenders.hpp"
#include "support/session.hpp"
#include "upsweep/upsweep.hpp"

#include <array>

using namespace bench;

namespace {

// The last element of every sequence against the sum in double, within 1 %.
template <class In, class Out>
bool is_right(const In* in, const Out* out, matrix shape, int axis) {
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

// Where the arrays begin: apart, or at the same place of a page, as large ones from one allocator do.
enum class beginning { apart, congruent };

template <class In, class Out>
void measure(session& current, team& threads, executors& upsweeps, const char* type, matrix shape, int axis,
             beginning begins = beginning::apart) {
    const std::size_t bytes = shape.size() * (sizeof(In) + sizeof(Out));
    const bool congruent = begins == beginning::congruent;
    const cell which{"axis " + std::to_string(axis) + (congruent ? ", congruent" : ""), type, shape.size(),
                     bytes, std::to_string(shape.rows) + "x" + std::to_string(shape.columns)};
    if (!current.fits(2 * bytes) || !current.wants(which)) return;
    const std::size_t copied = bytes / 2;  // as many bytes are read and written
    const buffer from(std::max(copied, shape.size() * sizeof(In)), 0, threads);
    const buffer to(std::max(copied, shape.size() * sizeof(Out)), congruent ? 0 : 1, threads);
    const In* in = from.as<const In>();
    Out* out = to.as<Out>();
    fill(from.as<In>(), shape.size());

    std::vector<contender> list;
    add_copies(list, threads, from, to, copied);
    list.push_back({"plain loop", role::peer, 1, repeated([=] { axis_loop(in, out, shape, axis); })});
    upsweeps.add_to(list, [=](upsweep::cpu::executor& executor) {
        const std::array<std::int64_t, 2> extents = {static_cast<std::int64_t>(shape.rows),
                                                     static_cast<std::int64_t>(shape.columns)};
        upsweep::inclusive_scan<Out>(executor, upsweep::strided_view<const In>(in, extents),
                                     upsweep::strided_view<Out>(out, extents), axis);
    });
    for (contender& one : list)
        // Float sums of 2^22 elements in a plain loop lose more than is_right allows, so it checks Upsweep
        // alone.
        if (one.kind == role::upsweep)
            one.correct = [=, run = one.repeat] {
                std::memset(out, 0xff, shape.size() * sizeof(Out));
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
            for (const int axis : {0, 1})
                measure<float, float>(current, threads, upsweeps, "float", shape, axis);
        for (const int axis : {0, 1})
            measure<float, float>(current, threads, upsweeps, "float", {4096, 4096}, axis,
                                  beginning::congruent);
        // Lines of no whole number of cache lines, points in space, and the first and second half of a
        // picture's summed-area table.
        measure<float, float>(current, threads, upsweeps, "float", {16000, 1000}, 1);
        measure<float, float>(current, threads, upsweeps, "float", {std::size_t{1} << 24, 3}, 0);
        for (const int axis : {0, 1})
            measure<std::uint8_t, std::uint32_t>(current, threads, upsweeps, "uint8 to uint32", {4320, 7680},
                                                 axis);
    });
}
