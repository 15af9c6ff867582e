package org.wattline.junit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** The folder for results. Another JVM that runs tests at the same time gets one of its own. */
final class OutputFolder implements AutoCloseable {
    private static final int MOST_JVMS = 256;

    final Path path;
    private final FileChannel channel;

    private OutputFolder(Path path, FileChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    /** Takes the folder, or `jvm-2`, `jvm-3`, ... in it, until this JVM ends. */
    static OutputFolder take(Path wanted) {
        try {
            for (int jvm = 1; jvm <= MOST_JVMS; jvm++) {
                Path folder = jvm == 1 ? wanted : wanted.resolve("jvm-" + jvm);
                Files.createDirectories(folder);
                FileChannel channel = FileChannel.open(folder.resolve("lock"), StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE);
                if (isLocked(channel)) {
                    return new OutputFolder(folder, channel);
                }
                channel.close();
            }
        } catch (IOException problem) {
            throw new UncheckedIOException("wattline: cannot write results into " + wanted
                    + "; set wattline.results to a folder that you can write", problem);
        }
        throw new IllegalStateException("wattline: " + MOST_JVMS + " JVMs write into " + wanted
                + "; set wattline.results to a folder for each");
    }

    /** Whether nobody else has it: another JVM, or another run in this one. */
    private static boolean isLocked(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException taken) {
            return false;
        }
    }

    /** Writes a file whole, or leaves the earlier one. */
    void write(String name, String text) throws IOException {
        Path part = path.resolve(name + ".part");
        Files.write(part, text.getBytes(StandardCharsets.UTF_8));
        Files.move(part, path.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
