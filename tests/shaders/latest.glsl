// The latest element that is not zero: associative, exact, not commutative, without an identity as far as the stages are
// told. An element is the word itself.
uint combine(uint earlier, uint later) { return later != 0u ? later : earlier; }
