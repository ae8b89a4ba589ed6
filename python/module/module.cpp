// upsweep._module: what the package in python/upsweep calls. Its functions take arrays whose types and shapes
// the package has checked, and write to arrays that the package has made.
#include "python/module/module.hpp"

#include "python/common/errors.hpp"
#include "python/module/threads.hpp"
#include "upsweep/version.hpp"

NB_MODULE(_module, module) {
    using namespace upsweep::python;
    // What autograd keeps at the end of a program, functions of the package among it, is not taken apart.
    nanobind::set_leak_warnings(false);
    nanobind::register_exception_translator(&translate_errors);
    module.attr("version") = UPSWEEP_VERSION_STRING;
    add_threads(module);
    add_scans(module);
    add_recurrences(module);
    add_sorts(module);
    add_choices(module);
    add_bins(module);
    add_runs(module);
    add_repeats(module);
#ifdef UPSWEEP_HAS_JAX
    add_jax_handlers(module);
#endif
}
