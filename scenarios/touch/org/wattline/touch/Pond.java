package org.wattline.touch;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Bubbles that rise, push each other about, follow the stirred water, and pop. */
final class Pond {
    private static final int MOST = 60;
    private static final float RISE = 0.02f;
    private static final float DRAG = 0.985f;
    private static final float BOUNCE = 0.8f;
    private static final float PUSH = 0.05f;
    private static final float STIR = 0.12f;
    private static final float STIR_REACH = 160;
    private static final float LEAST_RADIUS = 8;
    private static final float MORE_RADIUS = 22;

    private final List<Bubble> bubbles = new ArrayList<Bubble>();
    private final Stroke stroke = new Stroke();
    private final Random random;
    private int width;
    private int height;
    private int popped;
    private boolean touched;
    private float lastX;
    private float lastY;
    private float flowX;
    private float flowY;

    Pond(int width, int height, long seed) {
        this.width = width;
        this.height = height;
        random = new Random(seed);
    }

    void resize(int newWidth, int newHeight) {
        width = newWidth;
        height = newHeight;
        for (Bubble bubble : bubbles) {
            keepInside(bubble);
        }
    }

    /** Blows bubbles until there are so many. */
    void fill(int count) {
        while (bubbles.size() < count && bubbles.size() < MOST) {
            blow(random.nextFloat() * width, random.nextFloat() * height);
        }
    }

    void clear() {
        bubbles.clear();
        stroke.clear();
    }

    int size() {
        return bubbles.size();
    }

    Bubble bubble(int at) {
        return bubbles.get(at);
    }

    Stroke stroke() {
        return stroke;
    }

    int popped() {
        return popped;
    }

    /** Pops the bubble there; where there is none, blows one. */
    void touch(float x, float y) {
        touched = true;
        lastX = x;
        lastY = y;
        for (int i = bubbles.size() - 1; i >= 0; i--) {
            if (bubbles.get(i).holds(x, y)) {
                pop(i);
                return;
            }
        }
        blow(x, y);
    }

    /** The water follows the finger. */
    void stir(float x, float y) {
        if (!touched) {
            return;
        }
        flowX = x - lastX;
        flowY = y - lastY;
        lastX = x;
        lastY = y;
        stroke.add(x, y);
    }

    void release() {
        touched = false;
        flowX = 0;
        flowY = 0;
    }

    void step() {
        for (Bubble bubble : bubbles) {
            move(bubble);
        }
        for (int i = 0; i < bubbles.size(); i++) {
            for (int j = i + 1; j < bubbles.size(); j++) {
                push(bubbles.get(i), bubbles.get(j));
            }
        }
        stroke.grow();
        if (bubbles.size() < MOST / 4) {
            blow(random.nextFloat() * width, height - MORE_RADIUS);
        }
    }

    private void blow(float x, float y) {
        if (bubbles.size() < MOST) {
            float radius = LEAST_RADIUS + random.nextFloat() * MORE_RADIUS;
            bubbles.add(new Bubble(x, y, radius, random.nextInt(360)));
        }
    }

    /** A large one leaves two small ones. */
    private void pop(int at) {
        Bubble old = bubbles.remove(at);
        popped++;
        if (old.radius > 2 * LEAST_RADIUS) {
            for (int side = -1; side <= 1; side += 2) {
                Bubble part = new Bubble(old.x + side * old.radius, old.y, old.radius / 2, old.hue);
                part.vx = side;
                bubbles.add(part);
            }
        }
    }

    private void move(Bubble bubble) {
        bubble.vy -= RISE * bubble.radius / LEAST_RADIUS;
        if (touched) {
            follow(bubble);
        }
        bubble.vx *= DRAG;
        bubble.vy *= DRAG;
        bubble.x += bubble.vx;
        bubble.y += bubble.vy;
        if (bubble.y < -bubble.radius) {
            bubble.y = height + bubble.radius;
            bubble.x = random.nextFloat() * width;
        }
        keepInside(bubble);
    }

    private void follow(Bubble bubble) {
        float dx = bubble.x - lastX;
        float dy = bubble.y - lastY;
        float distance = (float) Math.sqrt(dx * dx + dy * dy);
        if (distance < STIR_REACH) {
            float share = STIR * (1 - distance / STIR_REACH);
            bubble.vx += flowX * share;
            bubble.vy += flowY * share;
        }
    }

    private void keepInside(Bubble bubble) {
        if (bubble.x < bubble.radius) {
            bubble.x = bubble.radius;
            bubble.vx = Math.abs(bubble.vx) * BOUNCE;
        } else if (bubble.x > width - bubble.radius) {
            bubble.x = width - bubble.radius;
            bubble.vx = -Math.abs(bubble.vx) * BOUNCE;
        }
        if (bubble.y > height + bubble.radius) {
            bubble.y = height + bubble.radius;
            bubble.vy = -Math.abs(bubble.vy) * BOUNCE;
        }
    }

    /** Bubbles that overlap push each other apart. */
    private void push(Bubble one, Bubble other) {
        float dx = other.x - one.x;
        float dy = other.y - one.y;
        float reach = one.radius + other.radius;
        float square = dx * dx + dy * dy;
        if (square >= reach * reach || square == 0) {
            return;
        }
        float distance = (float) Math.sqrt(square);
        float strength = PUSH * (reach - distance) / distance;
        one.vx -= strength * dx;
        one.vy -= strength * dy;
        other.vx += strength * dx;
        other.vy += strength * dy;
    }
}
