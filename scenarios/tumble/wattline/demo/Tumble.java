package wattline.demo;

import java.util.ArrayDeque;
import java.util.Deque;
import org.dyn4j.collision.Filter;
import org.dyn4j.dynamics.Body;
import org.dyn4j.dynamics.BodyFixture;
import org.dyn4j.dynamics.joint.RevoluteJoint;
import org.dyn4j.geometry.Convex;
import org.dyn4j.geometry.Geometry;
import org.dyn4j.geometry.MassType;
import org.dyn4j.geometry.Ray;
import org.dyn4j.geometry.Vector2;
import org.dyn4j.world.DetectFilter;
import org.dyn4j.world.World;

/**
 * A pit into which a tap drops something: boxes, balls, polygons or a chain, by how high the tap
 * is. A lamp sweeps rays over the pit, and the oldest things leave when it is full.
 */
final class Tumble {
    private static final int MOST_BODIES = 22;
    private static final double WIDTH = 20;

    private final World<Body> world = new World<>();
    private final Deque<Body> dropped = new ArrayDeque<>();
    private final DetectFilter<Body, BodyFixture> all =
            new DetectFilter<>(true, true, Filter.DEFAULT_FILTER);
    private int drops;
    private int rays;
    private long ticks;
    private double lit;

    Tumble() {
        world.getSettings().setStepFrequency(1.0 / Session.FRAMES_PER_SECOND);
        addWall(Geometry.createRectangle(WIDTH, 1), WIDTH / 2, -0.5, 0);
        addWall(Geometry.createRectangle(1, 20), -0.5, 10, 0);
        addWall(Geometry.createRectangle(1, 20), WIDTH + 0.5, 10, 0);
        addWall(Geometry.createRectangle(5, 0.4), 6, 5, -0.4);
        addWall(Geometry.createIsoscelesTriangle(3, 1.5), 13, 0.5, 0);
        for (int i = 0; i < 5; i++) {
            drop(Geometry.createSquare(0.9), 3 + 3 * i, 8 + i % 2);
        }
    }

    /** The user touched the screen: something falls from there. */
    void tap(double x, double y) {
        double at = 1 + x / 640 * (WIDTH - 2);
        if (y < 100) {
            drop(Geometry.createRectangle(0.8 + drops % 3 * 0.3, 0.7), at, 11);
        } else if (y < 200) {
            drop(Geometry.createCircle(0.35 + drops % 4 * 0.05), at, 11);
        } else if (y < 300) {
            drop(Geometry.createUnitCirclePolygon(5 + drops % 3, 0.6), at, 11);
        } else if (y < 400) {
            dropChain(at);
        } else {
            rays = (rays + 8) % 24;
        }
    }

    /** One frame. */
    void step() {
        world.step(1);
        sweep();
        ticks++;
    }

    /** Where everything ended: equal for two runs that did the same work. */
    String describe() {
        double x = 0;
        double y = 0;
        for (Body body : dropped) {
            x += body.getTransform().getTranslationX();
            y += body.getTransform().getTranslationY();
        }
        return "drops " + drops + ", bodies " + dropped.size() + ", at " + (float) x + " " + (float) y
                + ", lit " + (float) lit;
    }

    private void sweep() {
        for (int i = 0; i < rays; i++) {
            double angle = Math.PI * (1.1 + 0.8 * ((ticks + 5 * i) % 40) / 40);
            Ray ray = new Ray(new Vector2(WIDTH / 2, 14), angle);
            lit += world.raycast(ray, 30, all).size();
        }
    }

    private void dropChain(double x) {
        Body last = null;
        for (int i = 0; i < 5; i++) {
            Body link = drop(Geometry.createRectangle(0.8, 0.25), x + 0.7 * i, 11);
            if (last != null) {
                Vector2 pin = new Vector2(x + 0.7 * i - 0.35, 11);
                world.addJoint(new RevoluteJoint<>(last, link, pin));
            }
            last = link;
        }
    }

    private Body drop(Convex shape, double x, double y) {
        Body body = new Body();
        body.addFixture(shape, 1, 0.3, 0.2);
        body.setMass(MassType.NORMAL);
        body.translate(x, y);
        body.setAngularVelocity(drops % 5 - 2);
        world.addBody(body);
        dropped.add(body);
        drops++;
        if (dropped.size() > MOST_BODIES) {
            world.removeBody(dropped.remove());
        }
        return body;
    }

    private void addWall(Convex shape, double x, double y, double angle) {
        Body wall = new Body();
        wall.addFixture(shape);
        wall.setMass(MassType.INFINITE);
        wall.rotate(angle);
        wall.translate(x, y);
        world.addBody(wall);
    }
}
