import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * A javac that stays warm. Reads requests: the number of arguments, then each with its length
 * before it. Answers with the exit code, and the compiler's output with its length before it.
 * Numbers have four bytes, the highest first.
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
        DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
        DataOutputStream out = new DataOutputStream(System.out);
        for (List<String> request = Requests.next(in); request != null; request = Requests.next(in)) {
            ByteArrayOutputStream said = new ByteArrayOutputStream();
            int code = compiler.run(null, said, said, request.toArray(new String[0]));
            out.writeInt(code);
            out.writeInt(said.size());
            said.writeTo(out);
            out.flush();
        }
    }
}
