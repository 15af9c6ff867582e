package wattline.demo;

import java.util.ArrayList;
import java.util.List;

/** A table of balls and bumpers; a tap launches a ball, and every frame moves all of them. */
final class Pinball {
    private static final float TIME_STEP = 1f / 20f;
    private static final int STEPS_PER_FRAME = 12;
    private static final int MOST_BALLS = 24;

    private final List<Ball> balls = new ArrayList<>();
    private final Bumper[] bumpers = new Bumper[15];
    private final int[] histogram = new int[32];
    private final float[] trail = new float[256];
    private int score;
    private int launched;
    private long ticks;

    Pinball() {
        for (int i = 0; i < bumpers.length; i++) {
            bumpers[i] = new Bumper(2f + 4f * (i % 5), 6f + 3f * (i / 5), 0.6f + 0.05f * i);
        }
        for (int i = 0; i < 8; i++) {
            launch(2.5f + 2f * i);
        }
    }

    /** The user touched the screen: a ball starts there. */
    void tap(float x) {
        launch(x / 32f);
    }

    /** One frame. */
    void step() {
        float dt = TIME_STEP / STEPS_PER_FRAME;
        for (int i = 0; i < STEPS_PER_FRAME; i++) {
            move(dt);
            for (Ball ball : balls) {
                score += bounce(ball);
            }
            collide();
        }
        remember();
        ticks++;
    }

    /** Where everything ended: equal for two runs that did the same work. */
    String describe() {
        float sum = 0f;
        for (float t : trail) {
            sum += t;
        }
        return "score " + score + ", launched " + launched + ", trail " + sum + ", spread " + spread();
    }

    private void launch(float x) {
        Ball ball = new Ball(x, 1f, 3f - launched % 7, 14f + launched % 5);
        if (balls.size() == MOST_BALLS) {
            balls.set(launched % MOST_BALLS, ball);
        } else {
            balls.add(ball);
        }
        launched++;
    }

    private void move(float dt) {
        for (int i = 0; i < balls.size(); i++) {
            Ball ball = balls.get(i);
            ball.vy -= 9.81f * dt;
            ball.x += ball.vx * dt;
            ball.y += ball.vy * dt;
            if (ball.x < 0f || ball.x > 20f) {
                ball.vx = -ball.vx;
                ball.x = ball.x < 0f ? 0f : 20f;
            }
            if (ball.y < 0f) {
                ball.vy = 12f + (ticks & 3);
                ball.y = 0f;
            } else if (ball.y > 24f) {
                ball.vy = -ball.vy;
                ball.y = 24f;
            }
        }
    }

    private int bounce(Ball ball) {
        int points = 0;
        for (int i = 0; i < bumpers.length; i++) {
            Bumper bumper = bumpers[i];
            float dx = ball.x - bumper.x;
            float dy = ball.y - bumper.y;
            float squared = dx * dx + dy * dy;
            if (squared < bumper.radius * bumper.radius && squared > 0f) {
                float distance = (float) Math.sqrt(squared);
                ball.reflect(dx / distance, dy / distance, 1.05f);
                points += 10 * (i + 1);
            }
        }
        return points;
    }

    private void collide() {
        for (int i = 0; i < balls.size(); i++) {
            Ball a = balls.get(i);
            for (int j = i + 1; j < balls.size(); j++) {
                Ball b = balls.get(j);
                double distance = Math.abs(a.x - b.x) + Math.abs(a.y - b.y);
                if (distance < 0.4) {
                    float vx = a.vx;
                    float vy = a.vy;
                    a.vx = b.vx;
                    a.vy = b.vy;
                    b.vx = vx;
                    b.vy = vy;
                    score++;
                }
            }
        }
    }

    /** Keeps where balls were: a histogram of columns and a trail of heights. */
    private void remember() {
        int slot = (int) (ticks * 7 % trail.length);
        for (Ball ball : balls) {
            int column = Math.min(histogram.length - 1, (int) (ball.x * 1.6f));
            histogram[column]++;
            trail[slot] = ball.y;
            slot = slot + 1 == trail.length ? 0 : slot + 1;
        }
    }

    private long spread() {
        long total = 0;
        long squares = 0;
        for (int count : histogram) {
            total += count;
            squares += (long) count * count;
        }
        return total == 0 ? 0 : squares / total;
    }

    private static final class Ball {
        float x;
        float y;
        float vx;
        float vy;

        Ball(float x, float y, float vx, float vy) {
            this.x = x;
            this.y = y;
            this.vx = vx;
            this.vy = vy;
        }

        void reflect(float nx, float ny, float gain) {
            float along = vx * nx + vy * ny;
            if (along < 0f) {
                vx = (vx - 2f * along * nx) * gain;
                vy = (vy - 2f * along * ny) * gain;
            }
            float speed = vx * vx + vy * vy;
            if (speed > 900f) {
                vx = vx * 0.5f;
                vy = vy * 0.5f;
            }
        }
    }

    private static final class Bumper {
        final float x;
        final float y;
        final float radius;

        Bumper(float x, float y, float radius) {
            this.x = x;
            this.y = y;
            this.radius = radius;
        }
    }
}
