import com.android.apksig.ApkSigner;
import com.android.tools.r8.ByteDataView;
import com.android.tools.r8.CompilationMode;
import com.android.tools.r8.D8;
import com.android.tools.r8.D8Command;
import com.android.tools.r8.DexFilePerClassFileConsumer;
import com.android.tools.r8.DexIndexedConsumer;
import com.android.tools.r8.Diagnostic;
import com.android.tools.r8.DiagnosticsHandler;
import com.android.tools.r8.GlobalSyntheticsConsumer;
import com.android.tools.r8.GlobalSyntheticsResourceProvider;
import com.android.tools.r8.origin.Origin;
import com.android.tools.r8.references.ClassReference;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * D8 and the signer of packages, staying warm. Reads requests: the number of arguments, then each
 * with its length before it. Answers with 0 or 1, and what there is to say with its length before
 * it. Numbers have four bytes, the highest first. Requests:
 *
 * <pre>
 * dex MIN_SDK OUT CLASSES LIBRARY...   classes of a jar to OUT/classes.dex, classes2.dex, ...
 * replace MIN_SDK OUT CLASSES PACKAGE LIBRARY...   the same classes in the place of those of a
 *                                      package, the others of which stay as they are
 * sign MIN_SDK IN OUT STORE PASSWORD   by the key of a PKCS12 store, v1 to v3
 * </pre>
 */
final class PackageServer {
    private static final Pattern DEX = Pattern.compile("classes(\\d{0,5})\\.dex");
    /** From this level on Android loads several DEX files by itself. */
    private static final int KNOWS_SEVERAL = 21;
    /** Of a class file with what it was compiled against -> its DEX. */
    private static final Map<String, byte[]> KNOWN = new HashMap<>();
    /** The same -> what it needs once in a program, as records do before Android 14. */
    private static final Map<String, byte[]> SHARED = new HashMap<>();

    public static void main(String[] args) throws Exception {
        DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
        DataOutputStream out = new DataOutputStream(System.out);
        for (List<String> request = Requests.next(in); request != null; request = Requests.next(in)) {
            Said said = new Said();
            boolean good = true;
            try {
                answer(request);
            } catch (Said.Failed failed) {
                good = false;
                said = failed.said;
            } catch (Exception | LinkageError | OutOfMemoryError error) {
                good = false;
                said.say(String.valueOf(error));
            }
            byte[] text = said.text.toString().getBytes(StandardCharsets.UTF_8);
            out.writeInt(good ? 0 : 1);
            out.writeInt(text.length);
            out.write(text);
            out.flush();
        }
    }

    private static void answer(List<String> request) throws Exception {
        int minSdk = Integer.parseInt(request.get(1));
        Path[] paths = request.stream().skip(2).map(Paths::get).toArray(Path[]::new);
        if (request.get(0).equals("dex")) {
            Path[] libraries = Arrays.copyOfRange(paths, 2, paths.length);
            dex(minSdk, paths[0], paths[1], libraries);
        } else if (request.get(0).equals("replace")) {
            Path[] libraries = Arrays.copyOfRange(paths, 3, paths.length);
            replace(minSdk, paths[0], paths[1], paths[2], libraries);
        } else {
            sign(minSdk, paths[0], paths[1], paths[2], request.get(5));
        }
    }

    /** Only classes whose bytes were never seen are compiled; all are merged. */
    private static void dex(int minSdk, Path out, Path jar, Path[] libraries) throws Exception {
        Collection<String> keys = compiled(minSdk, jar, libraries);
        merge(minSdk, out, keys, Collections.emptyList(), Collections.emptySet(), libraries);
    }

    /**
     * A class that the package doesn't have under its name was renamed by a shrinker, or is none
     * of its own.
     */
    private static void replace(int minSdk, Path out, Path jar, Path apk, Path[] libraries)
            throws Exception {
        Collection<String> keys = compiled(minSdk, jar, libraries);
        List<byte[]> code = codeOf(apk);
        Set<String> first = new TreeSet<>();
        if (minSdk < KNOWS_SEVERAL && code.size() > 1) {
            // What such a release loads without help: what it did, and what is new.
            first.addAll(classesOf(jar).keySet());
            for (byte[] dex : code.subList(1, code.size())) {
                first.removeAll(namesIn(dex));
            }
            first.addAll(namesIn(code.get(0)));
        }
        Set<String> replaced = merge(minSdk, out, keys, code, first, libraries);
        for (String name : classesOf(jar).keySet()) {
            if (!name.contains("$") && !replaced.contains(name)) {
                Said said = new Said();
                said.say(apk.getFileName() + " has no class " + name.replace('/', '.'));
                throw new Said.Failed(said);
            }
        }
    }

