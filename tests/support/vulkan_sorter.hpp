// Sorts in Vulkan, for the tests of them (shader_sorts.hpp, shader_segmented_sorts.hpp).
#pragma once

#include <cstdint>

#include "support/vulkan_test_device.hpp"
#include "upsweep/vulkan/segmented_sort.hpp"
#include "upsweep/vulkan/sort.hpp"

namespace upsweep::test {

template <vulkan::subgroup_use Subgroups>
class vulkan_sorter : public vulkan_test_device {
  public:
    static constexpr bool brief = Subgroups == vulkan::subgroup_use::off;
    using by_head_flags = vulkan::by_head_flags;
    using by_offsets = vulkan::by_offsets;
    using by_keys = vulkan::by_keys;

    explicit vulkan_sorter(const sort_limits& limits) : vulkan_test_device(Subgroups, limits) {}

    template <class Key>
    void sort(const memory<Key>& in, const memory<Key>& out, bool descending,
              const memory<std::uint32_t>* length) {
        const auto needed = vulkan::sort_workspace<Key>(executor(), in.span().size);
        run(vulkan::prepare_sort(executor(), in.span(), out.span(), workspace(needed),
                                 options(descending, length)));
    }
    template <class Key>
    void sort_indices(const memory<Key>& in, const memory<std::uint32_t>& out, bool descending,
                      const memory<std::uint32_t>* length) {
        const auto needed = vulkan::sort_indices_workspace<Key>(executor(), in.span().size);
        run(vulkan::prepare_sort_indices(executor(), in.span(), out.span(), workspace(needed),
                                         options(descending, length)));
    }
    template <class Key, class Value>
    void sort_by_key(const memory<Key>& keys, const memory<Value>& values, const memory<Key>& keys_out,
                     const memory<Value>& values_out, bool descending, const memory<std::uint32_t>* length) {
        const auto needed =
            vulkan::sort_by_key_workspace<Key, Value>(executor(), keys.span().size, &values == &values_out);
        run(vulkan::prepare_sort_by_key(executor(), keys.span(), values.span(), keys_out.span(),
                                        values_out.span(), workspace(needed), options(descending, length)));
    }
    template <class Segments, class Key>
    void segmented_sort(const Segments& segments, const memory<Key>& in, const memory<Key>& out,
                        bool descending, const memory<std::uint32_t>* length) {
        const auto needed = vulkan::segmented_sort_workspace<Key>(executor(), in.span().size);
        run(vulkan::prepare_segmented_sort(executor(), segments, in.span(), out.span(), workspace(needed),
                                           options(descending, length)));
    }
    template <class Segments, class Key>
    void segmented_sort_indices(const Segments& segments, const memory<Key>& in,
                                const memory<std::uint32_t>& out, bool descending,
                                const memory<std::uint32_t>* length) {
        const auto needed = vulkan::segmented_sort_indices_workspace<Key>(executor(), in.span().size);
        run(vulkan::prepare_segmented_sort_indices(executor(), segments, in.span(), out.span(),
                                                   workspace(needed), options(descending, length)));
    }
    template <class Segments, class Key, class Value>
    void segmented_sort_by_key(const Segments& segments, const memory<Key>& keys, const memory<Value>& values,
                               const memory<Key>& keys_out, const memory<Value>& values_out, bool descending,
                               const memory<std::uint32_t>* length) {
        const auto needed = vulkan::segmented_sort_by_key_workspace<Key, Value>(executor(), keys.span().size,
                                                                                &values == &values_out);
        run(vulkan::prepare_segmented_sort_by_key(executor(), segments, keys.span(), values.span(),
                                                  keys_out.span(), values_out.span(), workspace(needed),
                                                  options(descending, length)));
    }

  private:
    static vulkan::sort_options options(bool descending, const memory<std::uint32_t>* length) {
        return with_length(vulkan::sort_options{.descending = descending}, length);
    }
};

}  // namespace upsweep::test
