import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
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
    public static void main(String[] args) throws Exception {
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
