# The emulator of GPU kernels: Boost.Context, for its fibers.
find_package(Boost 1.69 QUIET COMPONENTS context)
if(TARGET Boost::context)
    set(found TRUE)
    set(note "Boost.Context ${Boost_VERSION_STRING}")
else()
    set(note "missing Boost.Context")
endif()
