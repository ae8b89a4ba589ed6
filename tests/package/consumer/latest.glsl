// The latest element that is not zero.
uint combine(uint earlier, uint later) { return later != 0u ? later : earlier; }
