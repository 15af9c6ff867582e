import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * A small shop on Jetty, to be monitored: `/hello` answers a word, `/search?q=WORD` looks
 * for a word in the catalogue, ranks what it finds and renders a page of it.
 */
public final class Shop extends Handler.Abstract {
    private static final String[] WORDS = ("red green blue small large old new wooden iron light heavy round square "
            + "chair table lamp clock book shelf door window box cup plate spoon").split(" ");

    private record Item(int number, String name, String text, int cents) {
    }

    private record Hit(Item item, double score) {
    }

    private final List<Item> items = new ArrayList<>();

    private Shop() {
        Random random = new Random(1);
        for (int number = 0; number < 600; number++) {
            items.add(new Item(number, words(random, 3), words(random, 12), 100 + random.nextInt(9900)));
        }
    }

    private static String words(Random random, int count) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.append(i == 0 ? "" : " ").append(WORDS[random.nextInt(WORDS.length)]);
        }
        return text.toString();
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        String path = Request.getPathInContext(request);
        String page = path.equals("/search") ? search(Request.extractQueryParameters(request)) : "hello\n";
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/html; charset=utf-8");
        response.write(true, ByteBuffer.wrap(page.getBytes(StandardCharsets.UTF_8)), callback);
        return true;
    }

    private String search(Fields query) {
        String word = query.getValue("q") == null ? "chair" : query.getValue("q");
        return render(word, rank(find(word)));
    }

    private List<Hit> find(String word) {
        List<Hit> hits = new ArrayList<>();
        for (Item item : items) {
            double score = 3 * occurrences(item.name(), word) + occurrences(item.text(), word);
            if (score > 0) {
                hits.add(new Hit(item, score));
            }
        }
        return hits;
    }

    private static int occurrences(String text, String word) {
        int count = 0;
        for (int at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
            count++;
        }
        return count;
    }

    private static List<Hit> rank(List<Hit> hits) {
        hits.sort(Comparator.comparingDouble(Hit::score).reversed().thenComparing(hit -> hit.item().cents()));
        return hits.subList(0, Math.min(40, hits.size()));
    }

    private static String render(String word, List<Hit> hits) {
        StringBuilder page = new StringBuilder("<html><h1>").append(escaped(word)).append("</h1><table>\n");
        for (Hit hit : hits) {
            row(page, hit.item());
        }
        return page.append("</table></html>\n").toString();
    }

    private static void row(StringBuilder page, Item item) {
        page.append("<tr><td>").append(item.number()).append("<td>").append(escaped(item.name())).append("<td>")
                .append(escaped(item.text())).append("<td>").append(price(item.cents())).append("</tr>\n");
    }

    private static String escaped(String text) {
        StringBuilder safe = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '<' || c == '>' || c == '&' || c == '"') {
                safe.append("&#").append((int) c).append(';');
            } else {
                safe.append(c);
            }
        }
        return safe.toString();
    }

    private static String price(int cents) {
        return cents / 100 + "." + (cents % 100 < 10 ? "0" : "") + cents % 100;
    }

    public static void main(String[] arguments) throws Exception {
        long begin = System.nanoTime();
        QueuedThreadPool threads = new QueuedThreadPool(8, 4);
        Server server = new Server(threads);
        ServerConnector connector = new ServerConnector(server, 1, 1);
        connector.setHost("127.0.0.1");
        connector.setPort(Integer.getInteger("port", 0));
        server.addConnector(connector);
        server.setHandler(new Shop());
        server.start();
        System.out.println("port " + connector.getLocalPort() + " started in "
                + (System.nanoTime() - begin) / 1000 + " us");
        server.join();
    }
}
