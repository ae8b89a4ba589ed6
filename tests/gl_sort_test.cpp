// Sorting in OpenGL.
#include <gtest/gtest.h>

#include "support/gl_context.hpp"
#include "support/gl_memory.hpp"
#include "support/sorted.hpp"
#include "upsweep/gl/sort.hpp"

namespace upsweep::test {
namespace {
class gl_sort : public gl_test {};
UPSWEEP_IN_BOTH_CONTEXTS(gl_sort);

TEST_P(gl_sort, words) {
    for (const std::size_t n : {1u, 2u, 300u, 4095u, 4096u, 4097u, 9000u, 300000u}) {
        SCOPED_TRACE(n);
        const auto x = keys_of<std::uint32_t>("any bits", n, n);
        const gl_memory<std::uint32_t> in(gl(), std::span<const std::uint32_t>(x), n % 5),
            out(gl(), n, n % 3);
        upsweep::sort(executor(), in.span(), out.span());
        EXPECT_EQ(out.read(), taken(x, sorted_indices(x, false)));
    }
}
}  // namespace
}  // namespace upsweep::test
