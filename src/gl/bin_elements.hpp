// Elements whose bins are found, as a program depends on them.
#pragma once

#include "shader/bin_table.hpp"
#include "upsweep/shader/operation.hpp"

namespace upsweep::gl {

inline shader::operation elements_of(shader::element_type type) {
    return {.type = type, .element_words = shader::element_words_of(type)};
}

}  // namespace upsweep::gl
