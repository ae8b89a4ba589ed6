// Sorts in OpenGL, core or ES, for the tests of them (shader_sorts.hpp, shader_segmented_sorts.hpp).
#pragma once

#include <cstdint>

#include "support/gl_test_device.hpp"
#include "upsweep/gl/segmented_sort.hpp"
#include "upsweep/gl/sort.hpp"

namespace upsweep::test {

template <gl::api Kind>
class gl_sorter : public gl_test_device {
  public:
    static constexpr bool brief = Kind == gl::api::es;  // whose texts differ in their first lines
    using by_head_flags = gl::by_head_flags;
    using by_offsets = gl::by_offsets;
    using by_keys = gl::by_keys;

    explicit gl_sorter(const sort_limits& limits) : gl_test_device(Kind, limits) {}

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
    static gl::sort_options options(bool descending, const memory<std::uint32_t>* length) {
        return with_length(gl::sort_options{.descending = descending}, length);
    }
};

}  // namespace upsweep::test
