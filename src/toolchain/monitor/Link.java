package wattline.monitor.service;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;

/** The file by which readers find an agent that nobody waits for: only this user can read it. */
final class Link {
    private static final int TOKEN_BYTES = 16;

    private Link() {
    }

    /** A word that nobody guesses. */
    static String token() {
        byte[] bytes = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(bytes);
        StringBuilder text = new StringBuilder();
        for (byte one : bytes) {
            text.append(String.format("%02x", one));
        }
        return text.toString();
    }

    static void write(String file, int port, String token) throws IOException {
        Path path = new File(file).getAbsoluteFile().toPath();
        FileAttribute<?> own = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        Path half = Files.createTempFile(path.getParent(), "wattline", ".half", own);
        String text = "port=" + port + "\ntoken=" + token + "\npid=" + ProcessHandle.current().pid() + "\n";
        Files.write(half, text.getBytes(StandardCharsets.US_ASCII));
        Files.move(half, path, StandardCopyOption.REPLACE_EXISTING);
        path.toFile().deleteOnExit();
    }
}
