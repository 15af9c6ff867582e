package org.wattline.junit;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The complete lines that were added to a file since it was last read. */
final class CsvTail {
    private final Path file;
    private long position;

    CsvTail(Path file) {
        this.file = file;
    }

    List<String> newLines() throws IOException {
        if (!Files.exists(file)) {
            return new ArrayList<>();
        }
        byte[] bytes;
        try (RandomAccessFile reader = new RandomAccessFile(file.toFile(), "r")) {
            bytes = new byte[(int) Math.min(Integer.MAX_VALUE / 2, reader.length() - position)];
            reader.seek(position);
            reader.readFully(bytes);
        }
        int end = bytes.length;
        while (end > 0 && bytes[end - 1] != '\n') {
            end--;
        }
        position += end;
        String text = new String(bytes, 0, end, StandardCharsets.UTF_8);
        return text.isEmpty() ? new ArrayList<>() : Arrays.asList(text.split("\n"));
    }
}
