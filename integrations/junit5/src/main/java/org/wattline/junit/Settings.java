package org.wattline.junit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Function;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The configuration parameters of the extension: properties of the system, of the launcher, or of
 * `junit-platform.properties`.
 */
final class Settings {
    /** What happens to tests that cannot be measured. */
    enum Missing { UNMEASURED, ABORT, FAIL }

    /** The program, if it is named; else it is searched. */
    final String program;
    final String tdp;
    final String meter;
    final double intervalSeconds;
    /** Whether the agent also measures the methods of this JVM. */
    final boolean methods;
    final Path results;
    /** The earlier figures; null if there are none. */
    final Path baseline;
    final Missing missing;

    private Settings(Function<String, String> parameter) {
        program = parameter.apply("wattline.program");
        tdp = number(parameter, "wattline.tdp");
        meter = parameter.apply("wattline.meter");
        String interval = number(parameter, "wattline.interval");
        intervalSeconds = interval == null ? 0.2 : Double.parseDouble(interval);
        if (intervalSeconds < 0.05 || intervalSeconds > 60) {
            throw wrong("wattline.interval", interval, "seconds from 0.05 to 60");
        }
        methods = isYes(parameter, "wattline.methods");
        results = Path.of(orElse(parameter.apply("wattline.results"), defaultFolder()));
        String earlier = parameter.apply("wattline.baseline");
        baseline = earlier == null ? null : readable(Path.of(earlier));
        missing = missing(orElse(parameter.apply("wattline.missing"), "unmeasured"));
    }

    static Settings of(ExtensionContext context) {
        return new Settings(key -> context.getConfigurationParameter(key).filter(value -> !value.isBlank())
                .orElse(null));
    }

    private static String orElse(String value, String other) {
        return value == null ? other : value;
    }

    private static String defaultFolder() {
        boolean isGradle = !Files.exists(Path.of("pom.xml"))
                && (Files.exists(Path.of("build.gradle")) || Files.exists(Path.of("build.gradle.kts")));
        return (isGradle ? "build" : "target") + "/wattline-junit";
    }

    private static Path readable(Path file) {
        if (!Files.isReadable(file)) {
            throw wrong("wattline.baseline", file.toString(), "the energy-tests.csv of an earlier run");
        }
        return file;
    }

    private static String number(Function<String, String> parameter, String key) {
        String value = parameter.apply(key);
        try {
            if (value != null && !(Double.parseDouble(value) > 0)) {
                throw wrong(key, value, "a number above 0");
            }
        } catch (NumberFormatException other) {
            throw wrong(key, value, "a number above 0");
        }
        return value;
    }

    private static boolean isYes(Function<String, String> parameter, String key) {
        String value = orElse(parameter.apply(key), "false");
        if (!value.equals("true") && !value.equals("false")) {
            throw wrong(key, value, "true or false");
        }
        return value.equals("true");
    }

    private static Missing missing(String value) {
        for (Missing one : Missing.values()) {
            if (one.name().equals(value.toUpperCase(Locale.ROOT))) {
                return one;
            }
        }
        throw wrong("wattline.missing", value, "unmeasured, abort or fail");
    }

    private static ExtensionConfigurationException wrong(String key, String value, String wanted) {
        return new ExtensionConfigurationException("wattline: " + key + "=" + value + ": the value has to be " + wanted);
    }

    /** Reads the figures of the earlier run. */
    Baseline readBaseline() {
        if (baseline == null) {
            return Baseline.NONE;
        }
        try {
            return Baseline.read(baseline);
        } catch (IOException | IllegalArgumentException problem) {
            throw new ExtensionConfigurationException(
                    "wattline: cannot read wattline.baseline=" + baseline + ": " + problem.getMessage(), problem);
        }
    }
}
