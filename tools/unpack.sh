#!/usr/bin/env bash
# Debian packages that are unpacked into a folder of a checkout, and not installed. `./dev` calls it.
#
# usage: unpack.sh swiftshader FOLDER        SwiftShader, a Vulkan driver, out of chromium-common
#        unpack.sh cross FOLDER ARCHITECTURE the libraries of the tests, for another processor
set -euo pipefail

swiftshader() {  # swiftshader FOLDER
    (cd "$1" && apt-get -q download chromium-common)
    local package
    package=$(ls "$1"/chromium-common_*.deb)
    dpkg-deb --fsys-tarfile "$package" | tar -x -C "$1" --wildcards './usr/lib/chromium/*vk_swiftshader*'
    rm "$package"
}

cross() {  # cross FOLDER ARCHITECTURE
    local state=$PWD/$1/apt options names package link
    mkdir -p "$state/lists/partial" "$state/archives/partial"
    : >"$state/status"
    options=(-q -o "APT::Architecture=$2" -o "APT::Architectures=$2" -o "Dir::State=$state" -o "Dir::State::status=$state/status"
        -o "Dir::Cache=$state" -o "APT::Sandbox::User=$(id -un)")
    apt-get "${options[@]}" update || echo "trying with the lists that came"
    # Of all that these depend on, what does not come with the compiler.
    names=$(apt-get "${options[@]}" install --simulate --no-install-recommends libgtest-dev librapidcheck-dev libhwy-dev \
        libcli11-dev libfmt-dev libpng-dev libboost-context-dev | sed -n 's/^Inst \([^ ]*\) .*/\1/p' |
        grep -E '^(lib(gtest|rapidcheck|hwy|cli11|fmt|png|boost)|zlib1g)')
    # shellcheck disable=SC2086  # one word a package
    (cd "$state" && apt-get "${options[@]}" download $names)
    mkdir -p "$1/usr/lib"
    ln -s usr/lib "$1/lib"  # one folder of libraries, whatever the release
    for package in "$state"/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$1"
    done
    # A library's link to its version may be absolute, and would name this machine's own.
    find "$1" -type l -lname '/*' | while IFS= read -r link; do ln -sfr "$1$(readlink "$link")" "$link"; done
    rm -r "$state"
}

"$@"
