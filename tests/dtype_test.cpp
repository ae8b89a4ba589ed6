// The element types that files and commands name.
#include "registry/dtype.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <optional>
#include <string_view>

#include "support/dtypes.hpp"

namespace upsweep::test {
namespace {

using registry::dtype;

TEST(dtype, names_codes_and_results) {
    EXPECT_EQ(registry::name(dtype::bool8), "bool");
    for (const dtype type : all_types) {
        EXPECT_EQ(registry::parse_dtype(registry::name(type)), type);
        EXPECT_EQ(registry::name(registry::scan_result(registry::scan_result(type))),
                  registry::name(registry::scan_result(type)));
        if (type != dtype::bfloat16) {
            EXPECT_EQ(registry::parse_dtype_layout(registry::npy_descr(type, other_order))->type, type);
        }
    }
    EXPECT_EQ(registry::scan_result(dtype::bool8), dtype::int64);
    EXPECT_EQ(registry::scan_result(dtype::uint16), dtype::uint64);
    EXPECT_EQ(registry::scan_result(dtype::float16), dtype::float16);
    EXPECT_EQ(registry::parse_dtype("f4"), dtype::float32);
    EXPECT_EQ(registry::parse_dtype("<f4"),
              std::endian::native == std::endian::little ? std::optional(dtype::float32) : std::nullopt);
    EXPECT_EQ(registry::parse_dtype("double"), dtype::float64);
    EXPECT_EQ(registry::parse_dtype_layout(">i8"), (registry::dtype_layout{dtype::int64, std::endian::big}));
    EXPECT_EQ(registry::npy_descr(dtype::uint8, std::endian::big), "|u1");
    for (const char* wrong : {"", "<", ">", "f3", "<float32", "float", "int 32", "<<f4", "f4 "}) {
        EXPECT_EQ(registry::parse_dtype(wrong).has_value(), std::string_view(wrong) == "float") << wrong;
    }
}

}  // namespace
}  // namespace upsweep::test
