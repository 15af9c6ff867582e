import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;

/** Places that look alike, where the rewrite would do something else: no hint. */
public class NotFound {
    private int count;
    private volatile int seen;
    private boolean stop;
    private int[] kept;

    void copies(byte[] bytes, int[] ints, List<Integer> boxes, IntBuffer out, List<Float> floats) {
        for (int i = 0; i < 4; i++) ints[i] = bytes[i];
        for (int i = 0; i < 4; i++) boxes.add(ints[i]);
        for (int i = 0; i < next(); i++) ints[i + 1] = ints[i];
        for (int i = 0; i < 4; i++) out.put(boxes.get(i));
        int i;
        for (i = 0; i < 4; i++) ints[i] = kept[i]; //~ field-in-loop
        count = i;
    }

    void copyTo(Iterable<String> from, List<String> to) {
        for (String s : from) {
            to.add(s);
        }
    }

    int next() {
        return count++;
    }

    void changed(List<String> names, StringBuilder text, FloatBuffer buffer) {
        for (int i = 0; i < names.size(); i++) {
            names.remove(i);
        }
        for (int i = 0; i < text.length(); i++) {
            text.append('x');
        }
        for (int i = 0; i < buffer.limit(); i++) {
            buffer.limit(i);
        }
        for (int i = 0; i < names.size(); i++) {
            fill(names);
        }
        for (Iterator<String> all = names.iterator(); names.size() > 3; ) {
            all.next();
            all.remove();
        }
    }

    void fill(List<String> names) {
        names.add("more");
    }

    void fields(int n) {
        for (int i = 0; i < n; i++) {
            count += i * seen;
        }
        while (!stop) {
            Thread.yield();
        }
    }

    String strings(int n, List<String> all) {
        String text = "";
        for (int i = 0; i < n; i++) {
            text += i;
            all.add(text);
        }
        for (int i = 0; i < n; i++) {
            String line = "a";
            line += i;
            all.add(line);
        }
        return text;
    }

    Integer boxes(int n) {
        Integer last = null;
        for (int i = 0; i < n; i++) {
            last = i;
        }
        return last;
    }

    int[] allocations(int n, List<int[]> all) throws Exception {
        int[] best = null;
        for (int i = 0; i < n; i++) {
            int[] pair = new int[2];
            all.add(pair);
            int[] other = new int[2];
            best = other;
            int[] grown = new int[i];
            grown[0] = 1;
            List<String> names = new ArrayList<>();
            kept = new int[names.size()];
            Callable<List<String>> later = () -> names;
            later.call();
        }
        return best;
    }

    int sets(Set<String> names, LinkedList<String> others) {
        int sum = 0;
        for (String name : names) {
            sum += name.hashCode();
        }
        for (String name : others) {
            sum += name.hashCode();
        }
        return sum;
    }

    double conversions(float x, double y) {
        y *= 0.5;
        x *= 0.5f;
        return Math.sqrt(x * 0.5) + y;
    }

    StringBuffer buffers(int n, char[] chars, CharSequence more) {
        StringBuffer returned = new StringBuffer();
        StringBuffer shared = new StringBuffer();
        returned.append(shared);
        returned.append("a" + "b").append(n + n).append("c" + chars).append(more + "d");
        shared.append(more.toString() + n);
        return returned;
    }

    String[] expressions(String text, String regex) {
        text = text.replaceAll(regex, "").replace("a", "b");
        return text.split(",");
    }

    private int own() {
        return count;
    }

    private int ofOther() {
        return own() + next();
    }

    static int notPrivate() {
        return 1;
    }

    class Inner {
        private int inner(int x) {
            return x;
        }

        int go() {
            return inner(3);
        }
    }

    int call() {
        return own() + ofOther() + new Inner().go();
    }
}
