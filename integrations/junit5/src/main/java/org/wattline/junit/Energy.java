package org.wattline.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Shows the energy of each invocation of a test, in joules: of one test method, or of all tests of
 * a class and its nested classes. The annotation of a method replaces that of its class.
 *
 * <p>The energy is that of the body of the test, in this JVM; set-up and tear-down are not in it.
 * What cannot be told apart from a test is described in docs/how-to/junit.md of wattline.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@ExtendWith(EnergyExtension.class)
public @interface Energy {
    /**
     * How often the body is measured. Two or more give a 95 % interval. The body is called on the
     * same instance, between its set-up and its tear-down; a body that cannot run twice belongs in
     * a {@code @RepeatedTest}, whose repetitions are repeats, too.
     */
    int repeats() default 1;

    /**
     * Shortest duration of a repeat in milliseconds: the body is called until it has passed, and
     * the energy is divided by the calls. For tests that are shorter than a cycle of the meter.
     */
    long minimumMillis() default 0;

    /** Calls of the body before the first repeat, so that classes are loaded and code is compiled. */
    int warmUps() default 0;

    /**
     * Most joules of one invocation; 0 is no budget. The test fails if the interval lies above the
     * budget; without an interval, or with one that contains the budget, it is undecided.
     */
    double budgetJoules() default 0;

    /**
     * Most energy of one invocation relative to the earlier {@code energy-tests.csv} that the
     * parameter {@code wattline.baseline} names: 1.1 is at most 10 % more; 0 is no budget.
     */
    double budgetRelative() default 0;
}
