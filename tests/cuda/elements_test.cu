// Elements of the user's own, from 3 to 64 bytes and of any alignment, under an operator that tells every
// grouping and order of operands from every other.
#include "cuda/backend.cuh"

#include <cstdint>
#include <ostream>

#include "support/sweep.hpp"

namespace upsweep::test {
namespace {

template <class Word, std::size_t Words, std::size_t Alignment = alignof(Word)>
struct alignas(Alignment) block_of {
    Word word[Words];

    friend bool operator==(const block_of& a, const block_of& b) {
        return std::equal(a.word, a.word + Words, b.word);
    }
    friend std::ostream& operator<<(std::ostream& out, const block_of& x) {
        for (const Word w : x.word) out << +w << ' ';
        return out;
    }
};

// Not associative: equal results mean an equal tree of operations, word by word and across words.
struct mix_blocks {
    template <class Word, std::size_t Words, std::size_t Alignment>
    UPSWEEP_HOST_DEVICE block_of<Word, Words, Alignment> operator()(
        const block_of<Word, Words, Alignment>& a, const block_of<Word, Words, Alignment>& b) const {
        block_of<Word, Words, Alignment> mixed{};
        for (std::size_t k = 0; k < Words; ++k) {
            const std::uint32_t x = a.word[k], y = b.word[(k + 1) % Words];
            const std::uint32_t z = x * 0x9e3779b1u + (y ^ (y >> 3)) * 0x85ebca77u + 0x165667b1u;
            mixed.word[k] = static_cast<Word>(z ^ (z >> 5));
        }
        return mixed;
    }
};

template <class Block>
void check() {
    constexpr std::size_t longest = core::super_size + 3 * core::tile_size + 3;
    random_bits random(sizeof(Block));
    array_of<Block> values(longest);
    const auto fill = [&](Block& block) {
        for (auto& word : block.word) word = static_cast<std::remove_reference_t<decltype(word)>>(random());
    };
    for (Block& block : values) fill(block);
    Block initial{};
    fill(initial);
    scan_check<Block, Block, Block> checked(operation<Block, Block, Block>::of(mix_blocks{}), span_of(values),
                                            initial);
    std::vector<std::size_t> sizes = sizes_around(core::tile_size);
    for (const std::size_t n : {1u, 2u, 3u, 4u, 5u, 7u, 31u, 33u, 127u, 128u, 129u, 300u, 511u, 2049u,
                                131071u, 131072u, 131073u, 135169u, 143363u})
        sizes.push_back(n);
    for_each_backend([&](const auto& backend) {
        for (unsigned salt = 0; salt < 4; ++salt) checked.some_mode(*backend.executor, sizes, salt);
    });
}
// Where every type is tested.
template <class Block>
void check_further() {
    if constexpr (tests_every_pair) check<Block>();
}

TEST(cuda_elements, of_bytes) {
    check<block_of<std::uint8_t, 3>>();
    check_further<block_of<std::uint8_t, 7>>();
    check_further<block_of<std::uint8_t, 64>>();
}
TEST(cuda_elements, of_16_bits) {
    check<block_of<std::uint16_t, 3>>();
    check_further<block_of<std::uint16_t, 5>>();
}
TEST(cuda_elements, of_32_bits) {
    check<block_of<std::uint32_t, 5>>();
    check_further<block_of<std::uint32_t, 3>>();
    check_further<block_of<std::uint32_t, 10>>();
}
TEST(cuda_elements, of_64_bytes) {
    check<block_of<std::uint64_t, 8>>();
    check_further<block_of<std::uint64_t, 6>>();
}
TEST(cuda_elements, aligned_to_more_than_their_words) {
    check<block_of<std::uint32_t, 4, 16>>();
    check_further<block_of<std::uint32_t, 8, 32>>();
}

}  // namespace
}  // namespace upsweep::test
