import com.sun.source.util.JavacTask;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.tools.*;

/** javac's parser alone, on all cores: FOLDER ROUNDS; prints the seconds of each round. */
public final class JavacParse {
    public static void main(String[] args) throws Exception {
        List<Path> paths = paths(Path.of(args[0]));
        int parts = Runtime.getRuntime().availableProcessors();
        for (int round = 0; round < Integer.parseInt(args[1]); round++) {
            long start = System.nanoTime();
            long units = IntStream.range(0, parts).parallel().mapToLong(part -> parse(paths, part, parts)).sum();
            System.out.printf("javac %d %.3f%n", units, (System.nanoTime() - start) / 1e9);
        }
    }

    static List<Path> paths(Path folder) throws Exception {
        try (Stream<Path> walk = Files.walk(folder)) {
            return walk.filter(p -> p.toString().endsWith(".java")).sorted().collect(Collectors.toList());
        }
    }

    private static long parse(List<Path> paths, int part, int parts) {
        List<Path> own = new ArrayList<>();
        for (int i = part; i < paths.size(); i += parts) own.add(paths.get(i));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            JavacTask task = (JavacTask) compiler.getTask(null, files, message -> { }, List.of("-proc:none"), null,
                files.getJavaFileObjectsFromPaths(own));
            long units = 0;
            for (var unit : task.parse()) units += unit.getTypeDecls().size();
            return units;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
