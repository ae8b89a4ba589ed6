// A recursive-descent parser of the Python literals that .npy headers use: dict, list, tuple, str, int, bool,
// None. Depth and number of values are bounded, so that a hostile header costs no more than its own length.
#include "cli/io/npy_dict.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "cli/io/message.hpp"

namespace upsweep::cli {
namespace {

constexpr int deepest_nesting = 32;
constexpr std::size_t most_axes = 64;

struct literal {
    enum class kind { none, boolean, integer, text, tuple, list, dictionary };
    kind type = kind::none;
    bool boolean = false;
    bool negative = false;        // integer
    std::uint64_t magnitude = 0;  // integer; the largest value stands for anything larger
    std::string text;             // text without quotes
    std::vector<literal> items;   // tuple, list; dictionary: key, value, key, value, ...
    std::string_view source;      // as written
};

constexpr std::uint64_t too_large = std::numeric_limits<std::uint64_t>::max();

class parser {
  public:
    parser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    literal whole() {
        literal value = parse(0);
        skip_spaces();
        if (place_ < text_.size()) fail_here("unexpected text after the dictionary");
        return value;
    }

  private:
    [[noreturn]] void fail_here(std::string_view problem) const {
        const std::string_view rest = text_.substr(place_);
        fail(file_, fmt::format(
                        "header, position {}: {}{}", place_ + 1, problem,
                        rest.empty() ? std::string(" (the header ends there)") : ": " + in_quotes(rest, 20)));
    }
    void skip_spaces() {
        while (place_ < text_.size() &&
               std::string_view(" \t\r\n\f").find(text_[place_]) != std::string_view::npos) {
            ++place_;
        }
    }
    [[nodiscard]] char peek() const { return place_ < text_.size() ? text_[place_] : '\0'; }
    bool accept(char character) {
        if (place_ >= text_.size() || text_[place_] != character) return false;
        ++place_;
        return true;
    }
    bool accept_word(std::string_view word) {
        if (text_.substr(place_, word.size()) != word) return false;
        place_ += word.size();
        return true;
    }

    literal parse(int depth) {
        if (depth > deepest_nesting) fail_here("brackets are nested too deeply");
        skip_spaces();
        const std::size_t start = place_;
        literal value;
        const char first = peek();
        if (first == '{' || first == '[' || first == '(') {
            value = brackets(depth);
        } else if (first == '\'' || first == '"' || first == 'u' || first == 'b') {
            value = string();
        } else if (accept_word("True") || accept_word("False")) {
            value.type = literal::kind::boolean;
            value.boolean = text_[place_ - 2] == 'u';
        } else if (accept_word("None")) {
            value.type = literal::kind::none;
        } else {
            value = integer();
        }
        value.source = text_.substr(start, place_ - start);
        return value;
    }

    literal brackets(int depth) {
        const char open = text_[place_++];
        const char close = open == '(' ? ')' : open == '[' ? ']' : '}';
        literal value;
        value.type = open == '('   ? literal::kind::tuple
                     : open == '[' ? literal::kind::list
                                   : literal::kind::dictionary;
        bool comma = true;
        for (;;) {
            skip_spaces();
            if (accept(close)) break;
            if (!comma) fail_here(fmt::format("expected ',' or '{}'", close));
            value.items.push_back(parse(depth + 1));
            skip_spaces();
            if (open == '{') {
                if (!accept(':')) fail_here("expected ':'");
                value.items.push_back(parse(depth + 1));
                skip_spaces();
            }
            comma = accept(',');
        }
        // (x) is x in parentheses; only (x,) is a tuple.
        if (open == '(' && value.items.size() == 1 && !comma) return literal(std::move(value.items.front()));
        return value;
    }

    literal string() {
        if (peek() == 'u' || peek() == 'b') ++place_;
        const char quote = peek();
        if (quote != '\'' && quote != '"') fail_here("expected a value");
        const std::size_t start = place_++;
        literal value;
        value.type = literal::kind::text;
        while (place_ < text_.size() && text_[place_] != quote && text_[place_] != '\n') {
            if (text_[place_] == '\\' && place_ + 1 < text_.size())
                ++place_;  // \' \" \\: all that names need
            value.text += text_[place_++];
        }
        if (accept(quote)) return value;
        place_ = start;
        fail_here("a string without its closing quote");
    }

