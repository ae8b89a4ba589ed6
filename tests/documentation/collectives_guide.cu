// The code of docs/collectives.md. blocks.inc includes its blocks, which tools/code_blocks.py takes out of
// the page.
#include "headers.inc"

namespace upsweep::test {

#include "blocks.inc"

}  // namespace upsweep::test
