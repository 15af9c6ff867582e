import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/**
 * Runs the JUnit classes NAME*Test of a folder of classes that is on the class path, and prints a
 * line OUTCOME TAB TEST for each test, with the class of what a failed one threw.
 */
final class Suite {
    public static void main(String[] args) throws Exception {
        Path root = Path.of(args[0]);
        PrintStream out = System.out;
        // What the tests themselves print is of no interest.
        System.setOut(new PrintStream(new ByteArrayOutputStream()));
        List<Path> files;
        try (Stream<Path> walk = Files.walk(root)) {
            files = walk.filter(path -> path.toString().endsWith("Test.class")).sorted()
                    .collect(Collectors.toList());
        }
        Map<String, String> outcomes = new TreeMap<>();
        JUnitCore core = new JUnitCore();
        core.addListener(new RunListener() {
            @Override
            public void testStarted(Description test) {
                outcomes.put(test.getDisplayName(), "passed");
            }

            @Override
            public void testFailure(Failure failure) {
                outcomes.put(failure.getDescription().getDisplayName(),
                        failure.getException().getClass().getName());
            }
        });
        for (Path file : files) {
            String name = root.relativize(file).toString().replace(".class", "").replace('/', '.');
            Class<?> test = Class.forName(name, false, Suite.class.getClassLoader());
            if (!Modifier.isAbstract(test.getModifiers())) {
                core.run(test);
            }
        }
        outcomes.forEach((test, outcome) -> out.println(outcome + "\t" + test));
        System.exit(0);
    }
}
