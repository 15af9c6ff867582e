package wattline.board;

import android.util.AttributeSet;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An element of a compiled layout file, with those in it. */
public final class LayoutFile implements AttributeSet {
    private static final int XML = 0x0003;
    private static final int START_ELEMENT = 0x0102;
    private static final int END_ELEMENT = 0x0103;

    public final String name;
    public final List<LayoutFile> children = new ArrayList<>();
    /** By their names, without those of namespaces: those of other namespaces don't concern the board. */
    private final Map<String, ResourceValue> attributes = new LinkedHashMap<>();

    private LayoutFile(String name) {
        this.name = name;
    }

    static LayoutFile parse(ByteBuffer xml, String file) {
        if (xml.getShort(0) != XML) {
            throw new IllegalStateException(file + " is not in Android's binary form");
        }
        StringPool strings = null;
        Deque<LayoutFile> open = new ArrayDeque<>();
        LayoutFile root = null;
        for (int at = xml.getShort(2); at < xml.limit(); at += xml.getInt(at + 4)) {
            ByteBuffer chunk = ResourceTable.part(xml, at);
            switch (chunk.getShort(0)) {
                case StringPool.TYPE:
                    strings = new StringPool(chunk);
                    break;
                case START_ELEMENT:
                    LayoutFile element = element(chunk, strings);
                    if (open.isEmpty()) {
                        root = element;
                    } else {
                        open.getLast().children.add(element);
                    }
                    open.addLast(element);
                    break;
                case END_ELEMENT:
                    open.removeLast();
                    break;
                default:
            }
        }
        return root;
    }

    private static LayoutFile element(ByteBuffer chunk, StringPool strings) {
        int node = chunk.getShort(2);
        LayoutFile element = new LayoutFile(strings.get(chunk.getInt(node + 4)));
        int first = node + chunk.getShort(node + 8);
        for (int i = 0; i < chunk.getShort(node + 12); i++) {
            int at = first + i * chunk.getShort(node + 10);
            ResourceValue value = new ResourceValue(chunk.get(at + 15) & 0xff, chunk.getInt(at + 16), strings);
            element.attributes.put(strings.get(chunk.getInt(at + 4)), value);
        }
        return element;
    }

    @Override
    public int getAttributeCount() {
        return attributes.size();
    }

    /** Null if it does not have it. */
    public ResourceValue get(String attribute) {
        return attributes.get(attribute);
    }

    public Iterable<String> names() {
        return attributes.keySet();
    }
}
