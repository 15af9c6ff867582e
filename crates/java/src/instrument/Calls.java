// The run-time side of wattline's call-tree probe: blocks are counted per thread and per
// path of calls. Plain Java for JVM 8 and later, without dependencies. Made for one run on
// one machine. A thread counts every execution; on which path it was is noted for the first of
// each block, then for ever fewer of them at random, each of which stands for those since the
// one before. At exit it writes wattline-counts-N.csv as the other probes do,
// wattline-calls-N.txt, and wattline-counts-N.final after them, into the working directory or
// the folder named by the property wattline.out or the variable WATTLINE_OUT. With the property
// wattline.limit_ms, a program that still runs after that time is ended with code 98, and what
// it has done until then is written.
package @PACKAGE@;

import java.io.BufferedWriter;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

public final class W {
    private static final int BLOCKS = @BLOCKS@;
    /** Paths of calls that one thread may have; below the last ones, calls are not told apart. */
    private static final int NODES_MAX = 1 << 17;
    /** Threads that are told apart. */
    private static final int TREES_MAX = 4096;
    /** Samples of a block that a thread takes before it takes half as many; at first all. */
    private static final int SAMPLES = 1024;
    /** How often their number is halved at most. */
    private static final int HALVINGS_MAX = 20;
    private static final int OVER_TIME = 98;

    private static final List<Tree> TREES = new ArrayList<Tree>();
    /** Those of threads that may still run; guarded by TREES. */
    private static final List<Tree> OPEN = new ArrayList<Tree>();
    /** What threads did for which there was no more room; guarded by TREES. */
    private static long lost;

    private static final ThreadLocal<Tree> TREE = new ThreadLocal<Tree>() {
        @Override
        protected Tree initialValue() {
            return newTree(Thread.currentThread());
        }
    };
    /** The first thread to come here needs no look-up. */
    private static final Thread OWNER = Thread.currentThread();
    private static final Tree OWN = TREE.get();
    private static final int[] LEFT = OWN.left;
    /** The tree that was looked up often of late; a race costs a look-up, no more. */
    private static Tree recent = OWN;

    static {
        try {
            Runtime.getRuntime().addShutdownHook(new Thread(null, new Exit(), "wattline-exit"));
            long limit = limit();
            if (limit > 0) {
                Thread timer = new Thread(null, new Limit(limit), "wattline-limit");
                timer.setDaemon(true);
                timer.start();
            }
        } catch (IllegalStateException e) {
            // The virtual machine is on its way down.
        } catch (RuntimeException e) {
            System.err.println("wattline: calls can't be written: " + e.getMessage());
        }
    }

    private W() {
    }

    /** Writes all counts, for a system that ends its processes without a word. */
    public static void end() {
        new Exit().run();
    }

    /** A method begins; gives what to go back to at its end. */
    public static int i(int method) {
        Thread thread = Thread.currentThread();
        return (thread == OWNER ? OWN : tree(thread)).enter(method);
    }

    /** A method ends, in whatever way. Frames that could not end are put right here. */
    public static void o(int before) {
        Thread thread = Thread.currentThread();
        (thread == OWNER ? OWN : tree(thread)).depth = before;
    }

    /** One execution of block id. */
    public static void c(int id) {
        Thread thread = Thread.currentThread();
        if (thread != OWNER) {
            tree(thread).count(id);
            return;
        }
        int left = LEFT[id];
        if (left == 0) {
            OWN.sample(id);
        } else {
            LEFT[id] = left - 1;
        }
    }

@VALUES@
    private static Tree tree(Thread thread) {
        Tree last = recent;
        return last.thread == thread ? last : lookUp();
    }

    private static Tree lookUp() {
        Tree tree = TREE.get();
        // Often enough to follow the busiest thread, too seldom for threads that take turns to
        // hinder each other.
        if ((++tree.misses & 1023) == 0) {
            recent = tree;
        }
        return tree;
    }

    /** Threads that have ended give back what only a thread that runs needs. */
    private static Tree newTree(Thread thread) {
        synchronized (TREES) {
            Tree tree = new Tree(thread, TREES.size());
            for (int i = OPEN.size() - 1; i >= 0; i--) {
                if (OPEN.get(i).thread.getState() == Thread.State.TERMINATED) {
                    OPEN.remove(i).close();
                }
            }
            if (TREES.size() < TREES_MAX) {
                TREES.add(tree);
                OPEN.add(tree);
            } else {
                lost++;
            }
            return tree;
        }
    }

    /** Milliseconds after which the program is ended; 0 without a limit. */
    private static long limit() {
        try {
            return Long.getLong("wattline.limit_ms", 0);
        } catch (SecurityException e) {
            return 0;
        }
    }

