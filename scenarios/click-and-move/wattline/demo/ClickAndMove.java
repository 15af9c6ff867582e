package wattline.demo;

import org.jbox2d.callbacks.ContactImpulse;
import org.jbox2d.callbacks.ContactListener;
import org.jbox2d.callbacks.RayCastCallback;
import org.jbox2d.collision.Manifold;
import org.jbox2d.collision.shapes.ChainShape;
import org.jbox2d.collision.shapes.CircleShape;
import org.jbox2d.collision.shapes.PolygonShape;
import org.jbox2d.common.MathUtils;
import org.jbox2d.common.Vec2;
import org.jbox2d.dynamics.Body;
import org.jbox2d.dynamics.BodyDef;
import org.jbox2d.dynamics.BodyType;
import org.jbox2d.dynamics.Fixture;
import org.jbox2d.dynamics.FixtureDef;
import org.jbox2d.dynamics.World;
import org.jbox2d.dynamics.contacts.Contact;
import org.jbox2d.dynamics.joints.DistanceJointDef;
import org.jbox2d.dynamics.joints.RevoluteJointDef;

/**
 * An actor walks to each tap, through a yard of boxes, balls, a swing and a rope, in a physics
 * world with a fixed time step. A tap high on the screen makes the actor jump.
 */
final class ClickAndMove implements ContactListener, RayCastCallback {
    private static final float TIME_STEP = 1f / 20f;
    private static final float PIXELS_PER_METER = 20f;
    private static final float YARD_WIDTH = 32f;
    private static final float WALK_SPEED = 5f;

    private final World world = new World(new Vec2(0f, -10f));
    private final Body actor;
    private final Vec2 target = new Vec2(16f, 1f);
    private final Vec2 step = new Vec2();
    private boolean jump;
    private int hits;
    private int blockedFrames;
    private float nearest;
    private float walked;

    ClickAndMove() {
        world.setContactListener(this);
        addYard();
        addBoxes(3, 4, 6f);
        addBalls(5, 20f);
        addSwing(11f);
        addRope(26f, 6);
        actor = addActor(2f);
    }

    /** The user touched the screen, in pixels from its lower left corner. */
    void tap(float x, float y) {
        target.set(MathUtils.clamp(x / PIXELS_PER_METER, 1f, YARD_WIDTH - 1f), y / PIXELS_PER_METER);
        jump = target.y > 8f;
    }

    /** One frame. */
    void step() {
        look();
        walk();
        world.step(TIME_STEP, 6, 2);
        world.clearForces();
    }

    /** Where everything ended: equal for two runs that did the same work. */
    String describe() {
        return hits + " hits, " + blockedFrames + " blocked, walked " + walked + ", at "
                + actor.getPosition().x + " " + actor.getPosition().y;
    }

    private void walk() {
        Vec2 position = actor.getPosition();
        float distance = target.x - position.x;
        float wanted = MathUtils.clamp(distance * 2f, -WALK_SPEED, WALK_SPEED);
        float change = wanted - actor.getLinearVelocity().x;
        step.set(actor.getMass() * change * 0.3f, 0f);
        if (jump && MathUtils.abs(actor.getLinearVelocity().y) < 0.1f) {
            step.y = actor.getMass() * 6f;
            jump = false;
        }
        actor.applyLinearImpulse(step, actor.getWorldCenter());
        walked += MathUtils.abs(actor.getLinearVelocity().x) * TIME_STEP;
    }

    /** Counts the frames in which something stands between the actor and its target. */
    private void look() {
        Vec2 eye = actor.getPosition();
        Vec2 goal = new Vec2(target.x, eye.y);
        nearest = 1f;
        if (MathUtils.distanceSquared(eye, goal) > 0.01f) {
            world.raycast(this, eye, goal);
        }
        if (nearest < 1f) {
            blockedFrames++;
        }
    }

    @Override
    public float reportFixture(Fixture fixture, Vec2 point, Vec2 normal, float fraction) {
        nearest = fraction;
        return fraction;
    }

