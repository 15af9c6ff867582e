import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * javac as a process that stays warm, for thousands of variants. A request is a line
 * FOLDER TAB OUTPUT: all sources in the folder are attributed, and with an output compiled into
 * it. Answers one line a diagnostic, KIND TAB CODE TAB FILE TAB LINE TAB MESSAGE, then END.
 * Program arguments are options of javac.
 */
final class Attribute {
    public static void main(String[] options) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] request = line.split("\t", -1);
            for (Diagnostic<? extends JavaFileObject> found : compile(compiler, options, request)) {
                out.println(row(Path.of(request[0]), found));
            }
            out.println("END");
            out.flush();
        }
    }

    private static List<Diagnostic<? extends JavaFileObject>> compile(
            JavaCompiler compiler, String[] options, String[] request) throws Exception {
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        List<Path> sources;
        try (Stream<Path> walk = Files.walk(Path.of(request[0]))) {
            sources = walk.filter(path -> path.toString().endsWith(".java")).sorted()
                    .collect(Collectors.toList());
        }
        List<String> all = new ArrayList<>(List.of("-proc:none", "-Xmaxerrs", "100000", "-Xmaxwarns",
                "1000000", "-implicit:none", "-encoding", "UTF-8", "-XDshould-stop.ifError=FLOW"));
        all.addAll(List.of(options));
        boolean generates = !request[1].isEmpty();
        if (generates) {
            Files.createDirectories(Path.of(request[1]));
            all.addAll(List.of("-d", request[1]));
        } else {
            all.addAll(List.of("-XDshould-stop.ifNoError=FLOW"));
        }
        try (StandardJavaFileManager files = compiler.getStandardFileManager(found, Locale.ROOT, null)) {
            compiler.getTask(null, files, found, all, null, files.getJavaFileObjectsFromPaths(sources))
                    .call();
        }
        return found.getDiagnostics();
    }

    private static String row(Path root, Diagnostic<? extends JavaFileObject> found) {
        String file = found.getSource() == null ? ""
                : root.relativize(Path.of(found.getSource().toUri())).toString();
        return found.getKind() + "\t" + found.getCode() + "\t" + file + "\t" + found.getLineNumber() + "\t"
                + found.getMessage(Locale.ROOT).replace('\n', ' ');
    }
}
