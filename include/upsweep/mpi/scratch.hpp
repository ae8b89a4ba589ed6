// Memory for a rank's elements while they are on their way.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

namespace upsweep::mpi {

// Bytes of the heap, in huge pages where it takes some; nothing is written there. Throws upsweep::error if
// there is no room.
class memory_block {
  public:
    memory_block() = default;
    explicit memory_block(std::size_t bytes);

    [[nodiscard]] std::byte* data() const { return bytes_.get(); }

  private:
    struct release {
        void operator()(std::byte* bytes) const;
    };
    std::unique_ptr<std::byte, release> bytes_;
};

// n elements that are nothing but their bytes, which go from rank to rank.
template <class T>
class scratch {
    static_assert(std::is_trivially_copyable_v<T>,
                  "elements: expected a trivially copyable type, because ranks exchange their bytes");
    static_assert(alignof(T) <= 64);

  public:
    explicit scratch(std::size_t n) : block_(n * sizeof(T)), size_(n) {}

    [[nodiscard]] T* data() const { return reinterpret_cast<T*>(block_.data()); }
    [[nodiscard]] std::span<T> span() const { return {data(), size_}; }

  private:
    memory_block block_;
    std::size_t size_;
};

}  // namespace upsweep::mpi
