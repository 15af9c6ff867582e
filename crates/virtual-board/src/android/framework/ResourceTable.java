package wattline.board;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The resources of one of the packages that run, from its resources.arsc: those of the default
 * configuration, and where it has none of a kind, the first of another.
 */
public final class ResourceTable {
    private static final int TABLE = 0x0002;
    private static final int PACKAGE = 0x0200;
    private static final int TYPE = 0x0201;
    private static final int SPARSE = 1;
    private static final int SHORT_OFFSETS = 2;
    private static final int COMPLEX = 1;
    private static final int COMPACT = 8;
    private static final int DEEPEST = 20;

    private final Map<Integer, ResourceValue> values = new HashMap<>();
    private final Map<Integer, ResourceValue[]> arrays = new HashMap<>();
    /** Names as they are in code, {@code layout/main}. */
    private final Map<String, Integer> ids = new HashMap<>();
    /** Those that are of the default configuration. */
    private final Map<Integer, Boolean> isDefault = new HashMap<>();
    private final String file;
    private StringPool strings;

    private ResourceTable(String file) {
        this.file = file;
    }

    /** Of a package's file; empty without one, and of one without resources. */
    public static ResourceTable of(String file) {
        ResourceTable table = new ResourceTable(file);
        byte[] bytes = table.entry("resources.arsc");
        if (bytes != null) {
            table.parse(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN));
        }
        return table;
    }

    /** Null if the package has no such layout. */
    public LayoutFile layout(String name) {
        byte[] bytes = entry(name);
        return bytes == null ? null : LayoutFile.parse(ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN), name);
    }

    /** Null if the package has none. */
    private byte[] entry(String name) {
        if (file == null) {
            return null;
        }
        try (ZipFile zip = new ZipFile(file)) {
            ZipEntry entry = zip.getEntry(name);
            return entry == null ? null : zip.getInputStream(entry).readAllBytes();
        } catch (IOException e) {
            throw new IllegalStateException(name + " of " + file + " can't be read", e);
        }
    }

    /** Null if there is none; references are followed. */
    public ResourceValue get(int id) {
        ResourceValue value = values.get(id);
        for (int deep = 0; value != null && value.isReference() && deep < DEEPEST; deep++) {
            value = values.get(value.id());
        }
        return value;
    }

    /** Null if it is no array. */
    public ResourceValue[] array(int id) {
        ResourceValue[] found = arrays.get(id);
        if (found == null) {
            return null;
        }
        ResourceValue[] all = found.clone();
        for (int i = 0; i < all.length; i++) {
            all[i] = all[i].isReference() ? get(all[i].id()) : all[i];
        }
        return all;
    }

    /** Zero if there is none. */
    public int id(String type, String name) {
        return ids.getOrDefault(type + "/" + name, 0);
    }

    static ByteBuffer part(ByteBuffer whole, int at) {
        return whole.duplicate().position(at).limit(at + whole.getInt(at + 4)).slice().order(ByteOrder.LITTLE_ENDIAN);
    }

    private void parse(ByteBuffer file) {
        if (file.getShort(0) != TABLE) {
            throw new IllegalStateException("the package's resources.arsc is none");
        }
        for (int at = file.getShort(2); at < file.limit(); at += file.getInt(at + 4)) {
            ByteBuffer chunk = part(file, at);
            if (chunk.getShort(0) == StringPool.TYPE) {
                strings = new StringPool(chunk);
            } else if (chunk.getShort(0) == PACKAGE) {
                ofPackage(chunk);
            }
        }
    }

    private void ofPackage(ByteBuffer chunk) {
        int number = chunk.getInt(8) << 24;
        StringPool types = new StringPool(part(chunk, chunk.getInt(268)));
        StringPool keys = new StringPool(part(chunk, chunk.getInt(276)));
        for (int at = chunk.getShort(2); at < chunk.limit(); at += chunk.getInt(at + 4)) {
            ByteBuffer one = part(chunk, at);
            if (one.getShort(0) == TYPE) {
                ofType(one, number, types, keys);
            }
        }
    }

    private void ofType(ByteBuffer chunk, int number, StringPool types, StringPool keys) {
        int type = chunk.get(8) & 0xff;
        int flags = chunk.get(9);
        int count = chunk.getInt(12);
        int start = chunk.getInt(16);
        int header = chunk.getShort(2);
        boolean ofDefault = isDefault(chunk);
        for (int i = 0; i < count; i++) {
            int entry = i;
            int offset;
            if ((flags & SPARSE) != 0) {
                entry = chunk.getShort(header + 4 * i) & 0xffff;
                offset = 4 * (chunk.getShort(header + 4 * i + 2) & 0xffff);
            } else if ((flags & SHORT_OFFSETS) != 0) {
                int quarter = chunk.getShort(header + 2 * i) & 0xffff;
                offset = quarter == 0xffff ? -1 : 4 * quarter;
            } else {
                offset = chunk.getInt(header + 4 * i);
            }
            int id = number | type << 16 | entry;
            if (offset != -1 && (ofDefault || !isDefault.containsKey(id))) {
                isDefault.put(id, ofDefault);
                String name = read(chunk, start + offset, id, keys);
                ids.put(types.get(type - 1) + "/" + name, id);
            }
        }
    }

    /** Whether the configuration, which begins with its size, has no qualifier. */
    private static boolean isDefault(ByteBuffer chunk) {
        int size = chunk.getInt(20);
        for (int i = 4; i < size; i++) {
            if (chunk.get(20 + i) != 0) {
                return false;
            }
        }
        return true;
    }

    /** Keeps a value; its name. */
    private String read(ByteBuffer chunk, int at, int id, StringPool keys) {
        int flags = chunk.getShort(at + 2);
        if ((flags & COMPACT) != 0) {
            values.put(id, new ResourceValue(flags >> 8 & 0xff, chunk.getInt(at + 4), strings));
            return keys.get(chunk.getShort(at) & 0xffff);
        }
        if ((flags & COMPLEX) == 0) {
            int size = chunk.getShort(at);
            values.put(id, value(chunk, at + size));
        } else {
            ResourceValue[] all = new ResourceValue[chunk.getInt(at + 12)];
            for (int i = 0; i < all.length; i++) {
                all[i] = value(chunk, at + 16 + 12 * i + 4);
            }
            arrays.put(id, all);
        }
        return keys.get(chunk.getInt(at + 4));
    }

    private ResourceValue value(ByteBuffer chunk, int at) {
        return new ResourceValue(chunk.get(at + 3) & 0xff, chunk.getInt(at + 4), strings);
    }
}
