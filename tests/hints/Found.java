import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Places that hints are about; comments name the patterns of the hints that begin on a line. */
public class Found {
    private final int[] weights = {3, 1, 4, 1, 5};
    private float scale = 1.5f;

    void copies(int[] a, int[] b, FloatBuffer in, FloatBuffer out, List<String> to, String[] names) {
        for (int i = 0; i < a.length; i++) b[i] = a[i]; //~ bulk-copy loop-invariant
        for (int i = 0; i < in.limit(); i++) { //~ bulk-copy loop-invariant
            out.put(in.get(i));
        }
        for (int i = 0; i < names.length; i++) { //~ bulk-copy loop-invariant
            to.add(names[i]);
        }
        for (String name : names) { //~ bulk-copy
            to.add(name);
        }
    }

    int invariants(String text, List<Integer> numbers) {
        int sum = 0;
        for (int i = 0; i < text.length(); i++) { //~ loop-invariant
            sum += text.charAt(i);
        }
        int j = 0;
        while (j < numbers.size()) { //~ loop-invariant
            sum += numbers.get(j++);
        }
        return sum;
    }

    float fields(int n) {
        float sum = 0;
        for (int i = 0; i < n; i++) { //~ field-in-loop
            sum += weights[i % 5] * scale;
        }
        return sum;
    }

    String strings(int n) {
        String text = "";
        for (int i = 0; i < n; i++) { //~ string-in-loop
            text += i;
            text = text + "," + i;
        }
        return text;
    }

    int boxes(int n) {
        Integer sum = 0;
        for (int i = 0; i < n; i++) { //~ boxing-in-loop
            sum += i;
        }
        return sum;
    }

    int allocations(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            int[] pair = new int[2]; //~ allocation-in-loop
            pair[0] = i;
            pair[1] = i + 1;
            sum += pair[0] * pair[1];
            int[] counted = new int[3]; //~ allocation-in-loop
            counted[i % 3]++;
            sum += counted[0];
            StringBuilder text = new StringBuilder(); //~ allocation-in-loop
            text.append(i).append(sum);
            sum += text.toString().hashCode();
            Map<String, Integer> seen = new HashMap<>(); //~ allocation-in-loop
            seen.put("a", sum);
            sum += seen.size();
            int[] table = new int[] {2, 3, 5}; //~ allocation-in-loop
            sum += table[i % 3];
        }
        return sum;
    }

    int lists(ArrayList<String> names, List<String> others) {
        int sum = 0;
        for (String name : names) { //~ list-by-iterator
            sum += name.hashCode();
        }
        for (String name : others) { //~ list-by-iterator
            sum += name.hashCode();
        }
        return sum;
    }

    float conversions(float[] values) {
        float x = values[0];
        x *= 0.5; //~ float-and-double
        x = (float) (x + 0.1); //~ float-and-double
        values[0] = (float) (2.0 * values[1]); //~ float-and-double
        return x;
    }

    String buffers(int n, String name) {
        StringBuffer line = new StringBuffer(); //~ string-buffer
        line.append(name).append(n);
        StringBuilder text = new StringBuilder();
        text.append(name + "=" + n); //~ append-concatenation
        return text.append(line.length()).toString();
    }

    String[] expressions(String text) {
        if (text.matches("\\d+")) { //~ pattern-in-method
            return null;
        }
        Pattern words = Pattern.compile("\\s+"); //~ compile-in-method
        return words.split(text);
    }

    private int twice(int x) { //~ could-be-static
        return 2 * x;
    }

    int call(int x) {
        return twice(x);
    }
}
