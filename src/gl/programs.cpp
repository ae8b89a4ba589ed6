// Looks a program up, or makes it.
#include "gl/programs.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "upsweep/error.hpp"

namespace upsweep::gl {
namespace {

bool is_blelloch(shader::stage which) {
    return which == shader::stage::blelloch_scan || which == shader::stage::blelloch_add;
}
// Whose text a user's is.
const char* what_text(shader::stage which) {
    if (shader::takes_items(which)) return " with the items' text";
    return shader::takes_bins(which) ? " with the bins' text" : " with the operator's text";
}

}  // namespace

GLuint program_cache::get(shader::program_key key, std::uint32_t user_text) {
    // Only what the text depends on.
    if (!is_blelloch(key.which)) key.blelloch_size = shader::group_size;
    if (shader::takes_items(key.which)) key.op = {};
    if (shader::takes_keys(key.which)) key.op = {.element_words = key.op.element_words};
    if (key.which == shader::stage::sort_gather) key.op = {};  // of values, whose width is a parameter
    if (shader::knows_no_elements(key.which)) {
        key.op = {};
        key.shape = shader::form::sequence;
        user_text = 0;
    }
    if (!shader::loads_elements(key.which)) key.op.input = shader::input_type::same;
    if (shader::takes_bins(key.which)) key.op = {.type = key.op.type, .element_words = key.op.element_words};
    for (const entry& each : entries_) {
        if (each.key == key && each.user_text == user_text) return each.program.name();
    }
    const numbered_text* const users = find_text(user_text);
    const std::string_view text = users == nullptr ? std::string_view() : std::string_view(users->text);
    std::string what = "the stage " + std::string(shader::name(key.which));
    if (user_text != 0) what += what_text(key.which);
    entries_.push_back({key, user_text, compute_program(gl_, what, shader::program_source(key, es_, text))});
    return entries_.back().program.name();
}

std::uint32_t program_cache::add_text(std::string text, const shader::program_key& proof) {
    static std::atomic<std::uint32_t> last{0};
    const std::uint32_t number = ++last;
    texts_.push_back({number, std::move(text)});
    try {
        get(proof, number);
    } catch (...) {
        texts_.pop_back();
        throw;
    }
    return number;
}

const program_cache::numbered_text* program_cache::find_text(std::uint32_t number) const {
    const auto found = std::find_if(texts_.begin(), texts_.end(),
                                    [=](const numbered_text& each) { return each.number == number; });
    return found == texts_.end() ? nullptr : &*found;
}

void program_cache::check_text(std::uint32_t user_text) const {
    if (user_text != 0 && find_text(user_text) == nullptr)
        throw_error(errc::invalid_argument, "op: expected an operator, items or bins made for this executor");
}

}  // namespace upsweep::gl