    /** The paths of calls of one thread. Only the thread itself changes it while it runs. */
    private static final class Tree {
        final Thread thread;
        /** Methods that run, the outermost first, and what was there before further in. */
        int[] path = new int[64];
        int depth;
        /** The nodes of the first methods of the path: of so many. */
        Node[] at = new Node[64];
        int known;

        /** By block: executions until the next sample, and how many there were at the last one. */
        int[] left = new int[BLOCKS];
        int[] skipped = new int[BLOCKS];
        int[] samples = new int[BLOCKS];
        /** The node of the last sample. */
        Node[] last = new Node[BLOCKS];
        int random;

        Node[] nodes = new Node[64];
        int used = 1;
        /** Look-ups by its thread. */
        int misses;

        Tree(Thread thread, int number) {
            this.thread = thread;
            random = 0x9e3779b9 * (number + 1) | 1;
            nodes[0] = new Node(null, -1, 0);
        }

        int enter(int method) {
            int before = depth;
            if (before == path.length) {
                at = Arrays.copyOf(at, 2 * before);
                path = Arrays.copyOf(path, 2 * before);
            }
            if (path[before] != method) {
                path[before] = method;
                if (known > before) {
                    known = before;
                }
            }
            depth = before + 1;
            return before;
        }

        void count(int id) {
            int of = left[id];
            if (of == 0) {
                sample(id);
            } else {
                left[id] = of - 1;
            }
        }

        /**
         * One execution with its path, for those since the last one, too. If the stack overflows
         * in it, it has not happened.
         */
        void sample(int id) {
            Node here = here();
            here.count(id, skipped[id] + 1);
            last[id] = here;
            int halvings = samples[id]++ / SAMPLES;
            int skip = 0;
            if (halvings > 0) {
                // Uniform, such that one in 2^halvings is a sample: no rhythm of the program's.
                int some = random;
                some ^= some << 13;
                some ^= some >>> 17;
                some ^= some << 5;
                random = some;
                long most = (2L << (halvings < HALVINGS_MAX ? halvings : HALVINGS_MAX)) - 1;
                skip = (int) ((some & 0xffffffffL) * most >>> 32);
            }
            skipped[id] = skip;
            left[id] = skip;
        }

        /** The node of the path as it is now. */
        private Node here() {
            int to = depth;
            Node node = known == 0 ? nodes[0] : at[known - 1];
            for (int i = known; i < to; i++) {
                node = next(node, path[i]);
                at[i] = node;
                known = i + 1;
            }
            return to == 0 ? nodes[0] : at[to - 1];
        }

        /**
         * Where a call of a method leads. A method that runs already on this path is gone back
         * to, so that recursion makes no path longer.
         */
        private Node next(Node from, int method) {
            int found = from.find(method);
            if (found >= 0) {
                return from.next[found];
            }
            Node to = from;
            while (to != null && to.method != method) {
                to = to.parent;
            }
            if (to == null) {
                if (used == NODES_MAX) {
                    return from;
                }
                to = new Node(from, method, used);
                if (used == nodes.length) {
                    nodes = Arrays.copyOf(nodes, 2 * used);
                }
                nodes[used++] = to;
            }
            from.add(method, to);
            return to;
        }

        /** Executions since the last sample of a block, if that was there. */
        int since(int id, Node node) {
            int[] left = this.left;
            return left != null && last[id] == node ? Math.max(0, skipped[id] - left[id]) : 0;
        }

        /** Its thread has ended. */
        void close() {
            for (int id = 0; id < BLOCKS; id++) {
                int since = since(id, last[id]);
                if (since > 0) {
                    last[id].count(id, since);
                }
            }
            left = null;
            skipped = null;
            samples = null;
            last = null;
        }
    }

    /** A method on a path: how often its blocks ran there, and what it called. */
    private static final class Node {
        final Node parent;
        final int method;
        final int number;
        int[] called = new int[2];
        Node[] next = new Node[2];
        int calls;
        Counts counts = new Counts(8);
        int used;

        Node(Node parent, int method, int number) {
            this.parent = parent;
            this.method = method;
            this.number = number;
        }

        int find(int callee) {
            for (int i = 0; i < calls; i++) {
                if (called[i] == callee) {
                    return i;
                }
            }
            return -1;
        }

        void add(int callee, Node to) {
            if (calls == called.length) {
                next = Arrays.copyOf(next, 2 * calls);
                called = Arrays.copyOf(called, 2 * calls);
            }
            called[calls] = callee;
            next[calls++] = to;
        }

        /** So many executions of a block, of which one is known to have been here. */
        void count(int block, int weight) {
            int at = counts.place(block + 1);
            if (counts.blocks[at] == 0) {
                if (2 * ++used > counts.blocks.length) {
                    counts = counts.larger();
                    at = counts.place(block + 1);
                }
                counts.blocks[at] = block + 1;
            }
            counts.spread[at] += (double) weight * (weight - 1);
            counts.executions[at] += weight;
        }
    }

