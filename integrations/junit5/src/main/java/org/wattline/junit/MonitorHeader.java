package org.wattline.junit;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** What `monitor.toml` of a recording contains: the meter, its basis, notes and complete cycles. */
final class MonitorHeader {
    int cycles;
    private boolean isVirtual;
    private final List<String> names = new ArrayList<>();
    private final List<String> bases = new ArrayList<>();
    /** One sentence for each formula. */
    final List<String> descriptions = new ArrayList<>();
    final List<String> notes = new ArrayList<>();

    static MonitorHeader parse(String toml) {
        MonitorHeader header = new MonitorHeader();
        for (String line : toml.split("\n")) {
            int equals = line.indexOf(" = ");
            if (equals > 0) {
                header.set(line.substring(0, equals).trim(), line.substring(equals + 3).trim());
            }
        }
        return header;
    }

    private void set(String key, String value) {
        switch (key) {
            case "cycles":
                cycles = Integer.parseInt(value);
                break;
            case "is_virtual":
                isVirtual = value.equals("true");
                break;
            case "name":
                names.addAll(strings(value));
                break;
            case "basis":
                bases.addAll(strings(value));
                break;
            case "from":
                descriptions.addAll(strings(value));
                break;
            case "notes":
                notes.addAll(strings(value));
                break;
            default:
        }
    }

    /** Whether the figures are measured, estimated by a model, or simulated. */
    String basis() {
        if (isVirtual) {
            return "simulated";
        }
        return !bases.isEmpty() && bases.stream().allMatch("measured"::equals) ? "measured" : "estimated";
    }

    String meter() {
        return names.stream().distinct().collect(Collectors.joining("+"));
    }

    /** The strings of a TOML value: one, or an array of them. */
    private static List<String> strings(String value) {
        List<String> found = new ArrayList<>();
        int at = 0;
        while (at < value.length()) {
            char quote = value.charAt(at++);
            if (quote != '"' && quote != '\'') {
                continue;
            }
            StringBuilder text = new StringBuilder();
            while (at < value.length() && value.charAt(at) != quote) {
                boolean isEscaped = quote == '"' && value.charAt(at) == '\\' && at + 1 < value.length();
                at += isEscaped ? 1 : 0;
                text.append(value.charAt(at++));
            }
            at++;
            found.add(text.toString());
        }
        return found;
    }
}
