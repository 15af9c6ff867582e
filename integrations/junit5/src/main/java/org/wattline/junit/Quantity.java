package org.wattline.junit;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;

/** Figures as text: three digits, with a unit. */
final class Quantity {
    private static final String[] UNITS = {"J", "mJ", "\u00b5J", "nJ"};
    private static final MathContext THREE = new MathContext(3);

    private Quantity() {
    }

    static String joules(double joules) {
        int unit = unitOf(joules);
        return number(joules * Math.pow(1000, unit)) + " " + UNITS[unit];
    }

    /** Two figures in the unit of the larger one. */
    static String range(double lowJoules, double highJoules) {
        int unit = unitOf(Math.max(Math.abs(lowJoules), Math.abs(highJoules)));
        double scale = Math.pow(1000, unit);
        return number(lowJoules * scale) + " to " + number(highJoules * scale) + " " + UNITS[unit];
    }

    static String interval(EnergyEstimate energy) {
        return joules(energy.meanJoules) + " (" + EnergyEstimate.CONFIDENCE + " interval "
                + range(energy.lowJoules(), energy.highJoules()) + ")";
    }

    private static int unitOf(double joules) {
        double size = Math.abs(joules);
        int unit = 0;
        while (size != 0 && size < 0.9995 && unit < UNITS.length - 1) {
            size *= 1000;
            unit++;
        }
        return unit;
    }

    static String number(double value) {
        if (value == 0 || Double.isNaN(value) || Double.isInfinite(value)) {
            return value == 0 ? "0" : String.valueOf(value);
        }
        BigDecimal rounded = new BigDecimal(value).round(THREE);
        return rounded.scale() <= 0 ? rounded.toBigInteger().toString() : rounded.toPlainString();
    }

    static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", share * 100);
    }
}
