package game;

/** What a round does, by a name. */
final class Plan {
    final int rounds;
    final String name;

    Plan(int rounds, String name) {
        this.rounds = rounds;
        this.name = name;
    }

    static final class Step {
        final int length;

        Step(int length) {
            this.length = length;
        }
    }
}
