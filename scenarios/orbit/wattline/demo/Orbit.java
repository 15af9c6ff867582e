package wattline.demo;

import com.badlogic.gdx.math.Interpolation;
import com.badlogic.gdx.math.MathUtils;
import com.badlogic.gdx.math.Quaternion;
import com.badlogic.gdx.math.Vector3;
import com.badlogic.gdx.scenes.scene2d.Actor;
import com.badlogic.gdx.scenes.scene2d.Group;
import com.badlogic.gdx.scenes.scene2d.actions.Actions;

/**
 * A camera orbits a grid of vertices: a ripple moves a few of them, actions move the camera, and
 * every frame copies the whole grid into the buffer that the graphics driver reads, element by
 * element.
 */
final class Orbit {
    private static final float TIME_STEP = 1f / 20f;

    private final VertexGrid grid;
    private final Group scene = new Group();
    private final Actor camera = new Actor();
    private final Vector3 eye = new Vector3();
    private final Quaternion turn = new Quaternion();
    private float travelled;

    Orbit(int columns, int rows) {
        grid = new VertexGrid(columns, rows);
        camera.setPosition(0f, 10f);
        scene.addActor(camera);
    }

    /** The user touched the screen: the camera turns there, and a ripple starts. */
    void tap(float x, float y) {
        float seconds = 0.5f + y / 400f;
        camera.clearActions();
        camera.addAction(
                Actions.sequence(
                        Actions.parallel(
                                Actions.rotateTo(x, seconds, Interpolation.sine),
                                Actions.moveTo(x / 20f, y / 20f, seconds)),
                        Actions.delay(0.2f),
                        Actions.rotateBy(45f, seconds)));
        grid.ripple((int) x % grid.vertices());
    }

    /** One frame. */
    void step() {
        scene.act(TIME_STEP);
        turn.setFromAxis(0f, 1f, 0f, camera.getRotation());
        eye.set(camera.getX(), camera.getY(), 20f);
        turn.transform(eye);
        travelled += eye.len() * TIME_STEP * MathUtils.cosDeg(camera.getRotation());
        grid.advance();
        grid.blit();
    }

    /** Where everything ended: equal for two runs that did the same work. */
    String describe() {
        return "travelled " + travelled + ", grid " + grid.sum();
    }
}
