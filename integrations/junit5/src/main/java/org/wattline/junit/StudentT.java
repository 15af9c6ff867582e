package org.wattline.junit;

/** Student's t distribution. */
final class StudentT {
    private static final double[] LANCZOS = {
        676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
        -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7};
    private static final int MOST_TERMS = 500;

    private StudentT() {
    }

    /** The 97.5 % quantile: half the width of a 95 % interval in standard errors. */
    static double quantile975(double degreesOfFreedom) {
        double low = 0;
        double high = 1e6;
        for (int i = 0; i < 200; i++) {
            double middle = (low + high) / 2;
            if (upperTail(middle, degreesOfFreedom) > 0.025) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return (low + high) / 2;
    }

    private static double upperTail(double t, double degreesOfFreedom) {
        double x = degreesOfFreedom / (degreesOfFreedom + t * t);
        return incompleteBeta(x, degreesOfFreedom / 2, 0.5) / 2;
    }

    /** The regularised incomplete beta function. */
    private static double incompleteBeta(double x, double a, double b) {
        if (x <= 0 || x >= 1) {
            return x <= 0 ? 0 : 1;
        }
        double logFactor = a * Math.log(x) + b * Math.log1p(-x) + logGamma(a + b) - logGamma(a) - logGamma(b);
        boolean isDirect = x < (a + 1) / (a + b + 2);
        double part = isDirect
                ? Math.exp(logFactor) / (a * continuedFraction(x, a, b))
                : Math.exp(logFactor) / (b * continuedFraction(1 - x, b, a));
        return isDirect ? part : 1 - part;
    }

    /** The denominator of the continued fraction, by the method of Lentz. */
    private static double continuedFraction(double x, double a, double b) {
        double fraction = 1;
        double c = 1;
        double d = 0;
        for (int i = 1; i < MOST_TERMS; i++) {
            int m = i / 2;
            double term = i % 2 == 0
                    ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
                    : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
            d = 1 / (1 + term * d);
            c = 1 + term / c;
            fraction *= c * d;
            if (Math.abs(c * d - 1) < 1e-15) {
                break;
            }
        }
        return fraction;
    }

    private static double logGamma(double x) {
        double sum = 0.99999999999980993;
        for (int i = 0; i < LANCZOS.length; i++) {
            sum += LANCZOS[i] / (x + i);
        }
        double t = x + LANCZOS.length - 1.5;
        return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
    }
}
