package wattline.monitor.service;

import java.util.Properties;

/** Which classes take part, by prefixes of their names. */
final class Filter {
    /** The platform's own: where they are named alone; `java.` and this agent's: never. */
    private static final String[] PLATFORM = {
        "java.", "javax.", "jdk.", "sun.", "com.sun.", "wattline.monitor.", "org.objectweb.asm.",
    };

    private final String[] included;
    private final String[] excluded;

    Filter(Properties settings) {
        included = words(settings.getProperty("include", ""));
        excluded = words(settings.getProperty("exclude", ""));
    }

    private static String[] words(String text) {
        return text.trim().isEmpty() ? new String[0] : text.trim().split("[,\\s]+");
    }

    /** Whether a class, by its binary name, takes part. */
    boolean accepts(String name) {
        if (begins(name, PLATFORM) && !(included.length > 0 && begins(name, included) && !name.startsWith("wattline.monitor.") && !name.startsWith("java."))) {
            return false;
        }
        return (included.length == 0 || begins(name, included)) && !begins(name, excluded);
    }

    private static boolean begins(String name, String[] prefixes) {
        for (String prefix : prefixes) {
            if (name.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }
}
