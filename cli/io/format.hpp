// File formats by the ending of a name.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace upsweep::cli {

enum class file_format { npy, raw, csv, tsv };

constexpr bool is_table(file_format format) {
    return format == file_format::csv || format == file_format::tsv;
}
// Between the cells of a table.
constexpr char delimiter_of(file_format format) { return format == file_format::tsv ? '\t' : ','; }

// .npy; .raw and .bin; .csv; .tsv and .tab; in any case. Nothing for other names and for "-".
[[nodiscard]] std::optional<file_format> format_of(std::string_view path);

}  // namespace upsweep::cli
