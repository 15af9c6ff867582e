package org.wattline.junit;

/** A test needs more energy than its budget: the interval lies above it. */
public final class EnergyBudgetError extends AssertionError {
    private static final long serialVersionUID = 1;

    EnergyBudgetError(String message) {
        super(message);
    }
}
