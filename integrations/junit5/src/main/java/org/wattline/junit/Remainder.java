package org.wattline.junit;

/** Energy of the process that belongs to no test. */
enum Remainder {
    WARM_UPS("(warm-ups of tests)"),
    SHARED("(threads without a test, while several tests ran)"),
    GARBAGE_COLLECTION("(GC and VM thread)"),
    COMPILER("(JIT compiler)"),
    JVM("(other threads of the JVM)"),
    WATTLINE("(wattline in this JVM)"),
    OUTSIDE("(JUnit, set-up, tear-down, tests without @Energy)");

    final String label;

    Remainder(String label) {
        this.label = label;
    }
}
