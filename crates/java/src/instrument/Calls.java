// The run-time side of wattline's call-tree probe: blocks are counted per thread and per
// path of calls. Plain Java for JVM 8 and later, without dependencies. Made for one run on
// one machine, not for speed. At exit it writes wattline-counts-N.csv as the other probes do,
// wattline-calls-N.txt, and wattline-counts-N.final after them, into the working directory or
// the folder named by the property wattline.out or the variable WATTLINE_OUT.
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

    private static final List<Tree> TREES = new ArrayList<Tree>();
    /** What threads did for which there was no more room; guarded by TREES. */
    private static long lost;

    private static final ThreadLocal<Tree> TREE = new ThreadLocal<Tree>() {
        @Override
        protected Tree initialValue() {
            Tree tree = new Tree(Thread.currentThread());
            synchronized (TREES) {
                if (TREES.size() < TREES_MAX) {
                    TREES.add(tree);
                } else {
                    lost++;
                }
            }
            return tree;
        }
    };

    static {
        try {
            Runtime.getRuntime().addShutdownHook(new Thread(null, new Exit(), "wattline-exit"));
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
        Tree tree = TREE.get();
        int before = tree.here.number;
        tree.here = tree.next(method);
        return before;
    }

    /** A method ends, in whatever way. Frames that could not end are put right here. */
    public static void o(int before) {
        Tree tree = TREE.get();
        tree.here = tree.nodes[before];
    }

    /** One execution of block id. */
    public static void c(int id) {
        TREE.get().here.count(id);
    }

@VALUES@
    /** The paths of calls of one thread. */
    private static final class Tree {
        final Thread thread;
        Node[] nodes = new Node[64];
        int used = 1;
        Node here;

        Tree(Thread thread) {
            this.thread = thread;
            here = new Node(null, -1, 0);
            nodes[0] = here;
        }

        /**
         * Where a call of a method leads from here. A method that runs already on this path
         * is gone back to, so that recursion makes no path longer.
         */
        Node next(int method) {
            Node from = here;
            int at = from.find(method);
            if (at >= 0) {
                return from.next[at];
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
    }

    /** A method on a path: how often its blocks ran there, and what it called. */
    private static final class Node {
        final Node parent;
        final int method;
        final int number;
        int[] called = new int[2];
        Node[] next = new Node[2];
        int calls;
        /** Blocks, each at the first free place from its hash on; one more than the id, 0 is free. */
        int[] blocks = new int[8];
        long[] counts = new long[8];
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

        void count(int block) {
            int at = place(blocks, block + 1);
            if (blocks[at] == 0) {
                if (2 * ++used > blocks.length) {
                    grow();
                    at = place(blocks, block + 1);
                }
                blocks[at] = block + 1;
            }
            counts[at]++;
        }

        private static int place(int[] blocks, int key) {
            int mask = blocks.length - 1;
            int at = key * 0x9e3779b9 >>> 7 & mask;
            while (blocks[at] != 0 && blocks[at] != key) {
                at = at + 1 & mask;
            }
            return at;
        }

        private void grow() {
            int[] larger = new int[2 * blocks.length];
            long[] moved = new long[larger.length];
            for (int i = 0; i < blocks.length; i++) {
                if (blocks[i] != 0) {
                    int at = place(larger, blocks[i]);
                    larger[at] = blocks[i];
                    moved[at] = counts[i];
                }
            }
            counts = moved;
            blocks = larger;
        }
    }

    /** Writes what was counted. */
    private static final class Exit implements Runnable {
        private static final File FOLDER = folder();

        @Override
        public void run() {
            List<Tree> trees;
            synchronized (TREES) {
                trees = new ArrayList<Tree>(TREES);
            }
            try {
                long[] total = new long[BLOCKS];
                Writer out = open(own("calls-", ".txt"));
                try {
                    out.write("wattline-calls 1\n");
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
        }

        private static void write(Tree tree, long[] total, Writer out) throws IOException {
            out.write("thread " + escaped(tree.thread.getName()) + '\n');
            for (int i = 0; i < tree.used; i++) {
                Node node = tree.nodes[i];
                out.write("node " + (node.parent == null ? -1 : node.parent.number) + ' ' + node.method + '\n');
                int[] blocks = node.blocks;
                long[] counts = node.counts;
                for (int k = 0; k < Math.min(blocks.length, counts.length); k++) {
                    if (blocks[k] != 0) {
                        out.write(blocks[k] - 1 + " " + counts[k] + '\n');
                        total[blocks[k] - 1] += counts[k];
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
