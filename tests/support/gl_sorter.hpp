// Sorts in OpenGL, core or ES, for the tests of them (shader_sorts.hpp, shader_segmented_sorts.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/gl_context.hpp"
#include "support/gl_memory.hpp"
#include "support/sort_records.hpp"
#include "upsweep/gl/segmented_sort.hpp"
#include "upsweep/gl/sort.hpp"

namespace upsweep::test {

template <gl::api Kind>
class gl_sorter {
  public:
    static constexpr bool brief = Kind == gl::api::es;  // whose texts differ in their first lines
    using by_head_flags = gl::by_head_flags;
    using by_offsets = gl::by_offsets;
    using by_keys = gl::by_keys;
    template <class T>
    class memory : public gl_memory<T> {
      public:
        memory(const gl_sorter& on, std::size_t size, std::size_t offset = 0)
            : gl_memory<T>(on.context_->gl(), size, offset) {}
        memory(const gl_sorter& on, std::span<const T> contents, std::size_t offset = 0)
            : gl_memory<T>(on.context_->gl(), contents, offset) {}
    };

    explicit gl_sorter(const sort_limits& limits)
        : context_(&gl_context::of(Kind)),
          executor_(context_->loader(), {.max_groups_x = limits.groups_x,
                                         .max_groups_y = limits.groups_y,
                                         .max_binding_bytes = limits.binding_bytes,
                                         .merged_keys = limits.merged_keys}) {
        executor_.observe([this](std::string_view stage) { stages_.emplace_back(stage); });
    }
    gl_sorter(const gl_sorter&) = delete;
    gl_sorter& operator=(const gl_sorter&) = delete;

    [[nodiscard]] std::string name() const { return executor_.device().version; }
    [[nodiscard]] bool is_what_it_claims() const {
        const bool es = Kind == gl::api::es;
        return executor_.device().es == es && (name().rfind("OpenGL ES", 0) == 0) == es;
    }
    [[nodiscard]] const std::vector<std::string>& stages() const { return stages_; }
    std::vector<std::string> take_complaints() { return gl_context::of(Kind).take_complaints(); }

    template <class Key>
    void sort(const memory<Key>& in, const memory<Key>& out, bool descending,
              const memory<std::uint32_t>* length) {
        upsweep::sort(begin(), in.span(), out.span(), options(descending, length));
    }
    template <class Key>
    void sort_indices(const memory<Key>& in, const memory<std::uint32_t>& out, bool descending,
                      const memory<std::uint32_t>* length) {
        upsweep::sort_indices(begin(), in.span(), out.span(), options(descending, length));
    }
    template <class Key, class Value>
    void sort_by_key(const memory<Key>& keys, const memory<Value>& values, const memory<Key>& keys_out,
                     const memory<Value>& values_out, bool descending, const memory<std::uint32_t>* length) {
        upsweep::sort_by_key(begin(), keys.span(), values.span(), keys_out.span(), values_out.span(),
                             options(descending, length));
    }
    template <class Segments, class Key>
    void segmented_sort(const Segments& segments, const memory<Key>& in, const memory<Key>& out,
                        bool descending, const memory<std::uint32_t>* length) {
        upsweep::segmented_sort(begin(), segments, in.span(), out.span(), options(descending, length));
    }
    template <class Segments, class Key>
    void segmented_sort_indices(const Segments& segments, const memory<Key>& in,
                                const memory<std::uint32_t>& out, bool descending,
                                const memory<std::uint32_t>* length) {
        upsweep::segmented_sort_indices(begin(), segments, in.span(), out.span(),
                                        options(descending, length));
    }
    template <class Segments, class Key, class Value>
    void segmented_sort_by_key(const Segments& segments, const memory<Key>& keys, const memory<Value>& values,
                               const memory<Key>& keys_out, const memory<Value>& values_out, bool descending,
                               const memory<std::uint32_t>* length) {
        upsweep::segmented_sort_by_key(begin(), segments, keys.span(), values.span(), keys_out.span(),
                                       values_out.span(), options(descending, length));
    }

  private:
    gl::executor& begin() {
        gl_context::of(Kind);
        stages_.clear();
        return executor_;
    }
    static gl::sort_options options(bool descending, const memory<std::uint32_t>* length) {
        gl::sort_options made{.descending = descending};
        if (length != nullptr) made.length = length->span();
        return made;
    }

    gl_context* context_;
    gl::executor executor_;
    std::vector<std::string> stages_;
};

}  // namespace upsweep::test
