package org.wattline.junit;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A test and its repeats: a row of the results. */
final class MeasuredTest {
    final String className;
    /** The method, and the display name of an invocation that has one of its own. */
    final String testName;
    final Energy energy;
    private final List<Repeat> repeats = new ArrayList<>();
    private String problem = "";
    private int invocations;
    private Verdict verdict = Verdict.NO_BUDGET;

    MeasuredTest(String className, String testName, Energy energy) {
        this.className = className;
        this.testName = testName;
        this.energy = energy;
    }

    String name() {
        return className + "." + testName;
    }

    synchronized Repeat newRepeat() {
        Repeat repeat = new Repeat();
        repeats.add(repeat);
        return repeat;
    }

    /** All repeats, also those that an exception ended: their energy belongs to the test, too. */
    synchronized List<Repeat> repeats() {
        return new ArrayList<>(repeats);
    }

    /** Counts an invocation by JUnit; gives how many there were. */
    synchronized int countInvocation() {
        return ++invocations;
    }

    /** Why there is no figure; empty if there is one. */
    synchronized String problem() {
        return problem;
    }

    /** Keeps the first problem. */
    synchronized void fail(String why) {
        if (problem.isEmpty()) {
            problem = why;
        }
    }

    /** The energy of an invocation; null if there is no figure. */
    synchronized EnergyEstimate estimate() {
        List<Double> joules = repeats.stream().filter(Repeat::isComplete).map(Repeat::joulesPerCall)
                .collect(Collectors.toList());
        return problem.isEmpty() && !joules.isEmpty() ? EnergyEstimate.of(joules) : null;
    }

    synchronized Verdict verdict() {
        return verdict;
    }

    /** Compares the figure with the budgets. */
    synchronized Verdict decide(Baseline baseline, MonitorHeader meter) {
        EnergyEstimate estimate = estimate();
        boolean hasBudget = energy.budgetJoules() > 0 || energy.budgetRelative() > 0;
        if (!hasBudget) {
            return verdict;
        }
        if (estimate == null) {
            verdict = Verdict.undecided("no figure: " + problem);
            return verdict;
        }
        Verdict ofJoules = energy.budgetJoules() > 0
                ? Verdict.ofJoules(estimate, energy.budgetJoules()) : Verdict.NO_BUDGET;
        Verdict ofRatio = energy.budgetRelative() > 0
                ? baseline.verdict(name(), estimate, energy.budgetRelative(), meter) : Verdict.NO_BUDGET;
        verdict = ofJoules.and(ofRatio);
        return verdict;
    }

    /** Calls of the body in all complete repeats. */
    long calls() {
        return repeats().stream().mapToLong(Repeat::calls).sum();
    }

    double seconds() {
        return repeats().stream().mapToDouble(Repeat::seconds).sum();
    }

    double cpuSeconds() {
        return repeats().stream().mapToDouble(repeat -> repeat.account.cpuSeconds()).sum();
    }

    /** What the reader has to know of the figure; empty if nothing. */
    String note(double intervalSeconds) {
        if (!problem().isEmpty()) {
            return problem();
        }
        List<String> notes = new ArrayList<>();
        EnergyEstimate estimate = estimate();
        if (estimate != null && !estimate.hasInterval()) {
            notes.add("one run has no interval");
        }
        if (repeats().stream().filter(Repeat::isComplete).anyMatch(repeat -> repeat.seconds() < intervalSeconds)) {
            notes.add("a repeat is shorter than a cycle of the meter: set minimumMillis");
        }
        return String.join("; ", notes);
    }
}
