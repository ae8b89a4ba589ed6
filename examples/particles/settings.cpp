// The command line, through CLI11.
#include "settings.hpp"

#include <CLI/CLI.hpp>
#include <glm/trigonometric.hpp>
#include <limits>
#include <map>

#include "pictures.hpp"
#include "upsweep/version.hpp"

namespace particles {
namespace {

const char* const about =
    "A fountain of light: up to millions of particles that live on the GPU. In every frame a vote, a scan "
    "and a "
    "compaction by Upsweep keep the living ones packed and in the order of their birth.";

const char* const keys =
    "In the window: space pauses, N makes one step, 1 to 4 switch the emitters (column, wheel, crown, "
    "comets), [ and ] turn them down and up, arrows "
    "or the mouse turn the camera, + and - or the wheel move it, B bloom, R reflection, D points or splats, "
    "T text, S saves a picture, "
    "Q or Escape quits.\n\n"
    "A run with the same --seed, --particles and --emitters computes the same particles bit for bit on every "
    "driver; "
    "its pictures are the same on one driver, unless --overlay writes times into them.";

// "WIDTHxHEIGHT"
void parse_size(const std::string& text, settings& into) {
    const std::size_t cross = text.find('x');
    int width = 0, height = 0;
    if (cross == std::string::npos || !CLI::detail::lexical_cast(text.substr(0, cross), width) ||
        !CLI::detail::lexical_cast(text.substr(cross + 1), height) || width < 16 || height < 16 ||
        width > 16384 || height > 16384)
        throw CLI::ValidationError(
            "--size", "expected WIDTHxHEIGHT, each 16 to 16384, such as 1920x1080, but it is " + text);
    into.width = width;
    into.height = height;
}

// "1234": the emitters that are on.
void parse_emitters(const std::string& text, settings& into) {
    into.flow.emitters = 0;
    for (const char digit : text) {
        if (digit < '1' || digit >= '1' + static_cast<int>(physics::emitter_count))
            throw CLI::ValidationError("--emitters",
                                       "expected digits from 1 to 4, such as 134, but it is " + text);
        into.flow.emitters |= 1u << (digit - '1');
    }
}

}  // namespace

std::optional<settings> parse_arguments(int count, const char* const* words, int& exit_code) {
    settings made;
    CLI::App app(about, "upsweep-particles");
    app.footer(keys);
    app.set_version_flag("--version", std::string("upsweep-particles ") + UPSWEEP_VERSION_STRING);
    app.add_option("--particles", made.particles, "How many may live at once; about 95 % of them do")
        ->check(CLI::Range(std::uint32_t{1000}, std::numeric_limits<std::uint32_t>::max() / 2))
        ->capture_default_str();
    app.add_option("--seed", made.seed, "Of every random choice")->capture_default_str();
    app.add_option_function<std::string>(
        "--emitters", [&](const std::string& text) { parse_emitters(text, made); },
        "Those that are on at first: 1 column, 2 wheel, 3 crown, 4 comets [1234]");
    app.add_option_function<std::string>(
        "--size", [&](const std::string& text) { parse_size(text, made); },
        "Of the picture in pixels [1280x720]");
    app.add_option("--flow", made.flow.flow, "How much the emitters make, in percent")
        ->check(CLI::Range(0, 1000))
        ->capture_default_str();
    app.add_flag("--headless", made.headless, "Draw off screen; needs neither window nor display");
    app.add_option("--frames", made.frames, "How many to draw; in a window 0 = until it is closed")
        ->capture_default_str();
    app.add_option("--skip", made.skip, "Steps of 1/60 s to simulate before the first frame")
        ->capture_default_str();
    auto* png =
        app.add_option("--png", made.png, "Save every frame: a name with its number in it, out-%04d.png");
    auto* video =
        app.add_option("--video", made.video, "Save a video of 60 frames a second, with the program ffmpeg");
    auto* stages =
        app.add_option("--stages", made.stages, "Write what each stage of the last frame did, as SVG");
    app.add_flag("--overlay", made.text, "With --headless: write the text line into the pictures too");
    app.add_option("--draw", made.how,
                   "points: by the rasteriser, soft discs; splats: by a compute shader, four pixels each")
        ->transform(CLI::CheckedTransformer(std::map<std::string, drawing>{{"points", drawing::points},
                                                                           {"splats", drawing::splats}})
                        .description("{points,splats}"))
        ->default_str("points");
    app.add_flag("!--no-bloom", made.bloom, "Without the glow around bright places");
    app.add_flag("!--no-reflection", made.reflection, "Without the image in the water");
    app.add_option("--exposure", made.exposure, "How bright")
        ->check(CLI::Range(0.01f, 100.0f))
        ->capture_default_str();
    float around = glm::degrees(made.from.around), height = glm::degrees(made.from.height);
    app.add_option("--around", around, "Where the camera stands: degrees around the fountain")
        ->capture_default_str();
    app.add_option("--above", height, "Degrees above the horizon")
        ->check(CLI::Range(1.0f, 85.0f))
        ->capture_default_str();
    app.add_option("--distance", made.from.distance, "Metres from the middle")
        ->check(CLI::Range(3.0f, 100.0f))
        ->capture_default_str();
    app.add_option("--orbit", made.orbit, "Degrees that the camera turns in a second")->capture_default_str();
    try {
        app.parse(count, words);
        made.from.around = glm::radians(around);
        made.from.height = glm::radians(height);
        if (!made.headless && (*png || *video || *stages))
            throw CLI::ValidationError("--png, --video and --stages", "need --headless");
        if (made.headless && made.frames == 0) throw CLI::RequiredError("--frames");
        if (*png) static_cast<void>(numbered(made.png, 0));
        if (made.headless) made.text = app.count("--overlay") != 0;
    } catch (const CLI::ParseError& problem) {
        exit_code = app.exit(problem) == 0 ? 0 : 2;
        return {};
    } catch (const std::invalid_argument& problem) {
        exit_code = app.exit(CLI::ValidationError("--png", problem.what())) == 0 ? 0 : 2;
        return {};
    }
    return made;
}

}  // namespace particles
