package game;

final class Sand implements Ground {
    @Override
    public long slide(long[] cells, int steps) {
        long way = 1;
        for (int i = 0; i < steps; i++) {
            way = way * 17 + cells[i % cells.length];
        }
        return way;
    }
}
