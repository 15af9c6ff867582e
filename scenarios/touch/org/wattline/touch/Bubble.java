package org.wattline.touch;

/** A bubble on its way up. */
final class Bubble {
    float x;
    float y;
    float vx;
    float vy;
    float radius;
    float hue;

    Bubble(float x, float y, float radius, float hue) {
        this.x = x;
        this.y = y;
        this.radius = radius;
        this.hue = hue;
    }

    boolean holds(float px, float py) {
        float dx = px - x;
        float dy = py - y;
        return dx * dx + dy * dy <= radius * radius;
    }
}