    /** Keys of all classes of a jar, each of which is known then. */
    private static Collection<String> compiled(int minSdk, Path jar, Path[] libraries)
            throws Exception {
        Map<String, byte[]> classes = classesOf(jar);
        String setting = minSdk + shapes(classes) + Arrays.toString(libraries);
        Map<String, byte[]> unknown = new TreeMap<>();
        Map<String, String> keys = new TreeMap<>();
        for (Map.Entry<String, byte[]> one : classes.entrySet()) {
            String key = setting + hash(one.getValue());
            keys.put(one.getKey(), key);
            if (!KNOWN.containsKey(key)) {
                unknown.put(one.getKey(), one.getValue());
            }
        }
        if (!unknown.isEmpty()) {
            compile(minSdk, unknown, keys, jar, libraries);
        }
        return keys.values();
    }

    private static void compile(
            int minSdk,
            Map<String, byte[]> classes,
            Map<String, String> keys,
            Path jar,
            Path[] libraries)
            throws Exception {
        Said said = new Said();
        D8Command.Builder builder = D8Command.builder(said);
        classes.forEach((name, bytes) -> builder.addClassProgramData(bytes, new Entry(name)));
        builder.addLibraryFiles(libraries).addClasspathFiles(jar);
        builder.setMinApiLevel(minSdk).setMode(CompilationMode.DEBUG).setIntermediate(true);
        builder.setProgramConsumer(
                new DexFilePerClassFileConsumer.ForwardingConsumer(null) {
                    @Override
                    public void accept(
                            String descriptor,
                            ByteDataView data,
                            Set<String> descriptors,
                            DiagnosticsHandler handler) {
                        String name = descriptor.substring(1, descriptor.length() - 1);
                        synchronized (KNOWN) {
                            KNOWN.put(keys.get(name), data.copyByteData());
                        }
                    }

                    @Override
                    public boolean combineSyntheticClassesWithPrimaryClass() {
                        return true;
                    }
                });
        builder.setGlobalSyntheticsConsumer(
                new GlobalSyntheticsConsumer() {
                    @Override
                    public void accept(
                            ByteDataView data, ClassReference context, DiagnosticsHandler handler) {
                        synchronized (KNOWN) {
                            SHARED.put(keys.get(context.getBinaryName()), data.copyByteData());
                        }
                    }
                });
        run(builder, said);
    }

    /**
     * With the code of a package, as far as no class of it is among the others: its names. Some
     * classes have to be in the first file.
     */
    private static Set<String> merge(
            int minSdk,
            Path out,
            Iterable<String> keys,
            List<byte[]> code,
            Set<String> first,
            Path[] libraries)
            throws Exception {
        Said said = new Said();
        D8Command.Builder builder = D8Command.builder(said);
        Origin ofPackage = new Entry("package");
        Set<String> replaced = Collections.synchronizedSet(new HashSet<>());
        for (byte[] dex : code) {
            builder.addDexProgramData(dex, ofPackage);
        }
        if (!code.isEmpty()) {
            builder.setClassConflictResolver(
                    (reference, origins, handler) -> {
                        replaced.add(reference.getBinaryName());
                        return origins.stream().filter(o -> o != ofPackage).findFirst().orElse(null);
                    });
        }
        for (String key : keys) {
            byte[] dex = KNOWN.get(key);
            if (dex == null) {
                throw new IllegalStateException("D8 left a class out");
            }
            builder.addDexProgramData(dex, Origin.unknown());
            if (SHARED.containsKey(key)) {
                builder.addGlobalSyntheticsResourceProviders(new Shared(SHARED.get(key)));
            }
        }
        builder.addLibraryFiles(libraries);
        for (String name : first) {
            builder.addMainDexClasses(name.replace('/', '.'));
        }
        builder.setMinApiLevel(minSdk).setMode(CompilationMode.DEBUG);
        Files.createDirectories(out);
        builder.setProgramConsumer(new DexIndexedConsumer.DirectoryConsumer(out));
        run(builder, said);
        return replaced;
    }

    /** The DEX files of a package, the first one first. */
    private static List<byte[]> codeOf(Path apk) throws Exception {
        Map<Integer, byte[]> code = new TreeMap<>();
        try (ZipFile zip = new ZipFile(apk.toFile())) {
            for (ZipEntry entry : Collections.list(zip.entries())) {
                Matcher name = DEX.matcher(entry.getName());
                if (name.matches()) {
                    try (InputStream bytes = zip.getInputStream(entry)) {
                        String number = name.group(1);
                        code.put(number.isEmpty() ? 1 : Integer.parseInt(number), bytes.readAllBytes());
                    }
                }
            }
        }
        return new ArrayList<>(code.values());
    }

