package wattline.demo;

import java.nio.FloatBuffer;

/** Particles on a line: every frame moves them, counts the fast ones and draws them. */
final class Particles {
    private final FloatBuffer vertices;
    private final FloatBuffer out;
    private final FloatBuffer speeds;
    private float[] velocity;
    private float damping;
    private float pull;
    private int fast;

    Particles(int count) {
        vertices = FloatBuffer.allocate(count);
        out = FloatBuffer.allocate(count);
        speeds = FloatBuffer.allocate(count);
        velocity = new float[count];
        for (int i = 0; i < count; i++) {
            vertices.put(i * 0.25f);
            velocity[i] = i % 13 - 6;
        }
        vertices.flip();
        damping = 0.999f;
        pull = 0.001f;
    }

    /** A touch: everything is pushed away from there. */
    void tap(float x) {
        for (int i = 0; i < velocity.length; i++) {
            velocity[i] = velocity[i] + (i - x) * 0.01f;
        }
    }

    /** One frame. */
    void step() {
        move();
        fast += countFast();
        blit();
    }

    /** Reads three fields in every iteration. */
    private void move() {
        int count = vertices.limit();
        for (int i = 0; i < count; i++) {
            velocity[i] = velocity[i] * damping - velocity[i] * pull;
        }
    }

    /** Asks for the limit in every iteration. */
    private int countFast() {
        FloatBuffer speeds = this.speeds;
        int found = 0;
        for (int i = 0; i < speeds.limit(); i++) {
            if (found > i) {
                found = found - 1;
            }
        }
        return found;
    }

    /** Copies element by element. */
    private void blit() {
        FloatBuffer vertices = this.vertices;
        FloatBuffer out = this.out;
        out.clear();
        for (int i = 0; i < vertices.limit(); i++) {
            out.put(vertices.get(i));
        }
        out.flip();
    }

    /** Where everything ended: equal for two runs that did the same work. */
    String describe() {
        float sum = 0f;
        for (float one : velocity) {
            sum += one;
        }
        return "fast " + fast + ", velocity " + sum + ", out " + out.limit();
    }
}
