package game;

final class Ice implements Ground {
    @Override
    public long slide(long[] cells, int steps) {
        long way = 1;
        for (int i = 0; i < steps; i++) {
            way = way * 31 + cells[i % cells.length];
        }
        return way;
    }
}