    /** The classes that a DEX file defines, by the tables of its header. */
    private static Set<String> namesIn(byte[] bytes) {
        ByteBuffer dex = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int strings = dex.getInt(0x3c);
        int types = dex.getInt(0x44);
        int classes = dex.getInt(0x64);
        Set<String> names = new TreeSet<>();
        for (int i = 0; i < dex.getInt(0x60); i++) {
            int string = dex.getInt(types + 4 * dex.getInt(classes + 32 * i));
            int start = dex.getInt(strings + 4 * string);
            while (bytes[start] < 0) { // of the length before it, all bytes but the last
                start++;
            }
            start++;
            int end = start;
            while (bytes[end] != 0) {
                end++;
            }
            // Between the L and the semicolon of a descriptor.
            names.add(new String(bytes, start + 1, end - start - 2, StandardCharsets.UTF_8));
        }
        return names;
    }

    private static void run(D8Command.Builder builder, Said said) throws Exception {
        try {
            D8.run(builder.build());
        } catch (com.android.tools.r8.CompilationFailedException failed) {
            if (said.text.length() == 0) {
                said.say(String.valueOf(failed.getCause()));
            }
            throw new Said.Failed(said);
        }
    }

    private static Map<String, byte[]> classesOf(Path jar) throws Exception {
        Map<String, byte[]> classes = new TreeMap<>();
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            for (ZipEntry entry : Collections.list(zip.entries())) {
                String name = entry.getName();
                boolean isModule = name.equals("module-info.class") || name.startsWith("META-INF/");
                if (name.endsWith(".class") && !isModule) {
                    try (InputStream bytes = zip.getInputStream(entry)) {
                        String type = name.substring(0, name.length() - ".class".length());
                        classes.put(type, bytes.readAllBytes());
                    }
                }
            }
        }
        return classes;
    }

    /** What classes of one build see of each other, beside their own bytes: the names. */
    private static String shapes(Map<String, byte[]> classes) throws Exception {
        return hash(String.join("\n", classes.keySet()).getBytes(StandardCharsets.UTF_8));
    }

    private static String hash(byte[] bytes) throws Exception {
        return Arrays.toString(MessageDigest.getInstance("SHA-256").digest(bytes));
    }

    private static void sign(int minSdk, Path in, Path out, Path store, String password)
            throws Exception {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream bytes = new FileInputStream(store.toFile())) {
            keys.load(bytes, password.toCharArray());
        }
        String alias = keys.aliases().nextElement();
        PrivateKey key = (PrivateKey) keys.getKey(alias, password.toCharArray());
        X509Certificate certificate = (X509Certificate) keys.getCertificate(alias);
        ApkSigner.SignerConfig signer =
                new ApkSigner.SignerConfig.Builder(
                                "wattline", key, Collections.singletonList(certificate))
                        .build();
        new ApkSigner.Builder(Collections.singletonList(signer))
                .setInputApk(in.toFile())
                .setOutputApk(out.toFile())
                .setMinSdkVersion(minSdk)
                .setV1SigningEnabled(true)
                .setV2SigningEnabled(true)
                .setCreatedBy("wattline")
                .build()
                .sign();
    }

    /** What a class needs once in a program. */
    private static final class Shared implements GlobalSyntheticsResourceProvider {
        private final byte[] bytes;

        Shared(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        public Origin getOrigin() {
            return Origin.unknown();
        }

        @Override
        public InputStream getByteStream() {
            return new ByteArrayInputStream(bytes);
        }
    }

    /** Where a class came from, for messages. */
    private static final class Entry extends Origin {
        private final String name;

        Entry(String name) {
            super(Origin.root());
            this.name = name;
        }

        @Override
        public String part() {
            return name + ".class";
        }
    }

    /** The errors of D8. */
    private static final class Said implements DiagnosticsHandler {
        final StringBuilder text = new StringBuilder();

        synchronized void say(String line) {
            text.append(line).append('\n');
        }

        @Override
        public void error(Diagnostic error) {
            say(error.getOrigin() + ": " + error.getDiagnosticMessage());
        }

        @Override
        public void warning(Diagnostic warning) {}

        @Override
        public void info(Diagnostic info) {}

        /** With what was said. */
        static final class Failed extends Exception {
            final transient Said said;

            Failed(Said said) {
                this.said = said;
            }
        }
    }
}
