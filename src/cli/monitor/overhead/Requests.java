import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A program that does what a server does for requests, without a network: it searches, counts,
 * sorts and renders text, in a pool of two threads. It prints when it starts and, at its end, the
 * mean time of the requests in the second half.
 */
public final class Requests {
    private static final int ITEMS = 400;
    private static final int SHOWN = 20;
    private static final int THREADS = 2;

    private final List<String> items = new ArrayList<>();

    private Requests() {
        Random random = new Random(1);
        for (int i = 0; i < ITEMS; i++) {
            StringBuilder name = new StringBuilder();
            for (int word = 0; word < 6; word++) {
                name.append(Integer.toString(random.nextInt(46_656), 36)).append(' ');
            }
            items.add(name.toString().trim());
        }
    }

    private int rank(String item, String query) {
        int rank = 0;
        for (String word : item.split(" ")) {
            rank += word.contains(query) ? 100 - word.length() : 0;
        }
        return rank;
    }

    private Map<String, Integer> search(String query) {
        Map<String, Integer> ranks = new HashMap<>();
        for (String item : items) {
            int rank = rank(item, query);
            if (rank > 0) {
                ranks.merge(item, rank, Integer::sum);
            }
        }
        return ranks;
    }

    private String render(Map<String, Integer> ranks) {
        List<Map.Entry<String, Integer>> sorted = new ArrayList<>(ranks.entrySet());
        sorted.sort((a, b) -> b.getValue() - a.getValue());
        StringBuilder page = new StringBuilder();
        for (Map.Entry<String, Integer> one : sorted.subList(0, Math.min(SHOWN, sorted.size()))) {
            page.append("<li>").append(one.getKey()).append("</li>\n");
        }
        return page.toString();
    }

    private int request(int number) {
        return render(search(Integer.toString(number % 36, 36))).length();
    }

    private static long serve(Requests shop, int from, int to) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(THREADS);
        List<java.util.concurrent.Future<Integer>> answers = new ArrayList<>();
        for (int i = from; i < to; i++) {
            int number = i;
            answers.add(pool.submit(() -> shop.request(number)));
        }
        long length = 0;
        for (java.util.concurrent.Future<Integer> answer : answers) {
            length += answer.get();
        }
        pool.shutdown();
        return length;
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println("started");
        int count = Integer.parseInt(arguments[0]);
        Requests shop = new Requests();
        long length = serve(shop, 0, count / 2);
        long begin = System.nanoTime();
        length += serve(shop, count / 2, count);
        double seconds = (System.nanoTime() - begin) * 1e-9 / (count - count / 2);
        System.out.println("characters " + length);
        System.out.println("request " + seconds);
    }
}
