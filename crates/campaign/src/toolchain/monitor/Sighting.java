package wattline.monitor.service;

/** A sample: which thread was seen, and where. */
final class Sighting {
    /** The JVM's number of the thread, and the system's. */
    final long thread;
    final long system;
    /** Threads whose names differ by numbers alone do the same, as far as nobody knows better. */
    final String kin;
    /** Whether it is a virtual thread: its CPU time is its carrier's. */
    final boolean isVirtual;
    /** Its place in the tree of calls. */
    final int node;

    Sighting(long thread, long system, String name, boolean isVirtual, int node) {
        this.thread = thread;
        this.system = system;
        this.kin = kin(name);
        this.isVirtual = isVirtual;
        this.node = node;
    }

    static String kin(String name) {
        return name == null ? "" : name.replaceAll("[0-9]+", "#");
    }
}
