package org.wattline.junit;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Classes with tests that the extension's tests run; the build does not run them by itself. */
final class Examples {
    static int calls;
    static int setUps;

    private Examples() {
    }

    private static void work(int parts) {
        long sum = 0;
        for (long i = 0; i < parts * 2_000_000L; i++) {
            sum += Long.numberOfTrailingZeros(i ^ sum);
        }
        assertNotNull(String.valueOf(sum));
    }

    static class Kinds {
        @BeforeEach
        void setUp() {
            setUps++;
        }

        @Test
        @Energy(repeats = 3, warmUps = 2)
        void repeated() {
            calls++;
            work(1);
        }

        @RepeatedTest(3)
        @Energy
        void repetitions() {
            work(1);
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 2})
        @Energy
        void sizes(int parts) {
            work(parts);
        }

        @TestFactory
        @Energy
        Stream<DynamicTest> dynamic() {
            return IntStream.of(1, 2).mapToObj(parts -> DynamicTest.dynamicTest("parts " + parts, () -> work(parts)));
        }

        @Test
        void unmarked() {
            work(1);
        }
    }

    @Energy(repeats = 2)
    static class Budgets {
        @Test
        // So many that their interval lies above 0, however unevenly a busy machine runs them.
        @Energy(repeats = 12, minimumMillis = 60, budgetJoules = 1e-12)
        void over() {
            work(1);
        }

        @Test
        @Energy(repeats = 2, budgetJoules = 1e9)
        void within() {
            work(1);
        }

        @Test
        @Energy(budgetJoules = 1e-12)
        void undecided() {
            work(1);
        }

        @Test
        void failing() {
            fail("as it should");
        }
    }

    /** `large` does eight times the work of `small`. */
    @Energy(repeats = 2, warmUps = 2)
    static class AtOnce {
        @Test
        void small() {
            work(10);
        }

        @Test
        void large() {
            work(80);
        }
    }

    static class Wrong {
        @Test
        @Energy(repeats = 0)
        void never() {
            work(1);
        }
    }
}
