package game;

/** Loops of known length, and overloads that obfuscation names alike. */
final class Physics {
    private final Plan plan;

    Physics(Plan plan) {
        this.plan = plan;
    }

    long heavy(int n) {
        long sum = 0;
        for (int i = 0; i < 3 * n; i++) {
            sum = sum * 31 + i;
        }
        return sum;
    }

    long light(Plan.Step step) {
        long sum = 0;
        for (int i = 0; i < step.length; i++) {
            sum = sum * 31 + i;
        }
        return sum;
    }

    double light(double[] values, Plan.Step step) {
        double sum = 0;
        for (int i = 0; i < step.length; i++) {
            sum = sum * 0.5 + values[i % values.length];
        }
        return sum;
    }

    long round(Plan.Step step) {
        long sum = heavy(step.length) + light(step);
        for (int i = 0; i < plan.rounds; i++) {
            sum += (long) light(new double[] {1, 2, 3}, step);
        }
        return sum;
    }
}