    /** Blocks, each at the first free place from its hash on; one more than the id, 0 is free. */
    private static final class Counts {
        final int[] blocks;
        final long[] executions;
        /** Sum of w (w - 1) over samples that stand for w executions. */
        final double[] spread;

        Counts(int size) {
            blocks = new int[size];
            executions = new long[size];
            spread = new double[size];
        }

        int place(int key) {
            int mask = blocks.length - 1;
            int at = key * 0x9e3779b9 >>> 7 & mask;
            while (blocks[at] != 0 && blocks[at] != key) {
                at = at + 1 & mask;
            }
            return at;
        }

        Counts larger() {
            Counts larger = new Counts(2 * blocks.length);
            for (int i = 0; i < blocks.length; i++) {
                if (blocks[i] != 0) {
                    int at = larger.place(blocks[i]);
                    larger.blocks[at] = blocks[i];
                    larger.executions[at] = executions[i];
                    larger.spread[at] = spread[i];
                }
            }
            return larger;
        }
    }

    /** Ends a program that takes too long. */
    private static final class Limit implements Runnable {
        private final long limit;

        Limit(long limit) {
            this.limit = limit;
        }

        @Override
        public void run() {
            try {
                Thread.sleep(limit);
            } catch (InterruptedException e) {
                return;
            }
            if (new Exit().write(true)) {
                Runtime.getRuntime().halt(OVER_TIME);
            }
        }
    }

    /** Writes what was counted. */
    private static final class Exit implements Runnable {
        private static final File FOLDER = folder();

        private static boolean written;

        @Override
        public void run() {
            write(false);
        }

        /** Once; the application's threads may go on meanwhile. */
        boolean write(boolean isOverTime) {
            List<Tree> trees;
            synchronized (TREES) {
                if (written) {
                    return false;
                }
                written = true;
                trees = new ArrayList<Tree>(TREES);
            }
            try {
                long[] total = new long[BLOCKS];
                Writer out = open(own("calls-", ".txt"));
                try {
                    out.write("wattline-calls 2\n");
                    if (isOverTime) {
                        out.write("over time\n");
                    }
                    for (Tree tree : trees) {
                        write(tree, total, out);
                    }
                    out.write("lost " + lost + "\nend\n");
                } finally {
                    out.close();
                }
                writeCounts(total);
                own("counts-", ".final").createNewFile();
            } catch (Exception e) {
                System.err.println("wattline: calls can't be written: " + e.getMessage());
            }
            return true;
        }

        private static void write(Tree tree, long[] total, Writer out) throws IOException {
            out.write("thread " + escaped(tree.thread.getName()) + '\n');
            Node[] nodes = tree.nodes;
            for (int i = 0; i < Math.min(tree.used, nodes.length) && nodes[i] != null; i++) {
                Node node = nodes[i];
                out.write("node " + (node.parent == null ? -1 : node.parent.number) + ' ' + node.method + '\n');
                Counts counts = node.counts;
                for (int k = 0; k < counts.blocks.length; k++) {
                    int block = counts.blocks[k] - 1;
                    if (block >= 0 && counts.executions[k] > 0) {
                        // A path goes on from its last sample until the next one.
                        long executions = counts.executions[k] + tree.since(block, node);
                        long spread = (long) counts.spread[k];
                        out.write(block + " " + executions + (spread > 0 ? " " + spread : "") + '\n');
                        total[block] += executions;
                    }
                }
            }
        }

@OWN@
        private static void writeCounts(long[] total) throws IOException {
            Writer out = open(own("counts-", ".csv"));
            try {
                out.write("block,executions\n");
                for (int i = 0; i < total.length; i++) {
                    if (total[i] != 0) {
                        out.write(i + "," + total[i] + '\n');
                    }
                }
            } finally {
                out.close();
            }
        }

        private static Writer open(File file) throws IOException {
            return new BufferedWriter(new OutputStreamWriter(new FileOutputStream(file), "UTF-8"));
        }

        /** A name in one line: control characters and backslashes by their numbers. */
        private static String escaped(String name) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < name.length(); i++) {
                char c = name.charAt(i);
                if (c < ' ' || c == '\\' || c == 127 || Character.isSurrogate(c) || c == 0x85 || c == 0x2028 || c == 0x2029) {
                    text.append("\\u").append(String.format("%04x", (int) c));
                } else {
                    text.append(c);
                }
            }
            return text.toString();
        }

        private static File folder() {
            String name;
            try {
                name = System.getProperty("wattline.out");
                if (name == null) {
                    name = System.getenv("WATTLINE_OUT");
                }
            } catch (SecurityException e) {
                name = null;
            }
            return new File(name == null ? "." : name);
        }
    }
}
