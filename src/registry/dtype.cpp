// The table of element types made searchable: names, codes, sizes and running-total types by lookup.
#include "registry/dtype.hpp"

#include <array>
#include <utility>

namespace upsweep::registry {
namespace {

struct row {
    std::string_view name;
    std::string_view code;
    std::size_t size;
    dtype result;
};

constexpr std::array type_rows = {
#define UPSWEEP_ROW(enumerator, text, code, type, result) row{text, code, sizeof(type), dtype::result},
    UPSWEEP_DTYPES(UPSWEEP_ROW)
#undef UPSWEEP_ROW
};

// Words NumPy takes besides the names and codes of the table.
constexpr std::array<std::pair<std::string_view, dtype>, 12> aliases = {{
    {"?", dtype::bool8},
    {"bool_", dtype::bool8},
    {"bool8", dtype::bool8},
    {"int", dtype::int64},
    {"uint", dtype::uint64},
    {"half", dtype::float16},
    {"bf16", dtype::bfloat16},
    {"single", dtype::float32},
    {"float", dtype::float64},
    {"double", dtype::float64},
    {"csingle", dtype::complex64},
    {"complex", dtype::complex128},
}};

const row& row_of(dtype type) noexcept { return type_rows[static_cast<std::size_t>(type)]; }

}  // namespace

std::string_view name(dtype type) noexcept { return row_of(type).name; }
std::size_t size_of(dtype type) noexcept { return row_of(type).size; }
dtype scan_result(dtype type) noexcept { return row_of(type).result; }
bool is_complex_type(dtype type) noexcept { return row_of(type).name.front() == 'c'; }
bool is_integer_type(dtype type) noexcept { return type >= dtype::int8 && type <= dtype::uint64; }

std::string dtype_names() {
    std::string text;
    for (const row& entry : type_rows) {
        if (!text.empty()) text += ", ";
        text += entry.name;
    }
    return text;
}

std::optional<dtype_layout> parse_dtype_layout(std::string_view text) noexcept {
    dtype_layout layout;
    bool ordered = false;
    if (!text.empty() && std::string_view("<>=|").find(text.front()) != std::string_view::npos) {
        if (text.front() == '<') layout.order = std::endian::little;
        if (text.front() == '>') layout.order = std::endian::big;
        ordered = true;
        text.remove_prefix(1);
    }
    if (text.empty()) return std::nullopt;
    for (std::size_t i = 0; i < type_rows.size(); ++i) {
        if (text != type_rows[i].code && (ordered || text != type_rows[i].name)) continue;
        layout.type = static_cast<dtype>(i);
        if (type_rows[i].size == 1) layout.order = std::endian::native;
        return layout;
    }
    if (ordered) return std::nullopt;
    for (const auto& [alias, type] : aliases) {
        if (text == alias) return dtype_layout{type, std::endian::native};
    }
    return std::nullopt;
}

std::optional<dtype> parse_dtype(std::string_view text) noexcept {
    const auto layout = parse_dtype_layout(text);
    if (!layout || layout->order != std::endian::native) return std::nullopt;
    return layout->type;
}

std::string npy_descr(dtype type, std::endian order) {
    const row& entry = row_of(type);
    if (entry.code.empty()) return {};
    const char mark = entry.size == 1 ? '|' : order == std::endian::little ? '<' : '>';
    return mark + std::string(entry.code);
}

}  // namespace upsweep::registry
