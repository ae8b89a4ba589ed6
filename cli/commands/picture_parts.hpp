// What the pictures of several commands have in common: points of elements of any real type, and words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "cli/help.hpp"
#include "cli/plot/accumulator.hpp"
#include "registry/dtype.hpp"

namespace upsweep::cli {

// Adds elements `first`, `first` + 1, ... of a real type.
void add_points(plot_accumulator& points, registry::dtype type, const void* elements, std::uint64_t first,
                std::size_t count);

// So many values are bars; of more, a line is drawn.
inline constexpr std::uint64_t most_bars = 400;

// The section on what pictures do not show, in the help of a command that draws numbers.
void add_picture_section(help_page& page);

// The words with a capital in front.
[[nodiscard]] std::string capital(std::string words);
// "rain.csv, 1461 values", of the file that is called so.
[[nodiscard]] std::string file_words(const std::string& input, std::uint64_t count);

}  // namespace upsweep::cli
