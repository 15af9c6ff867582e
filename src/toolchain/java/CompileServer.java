import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * A javac that stays warm. Reads one argument a line; an empty line ends a request. Answers with
 * the exit code and the number of bytes of the compiler's output on one line, then that output.
 */
final class CompileServer {
    /** Bytes: probes make nested expressions deeper, and javac follows them by recursion. */
    private static final long STACK = 512L << 20;

    public static void main(String[] args) throws Exception {
        Thread server = new Thread(null, CompileServer::serve, "javac", STACK);
        server.start();
        server.join();
    }

    private static void serve() {
        try {
            answer();
        } catch (IOException gone) {
            // nobody asks any more
        }
    }

    private static void answer() throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        BufferedReader in =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = System.out;
        List<String> request = new ArrayList<>();
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (!line.isEmpty()) {
                request.add(line);
                continue;
            }
            ByteArrayOutputStream said = new ByteArrayOutputStream();
            int code = compiler.run(null, said, said, request.toArray(new String[0]));
            request.clear();
            out.println(code + " " + said.size());
            said.writeTo(out);
            out.flush();
        }
    }
}