    literal integer() {
        literal value;
        value.type = literal::kind::integer;
        value.negative = accept('-');
        const char* const begin = text_.data() + place_;
        const auto [end, code] = std::from_chars(begin, text_.data() + text_.size(), value.magnitude);
        if (end == begin) fail_here("expected a value");
        if (code != std::errc()) value.magnitude = too_large;
        place_ += static_cast<std::size_t>(end - begin);
        accept('L');  // Python 2
        return value;
    }

    std::string_view text_;
    const std::string& file_;
    std::size_t place_ = 0;
};

[[noreturn]] void refuse_dtype(const literal& value, const std::string& file) {
    std::string_view kind = "not a dtype known here";
    if (value.type == literal::kind::list) {
        kind = "structured";
    } else if (value.type == literal::kind::tuple) {
        kind = "a dtype of sub-arrays";
    } else if (value.type == literal::kind::text) {
        const std::size_t ordered = value.text.find_first_of("<>=|") == 0 ? 1 : 0;
        switch (value.text.size() > ordered ? value.text[ordered] : ' ') {
            case 'O':
                kind = "Python objects";
                break;
            case 'U':
            case 'S':
            case 'T':
            case 'a':
                kind = "text";
                break;
            case 'V':
                kind = "raw bytes";
                break;
            case 'M':
            case 'm':
                kind = "dates or times";
                break;
            case 'f':
            case 'c':
                kind = "no floating-point type of this machine's C++";
                break;
            default:
                break;
        }
    }
    fail(file, fmt::format("dtype {} is {}; only numbers are supported", printable(value.source), kind));
}

std::vector<std::uint64_t> shape_of(const literal& value, const std::string& file) {
    if (value.type != literal::kind::tuple) fail(file, "'shape' is not a tuple: " + printable(value.source));
    if (value.items.size() > most_axes) {
        fail(file,
             fmt::format("'shape' has {} axes; at most {} are supported", value.items.size(), most_axes));
    }
    std::vector<std::uint64_t> shape;
    for (const literal& extent : value.items) {
        if (extent.type != literal::kind::integer || (extent.negative && extent.magnitude != 0)) {
            fail(file, "'shape' holds what is not a length: " + printable(extent.source));
        }
        if (extent.magnitude > static_cast<std::uint64_t>(INT64_MAX)) {
            fail(file, "'shape' holds a length above 2^63 - 1: " + printable(extent.source));
        }
        shape.push_back(extent.magnitude);
    }
    return shape;
}

}  // namespace

array_header parse_npy_dict(std::string_view text, const std::string& file) {
    const literal whole = parser(text, file).whole();
    if (whole.type != literal::kind::dictionary)
        fail(file, "the header is not a dictionary: " + printable(text));
    const literal* descr = nullptr;
    const literal* fortran_order = nullptr;
    const literal* shape = nullptr;
    for (std::size_t i = 0; i < whole.items.size(); i += 2) {
        const literal& key = whole.items[i];
        const literal** place = key.type != literal::kind::text ? nullptr
                                : key.text == "descr"           ? &descr
                                : key.text == "fortran_order"   ? &fortran_order
                                : key.text == "shape"           ? &shape
                                                                : nullptr;
        if (place == nullptr) fail(file, "the header has an unknown key " + printable(key.source));
        if (*place != nullptr) fail(file, "the header has the key " + printable(key.source) + " twice");
        *place = &whole.items[i + 1];
    }
    if (descr == nullptr) fail(file, "the header lacks the key 'descr'");
    if (fortran_order == nullptr) fail(file, "the header lacks the key 'fortran_order'");
    if (shape == nullptr) fail(file, "the header lacks the key 'shape'");

    array_header header;
    const auto layout =
        descr->type == literal::kind::text && registry::parse_dtype(descr->text) != registry::dtype::bfloat16
            ? registry::parse_dtype_layout(descr->text)
            : std::nullopt;
    if (!layout) refuse_dtype(*descr, file);
    header.type = layout->type;
    header.order = layout->order;
    if (fortran_order->type != literal::kind::boolean) {
        fail(file, "'fortran_order' is neither True nor False: " + printable(fortran_order->source));
    }
    header.fortran_order = fortran_order->boolean;
    header.shape = shape_of(*shape, file);
    return header;
}

}  // namespace upsweep::cli
