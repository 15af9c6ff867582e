package wattline.demo;

import java.nio.FloatBuffer;

/** A grid of vertices, three floats each, and the buffer that is drawn from. */
final class VertexGrid {
    private final FloatBuffer vertices;
    private final FloatBuffer out;
    private int center;
    private float height;

    VertexGrid(int columns, int rows) {
        vertices = FloatBuffer.allocate(columns * rows * 3);
        out = FloatBuffer.allocate(columns * rows * 3);
        for (int row = 0; row < rows; row++) {
            for (int column = 0; column < columns; column++) {
                vertices.put(column);
                vertices.put(row);
                vertices.put(0f);
            }
        }
        vertices.flip();
    }

    int vertices() {
        return vertices.limit() / 3;
    }

    /** Lifts the grid at one vertex. */
    void ripple(int vertex) {
        center = vertex;
        height = 1f;
    }

    /** Lets the ripple spread and fade around its centre. */
    void advance() {
        if (height < 0.001f) {
            return;
        }
        int first = Math.max(0, center - 8);
        int last = Math.min(vertices() - 1, center + 8);
        for (int vertex = first; vertex <= last; vertex++) {
            float old = vertices.get(vertex * 3 + 2);
            vertices.put(vertex * 3 + 2, old * 0.9f + height / (1 + Math.abs(vertex - center)));
        }
        height = height * 0.97f;
    }

    /** Copies all vertices to the buffer that is drawn from. */
    void blit() {
        FloatBuffer vertices = this.vertices;
        FloatBuffer out = this.out;
        out.clear();
        for (int i = 0; i < vertices.limit(); i = i + 3) {
            out.put(vertices.get(i));
            out.put(vertices.get(i + 1));
            out.put(vertices.get(i + 2));
        }
        out.flip();
    }

    float sum() {
        float sum = 0f;
        for (int i = 0; i < out.limit(); i++) {
            sum += out.get(i) * (i % 7 - 3);
        }
        return sum;
    }
}
