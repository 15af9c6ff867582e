package wattline.maven;

import java.io.File;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import org.codehaus.plexus.util.DirectoryScanner;

/** The Java files that an execution of the compiler plugin gives to javac. */
final class SourceFiles {
    private SourceFiles() {}

    static Set<String> of(Object mojo) throws ReflectiveOperationException {
        Set<String> files = new TreeSet<>();
        Object roots = MojoFields.value(mojo, "compileSourceRoots");
        if (roots instanceof Collection) {
            for (Object root : (Collection<?>) roots) {
                add(new File(root.toString()), mojo, files);
            }
        }
        return files;
    }

    /** Scans as the plugin does: the same class with the same defaults. */
    private static void add(File root, Object mojo, Set<String> files) throws ReflectiveOperationException {
        if (!root.isDirectory()) {
            return;
        }
        String[] includes = patterns(mojo, "includes");
        DirectoryScanner scanner = new DirectoryScanner();
        scanner.setFollowSymlinks(true);
        scanner.setBasedir(root);
        scanner.setIncludes(includes.length == 0 ? new String[] {"**/*.java"} : includes);
        scanner.setExcludes(patterns(mojo, "excludes"));
        scanner.addDefaultExcludes();
        scanner.scan();
        for (String name : scanner.getIncludedFiles()) {
            if (name.endsWith(".java")) {
                files.add(new File(root, name).getPath());
            }
        }
    }

    private static String[] patterns(Object mojo, String name) throws ReflectiveOperationException {
        Object value = MojoFields.value(mojo, name);
        if (!(value instanceof Collection)) {
            return new String[0];
        }
        return ((Collection<?>) value).stream().map(String::valueOf).toArray(String[]::new);
    }
}
