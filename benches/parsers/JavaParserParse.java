import com.github.javaparser.JavaParser;
import com.github.javaparser.ParserConfiguration;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;

/** JavaParser alone, on all cores: FOLDER ROUNDS; prints the seconds of each round. */
public final class JavaParserParse {
    public static void main(String[] args) throws Exception {
        List<Path> paths;
        try (Stream<Path> walk = Files.walk(Path.of(args[0]))) {
            paths = walk.filter(p -> p.toString().endsWith(".java")).sorted().collect(Collectors.toList());
        }
        ParserConfiguration options = new ParserConfiguration()
            .setLanguageLevel(ParserConfiguration.LanguageLevel.JAVA_17).setAttributeComments(false);
        for (int round = 0; round < Integer.parseInt(args[1]); round++) {
            long start = System.nanoTime();
            long units = paths.parallelStream().mapToLong(path -> parse(options, path)).sum();
            System.out.printf("javaparser %d %.3f%n", units, (System.nanoTime() - start) / 1e9);
        }
    }

    private static long parse(ParserConfiguration options, Path path) {
        try {
            return new JavaParser(options).parse(path).getResult().map(unit -> unit.getTypes().size()).orElse(0);
        } catch (Exception e) {
            throw new IllegalStateException(path.toString(), e);
        }
    }
}
