import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** A program whose loops hints can change without a person: it must print the same after. */
public class AutomaticFixes {
    private final int[] weights = {3, 1, 4, 1, 5};
    private final String text = "the quick brown fox";
    private float scale = 1.5f;
    private final FloatBuffer vertices = FloatBuffer.allocate(60);
    private final FloatBuffer out = FloatBuffer.allocate(60);
    private int verticesLimit = 7;

    public static void main(String[] arguments) {
        AutomaticFixes all = new AutomaticFixes();
        System.out.println(all.invariants(new ArrayList<>(Arrays.asList(1, 2, 3))));
        System.out.println(all.fields(9) + " " + all.fields(0));
        System.out.println(all.blit());
        int[] a = {1, 2, 3, 4, 5};
        System.out.println(Arrays.toString(all.arrays(a, 5)) + Arrays.toString(all.arrays(a, -3)));
        System.out.println(all.lists(new String[] {"x", "y", "z"}));
        System.out.println(all.nested(4) + all.verticesLimit);
        System.out.println(all.labelled(a));
        System.out.println(all.buffers(7, "name", null));
        System.out.println(all.tried("ab") + all.tried("a") + all.later);
        System.out.println(Arrays.toString(all.expressions("a1b, c22 d  e")));
        System.out.println(new Inner().clean(" x\t y "));
    }

    private int invariants(List<Integer> numbers) {
        int sum = 0;
        for (int i = 0; i < text.length(); i++) {
            sum += text.charAt(i) * weights.length;
        }
        for (int i = 0; i < numbers.size(); i++)
            for (int j = 0; j < numbers.size(); j++) sum += numbers.get(i) * numbers.get(j);
        int k = 0;
        do {
            sum += k;
        } while (++k < numbers.size());
        if (sum > 0) while (k < text.length()) k++;
        switch (k) {
            case 19:
                for (int i = 0; i < weights.length; i++) sum += weights[i];
                break;
            default:
                sum = 0;
        }
        return sum + k;
    }

    private float fields(int n) {
        float sum = 0;
        for (int i = 0; i < n; i++) {
            sum += weights[i % 5] * scale + this.scale;
        }
        for (int i = 0; i < n; i++) {
            float localScale = i;
            sum += scale * localScale;
        }
        return sum;
    }

    private float blit() {
        vertices.clear();
        for (int i = 0; i < 60; i++) vertices.put(i * 0.5f);
        vertices.flip();
        FloatBuffer vertices = this.vertices;
        FloatBuffer out = this.out;
        out.clear();
        for (int i = 0; i < vertices.limit(); i = i + 3) {
            out.put(vertices.get(i));
            out.put(vertices.get(i + 1));
            out.put(vertices.get(i + 2));
        }
        float[] read = new float[20];
        for (int i = 2; i < 20; i++) {
            read[i] = vertices.get(i);
        }
        out.flip();
        float[] more = {8, 9};
        out.limit(60);
        out.position(50);
        for (int i = 0; i < more.length; i++) out.put(more[i]);
        float sum = out.position();
        out.rewind();
        for (int i = 0; i < out.limit(); i++) sum = sum * 0.5f + out.get(i);
        return sum + read[19] + read[1];
    }

    private int[] arrays(int[] from, int n) {
        int[] to = new int[9];
        int start = 1;
        for (int i = start; i < n - 1; i++) to[i] = from[i + 1];
        if (n > 0) for (int i = 0; i <= n - 1; i++) { to[i + 4] = from[i]; }
        else for (int i = 0; i < n; i++) to[i] = from[i];
        return to;
    }

    private List<String> lists(String[] names) {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < names.length; i++) all.add(names[i]);
        List<String> rest = new ArrayList<>();
        for (int i = 1; i < 3; i++) rest.add(all.get(i));
        for (String name : names) rest.add(name);
        for (String name : rest) {
            all.add(name);
        }
        return all;
    }

    private int nested(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < text.length(); j++) {
                sum += weights[j % weights.length] + verticesLimit;
            }
        }
        for (int i = 0; i < text.length(); i++) sum++;
        return sum;
    }

    private int labelled(int[] numbers) {
        int sum = 0;
        outer:
        for (int i = 0; i < numbers.length; i++) {
            for (int j = 0; j < numbers.length; j++) {
                if (numbers[j] > 3) continue outer;
                sum += numbers[i] * weights[j];
            }
        }
        return sum;
    }

    private String buffers(int n, String name, String none) {
        StringBuffer line = new StringBuffer(), other = new StringBuffer("other");
        java.lang.StringBuffer text = new java.lang.StringBuffer(16);
        StringBuffer later = null;
        for (char c = 'a'; c < 'e'; c++) text.append(c).append((int) c).append(',');
        text.setLength(text.length() - 1);
        line.append(name + n + 'c' + none).append(n + n + "sum" + 1.5f).append("" + n);
        StringBuilder longer = new StringBuilder();
        longer.append(name + n + 'c' + none).append(n + n + "sum" + 1.5f).append("" + n);
        line.append(longer);
        if (later == null) later = new StringBuffer();
        later.append("a" + "b" + name() + 2L + true).reverse();
        StringBuilder built = new StringBuilder();
        built.append(n + 'c' + "x" + 'c' + n + (char) (n + 60))
                .append(name + "," +
                        n + "\n");
        text.append(other).append(built.toString() + this.weights.length);
        return text.toString() + line + later.toString();
    }

    private String name() {
        return "called";
    }

    private final List<StringBuffer> later = new ArrayList<>();

    /** The builder is looked at after a part threw. */
    private String tried(String text) {
        StringBuffer seen = new StringBuffer("seen");
        later.add(seen);
        seen.append(text + weights.length);
        StringBuilder built = new StringBuilder();
        try {
            built.append(text + text.charAt(1));
        } catch (StringIndexOutOfBoundsException e) {
            built.append('!');
        }
        return built.toString();
    }

    private String[] expressions(String text) {
        String cleaned = text.replaceAll("[0-9]+", "#").replaceAll(", *", ";").replaceFirst("a", "$0$0");
        Pattern words = Pattern.compile("\\s+", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
        List<String> all = new ArrayList<>(Arrays.asList(words.split(cleaned)));
        all.addAll(Arrays.asList(text.split("[ ,]+")));
        all.addAll(Arrays.asList(text.split("[ ,]+", 2)));
        all.add("" + text.matches("a.*e") + Pattern.matches("[a-z]", text));
        return all.toArray(new String[0]);
    }

    static class Inner {
        class Innermost {
            String trim(String text) {
                return text.replaceAll("^ +| +$", "");
            }
        }

        String clean(String text) {
            return new Innermost().trim(text).replaceAll("\t", "<tab>");
        }
    }
}
