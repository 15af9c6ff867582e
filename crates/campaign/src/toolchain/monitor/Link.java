package wattline.monitor.service;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.Set;

/** The file by which readers find an agent that nobody waits for: only this user can read it. */
final class Link {
    private static final int TOKEN_BYTES = 16;
    private static final int LINK_BYTES_MAX = 4096;
    private static final FileAttribute<?> OWN_FILE = permissions("rw-------");
    private static final FileAttribute<?> OWN_FOLDER = permissions("rwx------");

    private Link() {
    }

    private static FileAttribute<?> permissions(String text) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text));
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

    /** The file that is wanted, or one named by the process in a folder of this user's own. */
    static Path place(String wanted) throws IOException {
        if (wanted == null || wanted.isEmpty()) {
            return ownFolder().resolve(ProcessHandle.current().pid() + ".link");
        }
        Path path = new File(wanted).getAbsoluteFile().toPath();
        if (path.getParent() == null || !Files.isDirectory(path.getParent())) {
            throw new NoSuchFileException(wanted, null, "its folder is missing; create it, or name another file by link=FILE");
        }
        return path;
    }

    /** In the session's folder or the cache; where there is neither, a new folder that is told. */
    private static Path ownFolder() throws IOException {
        UserPrincipal user = user();
        String session = System.getenv("XDG_RUNTIME_DIR");
        String cache = System.getenv("XDG_CACHE_HOME");
        String home = System.getProperty("user.home", "");
        String[][] candidates = {
            {session, "wattline"}, {cache, "wattline", "links"}, {home, ".cache", "wattline", "links"},
        };
        for (String[] candidate : candidates) {
            if (candidate[0] != null && new File(candidate[0]).isAbsolute()) {
                Path folder = descend(candidate, user);
                if (folder != null) {
                    return folder;
                }
            }
        }
        Path folder = Files.createTempDirectory("wattline-link", OWN_FOLDER);
        folder.toFile().deleteOnExit();
        System.err.println("wattline: the agent's link file is in " + folder);
        return folder;
    }

    /** The last folder of a path, made where it is missing, if it is this user's alone; else none. */
    private static Path descend(String[] names, UserPrincipal user) {
        try {
            Path folder = new File(names[0]).toPath();
            if (!Files.isDirectory(folder) || !Files.getOwner(folder).equals(user)) {
                return null;
            }
            for (int i = 1; i < names.length; i++) {
                folder = folder.resolve(names[i]);
                if (!Files.isDirectory(folder)) {
                    Files.createDirectory(folder, OWN_FOLDER);
                }
            }
            return isPrivate(folder, user) ? folder : null;
        } catch (IOException | RuntimeException unusable) {
            return null;
        }
    }

    /** Who runs this JVM, as files have it. */
    private static UserPrincipal user() throws IOException {
        Path own = Files.createTempFile("wattline", null, OWN_FILE);
        try {
            return Files.getOwner(own);
        } finally {
            Files.delete(own);
        }
    }

    private static boolean isPrivate(Path folder, UserPrincipal user) throws IOException {
        Set<PosixFilePermission> open = EnumSet.complementOf(EnumSet.of(PosixFilePermission.OWNER_READ,
                PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE));
        open.retainAll(Files.getPosixFilePermissions(folder, LinkOption.NOFOLLOW_LINKS));
        return Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS) && open.isEmpty()
                && Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(user);
    }

    /** The folder of a link file's socket, beside it, which only this user can enter; none where there can't be one. */
    static Path socketFolder(Path link) {
        Path folder = link.resolveSibling(link.getFileName() + ".d");
        try {
            try {
                Files.createDirectory(folder, OWN_FOLDER);
            } catch (FileAlreadyExistsException before) {
                if (!isPrivate(folder, user())) {
                    return null;
                }
            }
            folder.toFile().deleteOnExit();
            return folder;
        } catch (IOException | RuntimeException unusable) {
            return null;
        }
    }

    /** Writes the file whole, in place of an earlier link of this user's and of nothing else. */
    static void write(Path path, String address, String token) throws IOException {
        // a link file that moves with its socket names it from where it stands
        String near = address.replace("=" + path.getParent() + File.separator, "=");
        String text = near + "\ntoken=" + token + "\npid=" + ProcessHandle.current().pid() + "\n";
        Path half = Files.createTempFile(path.getParent(), "wattline", ".half", OWN_FILE);
        try {
            if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && !isOwnLink(path, Files.getOwner(half))) {
                throw new FileAlreadyExistsException(path.toString(), null, "it is no link file of this user's; remove it, or name another file by link=FILE");
            }
            Files.write(half, text.getBytes(StandardCharsets.UTF_8));
            Files.move(half, path, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(half);
        }
        path.toFile().deleteOnExit();
    }

    private static boolean isOwnLink(Path path, UserPrincipal user) throws IOException {
        if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS) || Files.size(path) > LINK_BYTES_MAX
                || !Files.getOwner(path, LinkOption.NOFOLLOW_LINKS).equals(user)) {
            return false;
        }
        String text = new String(Files.readAllBytes(path), StandardCharsets.UTF_8);
        return (text.startsWith("port=") || text.startsWith("socket=")) && text.contains("\ntoken=");
    }
}
