package org.wattline.junit;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.DynamicTestInvocationContext;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.opentest4j.TestAbortedException;

/** Measures tests with {@link Energy}, which registers it. */
public final class EnergyExtension implements BeforeAllCallback, BeforeEachCallback, InvocationInterceptor {
    /** Made by JUnit. */
    public EnergyExtension() {
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        EnergyRun.of(context);
    }

    /** A method with the annotation may be in a class without it. */
    @Override
    public void beforeEach(ExtensionContext context) {
        EnergyRun.of(context);
    }

    @Override
    public void interceptTestMethod(Invocation<Void> invocation, ReflectiveInvocationContext<Method> method,
            ExtensionContext context) throws Throwable {
        measure(context, new TestBody(invocation::proceed, () -> invoke(method)));
    }

    @Override
    public void interceptTestTemplateMethod(Invocation<Void> invocation, ReflectiveInvocationContext<Method> method,
            ExtensionContext context) throws Throwable {
        measure(context, new TestBody(invocation::proceed, () -> invoke(method)));
    }

    @Override
    public void interceptDynamicTest(Invocation<Void> invocation, DynamicTestInvocationContext test,
            ExtensionContext context) throws Throwable {
        measure(context, new TestBody(invocation::proceed, () -> test.getExecutable().execute()));
    }

    private static void invoke(ReflectiveInvocationContext<Method> method) throws Throwable {
        Method executable = method.getExecutable();
        executable.setAccessible(true);
        try {
            executable.invoke(method.getTarget().orElse(null), method.getArguments().toArray());
        } catch (InvocationTargetException thrown) {
            throw thrown.getCause();
        }
    }

    private static void measure(ExtensionContext context, TestBody body) throws Throwable {
        Optional<TestIdentity> known = TestIdentity.of(context);
        if (!known.isPresent()) {
            body.call();
            return;
        }
        TestIdentity identity = known.get();
        check(identity);
        EnergyRun run = EnergyRun.of(context);
        MeasuredTest test = run.test(identity.key, identity.className, identity.testName, identity.energy);
        String why = run.meter() == null ? run.whyNotMeasured() : run.meter().problem();
        if (!why.isEmpty()) {
            runUnmeasured(run, test, body, why);
            return;
        }
        measure(run, test, body);
        if (test.countInvocation() >= identity.invocations) {
            finish(run, test, context);
        }
    }

    private static void check(TestIdentity identity) {
        Energy energy = identity.energy;
        check(energy.repeats() >= 1, identity, "repeats", "1 or more");
        check(energy.minimumMillis() >= 0, identity, "minimumMillis", "0 or more");
        check(energy.warmUps() >= 0, identity, "warmUps", "0 or more");
        check(energy.budgetJoules() >= 0, identity, "budgetJoules", "above 0, or 0 for none");
        check(energy.budgetRelative() >= 0, identity, "budgetRelative", "above 0, or 0 for none");
    }

    private static void check(boolean isGood, TestIdentity identity, String attribute, String wanted) {
        if (!isGood) {
            throw new ExtensionConfigurationException("@Energy of " + identity.className + "." + identity.testName
                    + ": " + attribute + " has to be " + wanted);
        }
    }

    private static void runUnmeasured(EnergyRun run, MeasuredTest test, TestBody body, String why) throws Throwable {
        test.fail("not measured: " + why);
        run.decide(test);
        endIfWanted(run, why);
        body.call();
    }

    /** Ends a test whose energy is not known, unless the user lets it run unmeasured. */
    private static void endIfWanted(EnergyRun run, String why) {
        switch (run.settings.missing) {
            case ABORT:
                throw new TestAbortedException("its energy cannot be measured: " + why);
            case FAIL:
                throw new AssertionError("its energy cannot be measured: " + why);
            default:
        }
    }

    private static void measure(EnergyRun run, MeasuredTest test, TestBody body) throws Throwable {
        try {
            warmUp(run, test, body);
            for (int i = 0; i < test.energy.repeats(); i++) {
                measureRepeat(run, test, body);
            }
        } catch (Throwable thrown) {
            test.fail(thrown instanceof TestAbortedException ? "the test was aborted" : "the test failed");
            throw thrown;
        }
    }

    private static void warmUp(EnergyRun run, MeasuredTest test, TestBody body) throws Throwable {
        if (test.energy.warmUps() == 0) {
            return;
        }
        CpuTimeline timeline = run.meter().timeline;
        CpuTimeline.Running running = timeline.begin(timeline.remainder(Remainder.WARM_UPS));
        try {
            for (int i = 0; i < test.energy.warmUps(); i++) {
                body.call();
            }
        } finally {
            timeline.end(running);
        }
    }

    private static void measureRepeat(EnergyRun run, MeasuredTest test, TestBody body) throws Throwable {
        CpuTimeline timeline = run.meter().timeline;
        Repeat repeat = test.newRepeat();
        CpuTimeline.Running running = timeline.begin(repeat.account);
        long begin = System.nanoTime();
        long minimum = test.energy.minimumMillis() * 1_000_000;
        long calls = 0;
        long duration;
        try {
            do {
                body.call();
                calls++;
                duration = System.nanoTime() - begin;
            } while (duration < minimum);
        } finally {
            timeline.end(running);
        }
        repeat.complete(calls, duration);
    }

    /** Shows the figure of a test; fails it if it is over its budget. */
    private static void finish(EnergyRun run, MeasuredTest test, ExtensionContext context) {
        String problem = run.meter().awaitCycle(System.nanoTime());
        if (!problem.isEmpty()) {
            test.fail("not measured: " + problem);
            endIfWanted(run, problem);
        }
        Verdict verdict = run.decide(test);
        Results results = run.results();
        context.publishReportEntry(entries(test, results));
        if (verdict.kind == Verdict.Kind.OVER) {
            throw new EnergyBudgetError(verdict.reason + ", " + results.basisAndMeter());
        }
    }

    private static Map<String, String> entries(MeasuredTest test, Results results) {
        Map<String, String> entries = new LinkedHashMap<>();
        entries.put("energy", results.describe(test));
        EnergyEstimate energy = test.estimate();
        if (energy != null) {
            entries.put("energy_j", String.valueOf(energy.meanJoules));
            if (energy.hasInterval()) {
                entries.put("energy_low_j", String.valueOf(energy.lowJoules()));
                entries.put("energy_high_j", String.valueOf(energy.highJoules()));
            }
            entries.put("energy_repeats", String.valueOf(energy.repeats));
        }
        entries.put("energy_basis", results.basisAndMeter());
        return entries;
    }
}
