/** Numbers in loops: planets. */
public final class NBody {
    double x, y, z, vx, vy, vz, mass;

    NBody(int i) {
        x = i * 1.7 + 0.1;
        y = i * -0.9 + 0.3;
        z = i * 0.4;
        vx = 0.01 * i;
        vy = 0.02 * (5 - i);
        vz = -0.01 * i;
        mass = 1.0 / (1 + i);
    }

    static void advance(NBody[] bodies, double dt) {
        for (int i = 0; i < bodies.length; ++i) {
            NBody a = bodies[i];
            for (int j = i + 1; j < bodies.length; ++j) {
                NBody b = bodies[j];
                double dx = a.x - b.x;
                double dy = a.y - b.y;
                double dz = a.z - b.z;
                double square = dx * dx + dy * dy + dz * dz + 0.01;
                double mag = dt / (square * Math.sqrt(square));
                a.vx -= dx * b.mass * mag;
                a.vy -= dy * b.mass * mag;
                a.vz -= dz * b.mass * mag;
                b.vx += dx * a.mass * mag;
                b.vy += dy * a.mass * mag;
                b.vz += dz * a.mass * mag;
            }
        }
        for (NBody body : bodies) {
            body.x += dt * body.vx;
            body.y += dt * body.vy;
            body.z += dt * body.vz;
        }
    }

    public static double run() {
        NBody[] bodies = new NBody[5];
        for (int i = 0; i < bodies.length; i++) bodies[i] = new NBody(i);
        for (int step = 0; step < 500_000; step++) advance(bodies, 0.001);
        double sum = 0;
        for (NBody body : bodies) sum += body.x + body.y + body.z;
        return sum;
    }
}
