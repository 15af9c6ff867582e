package game;

/** What a world stands on. */
interface Ground {
    long slide(long[] cells, int steps);
}
