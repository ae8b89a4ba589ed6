// PNG through libpng, video through a pipe to ffmpeg.
#include "pictures.hpp"

#include <png.h>

#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace particles {
namespace {

// For sh: within single quotes.
std::string quoted(const std::string& word) {
    std::string made = "'";
    for (const char c : word) made += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return made + "'";
}

}  // namespace

void write_png(const std::string& path, const picture& what) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(what.width);
    image.height = static_cast<png_uint_32>(what.height);
    image.format = PNG_FORMAT_RGB;
    if (png_image_write_to_file(&image, path.c_str(), 0, what.pixels.data(), 3 * what.width, nullptr) == 0)
        throw std::runtime_error(path + ": " + image.message);
}

std::string numbered(const std::string& pattern, std::uint64_t number) {
    const std::size_t percent = pattern.find('%');
    const std::size_t letter =
        pattern.find_first_not_of("0123456789", percent == std::string::npos ? 0 : percent + 1);
    const std::size_t digits = letter == std::string::npos ? 0 : letter - percent - 1;
    if (percent == std::string::npos || letter == std::string::npos || pattern[letter] != 'd' || digits > 3 ||
        pattern.find('%', letter) != std::string::npos)
        throw std::invalid_argument(
            "expected a name with one number in it, such as out-%04d.png, but it is " + pattern);
    const std::string form = pattern.substr(percent + 1, digits);
    std::string figures = std::to_string(number);
    const std::size_t width = form.empty() ? 0 : std::stoul(form);
    if (figures.size() < width) figures.insert(0, width - figures.size(), form[0] == '0' ? '0' : ' ');
    return pattern.substr(0, percent) + figures + pattern.substr(letter + 1);
}

void video::close_pipe::operator()(std::FILE* pipe) const { pclose(pipe); }

video::video(const std::string& path, int width, int height) : path_(path) {
    if (std::system("command -v ffmpeg >/dev/null 2>&1") != 0)
        throw std::runtime_error("a video needs the program ffmpeg, which is not on this machine");
    const std::string command =
        "exec ffmpeg -loglevel error -y -f rawvideo -pixel_format rgb24 -video_size " +
        std::to_string(width) + 'x' + std::to_string(height) +
        " -framerate 60 -i - -c:v libx264 -preset medium -crf 18 -pix_fmt yuv420p " +
        "-vf 'pad=ceil(iw/2)*2:ceil(ih/2)*2' -movflags +faststart " + quoted("file:" + path);
    // If ffmpeg dies, writing to it shall fail, not end this program.
    std::signal(SIGPIPE, SIG_IGN);
    pipe_.reset(popen(command.c_str(), "w"));
    if (pipe_ == nullptr) throw std::runtime_error(path_ + ": ffmpeg: " + std::strerror(errno));
}

void video::add(const picture& what) {
    if (std::fwrite(what.pixels.data(), 1, what.pixels.size(), pipe_.get()) != what.pixels.size())
        throw std::runtime_error(path_ + ": ffmpeg stopped early");
}

void video::finish() {
    if (pclose(pipe_.release()) != 0) throw std::runtime_error(path_ + ": ffmpeg failed");
}

}  // namespace particles
