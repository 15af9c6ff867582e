/** Small virtual methods: the worst case of a probe per block. */
public final class Shapes {
    interface Shape {
        int area();

        boolean isBig(int limit);
    }

    static final class Square implements Shape {
        private final int side;

        Square(int side) {
            this.side = side;
        }

        int side() {
            return side;
        }

        @Override
        public int area() {
            return side() * side();
        }

        @Override
        public boolean isBig(int limit) {
            return area() > limit;
        }
    }

    static final class Box implements Shape {
        private final int width;
        private final int height;

        Box(int width, int height) {
            this.width = width;
            this.height = height;
        }

        int width() {
            return width;
        }

        int height() {
            return height;
        }

        @Override
        public int area() {
            return width() * height();
        }

        @Override
        public boolean isBig(int limit) {
            if (width() > limit) {
                return true;
            }
            return area() > limit;
        }
    }

    static int mix(int seed) {
        int x = seed ^ (seed << 13);
        x ^= x >>> 17;
        return x ^ (x << 5);
    }

    public static long run() {
        Shape[] shapes = new Shape[512];
        int seed = 12345;
        for (int i = 0; i < shapes.length; i++) {
            seed = mix(seed);
            shapes[i] = (seed & 64) == 0 ? new Square(seed & 31) : new Box(seed & 31, (seed >> 5) & 31);
        }
        long sum = 0;
        for (int round = 0; round < 40_000; round++) {
            for (Shape shape : shapes) {
                sum += shape.area();
                if (shape.isBig(round & 255)) sum++;
            }
        }
        return sum;
    }
}
