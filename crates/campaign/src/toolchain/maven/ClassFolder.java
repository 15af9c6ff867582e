package wattline.maven;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.CRC32;

/** The folder of a module's classes: which of them the last goal wrote or changed. */
final class ClassFolder {
    private final Path folder;
    private Map<String, Long> sums;

    ClassFolder(Path folder) throws IOException {
        this.folder = folder;
        this.sums = sums();
    }

    /** Classes that are new or have other bytes than when this was last asked, sorted. */
    List<String> changes() throws IOException {
        Map<String, Long> before = sums;
        sums = sums();
        List<String> changed = new ArrayList<>();
        for (Map.Entry<String, Long> entry : sums.entrySet()) {
            if (!entry.getValue().equals(before.get(entry.getKey()))) {
                changed.add(entry.getKey());
            }
        }
        changed.sort(null);
        return changed;
    }

    private Map<String, Long> sums() throws IOException {
        Map<String, Long> sums = new HashMap<>();
        if (!Files.isDirectory(folder)) {
            return sums;
        }
        List<Path> classes;
        try (Stream<Path> all = Files.walk(folder)) {
            classes = all.filter(path -> path.toString().endsWith(".class")).collect(Collectors.toList());
        }
        for (Path path : classes) {
            CRC32 sum = new CRC32();
            sum.update(Files.readAllBytes(path));
            sums.put(folder.relativize(path).toString().replace('\\', '/'), sum.getValue());
        }
        return sums;
    }
}
