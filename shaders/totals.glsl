// Where the totals lie in the workspace: of the tiles of every sequence, then of the supers of every sequence.

#ifdef UPSWEEP_AXIS
uint tiles_of(uint sequence) { return sequence * parameters[UPSWEEP_P_SEQUENCE_TILES]; }
uint supers_of(uint sequence) {
    uint supers = (parameters[UPSWEEP_P_SEQUENCE_TILES] + uint(UPSWEEP_SUPER_TILES - 1)) / uint(UPSWEEP_SUPER_TILES);
    return parameters[UPSWEEP_P_SUPERS] + sequence * supers;
}
#else
uint tiles_of(uint sequence) { return 0u; }
uint supers_of(uint sequence) { return parameters[UPSWEEP_P_SUPERS]; }
#endif