    private Body addActor(float x) {
        BodyDef definition = new BodyDef();
        definition.type = BodyType.DYNAMIC;
        definition.fixedRotation = true;
        definition.allowSleep = false;
        definition.position.set(x, 2f);
        Body body = world.createBody(definition);
        PolygonShape torso = new PolygonShape();
        torso.setAsBox(0.35f, 0.6f);
        body.createFixture(torso, 2f);
        CircleShape foot = new CircleShape();
        foot.m_radius = 0.35f;
        foot.m_p.set(0f, -0.6f);
        FixtureDef sole = new FixtureDef();
        sole.shape = foot;
        sole.density = 1f;
        sole.friction = 0.2f;
        body.createFixture(sole);
        return body;
    }

    private void addYard() {
        Vec2[] outline = {
            new Vec2(0f, 20f), new Vec2(0f, 0.5f), new Vec2(12f, 0f), new Vec2(14f, 0.4f),
            new Vec2(18f, 0.4f), new Vec2(20f, 0f), new Vec2(YARD_WIDTH, 0.5f),
            new Vec2(YARD_WIDTH, 20f),
        };
        ChainShape chain = new ChainShape();
        chain.createChain(outline, outline.length);
        world.createBody(new BodyDef()).createFixture(chain, 0f);
    }

    private void addBoxes(int columns, int rows, float left) {
        PolygonShape box = new PolygonShape();
        box.setAsBox(0.4f, 0.4f);
        for (int i = 0; i < columns; i++) {
            for (int j = 0; j < rows; j++) {
                addDynamic(left + i * 1.2f, 1.5f + j * 0.9f).createFixture(box, 0.3f);
            }
        }
    }

    private void addBalls(int count, float left) {
        for (int i = 0; i < count; i++) {
            CircleShape ball = new CircleShape();
            ball.m_radius = 0.3f + 0.05f * i;
            FixtureDef bouncy = new FixtureDef();
            bouncy.shape = ball;
            bouncy.density = 0.4f;
            bouncy.restitution = 0.6f;
            addDynamic(left + i * 0.9f, 5f + i).createFixture(bouncy);
        }
    }

    private void addSwing(float x) {
        Body post = world.createBody(new BodyDef());
        Body seat = addDynamic(x + 2f, 6f);
        PolygonShape plank = new PolygonShape();
        plank.setAsBox(0.8f, 0.15f);
        seat.createFixture(plank, 1f);
        RevoluteJointDef hinge = new RevoluteJointDef();
        hinge.initialize(post, seat, new Vec2(x, 8f));
        hinge.enableMotor = true;
        hinge.motorSpeed = 1f;
        hinge.maxMotorTorque = 30f;
        world.createJoint(hinge);
    }

    private void addRope(float x, int links) {
        Body previous = world.createBody(new BodyDef());
        Vec2 anchor = new Vec2(x, 9f);
        CircleShape bead = new CircleShape();
        bead.m_radius = 0.15f;
        for (int i = 0; i < links; i++) {
            Body link = addDynamic(x + 0.7f * (i + 1), 9f);
            link.createFixture(bead, 1f);
            DistanceJointDef rope = new DistanceJointDef();
            rope.initialize(previous, link, anchor, link.getPosition());
            world.createJoint(rope);
            anchor = link.getPosition().clone();
            previous = link;
        }
    }

    private Body addDynamic(float x, float y) {
        BodyDef definition = new BodyDef();
        definition.type = BodyType.DYNAMIC;
        definition.position.set(x, y);
        return world.createBody(definition);
    }

    @Override
    public void beginContact(Contact contact) {
        if (contact.getFixtureA().getBody() == actor || contact.getFixtureB().getBody() == actor) {
            hits++;
        }
    }

    @Override
    public void endContact(Contact contact) {}

    @Override
    public void preSolve(Contact contact, Manifold oldManifold) {}

    @Override
    public void postSolve(Contact contact, ContactImpulse impulse) {}
}
