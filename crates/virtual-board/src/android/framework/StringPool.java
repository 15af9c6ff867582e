package wattline.board;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** The strings of a compiled resource file: UTF-8 or UTF-16, each with its length before it. */
final class StringPool {
    static final int TYPE = 0x0001;
    private static final int UTF8 = 1 << 8;

    private final ByteBuffer chunk;
    private final int header;
    private final int first;
    private final boolean isUtf8;

    StringPool(ByteBuffer chunk) {
        this.chunk = chunk;
        header = chunk.getShort(2);
        first = chunk.getInt(20);
        isUtf8 = (chunk.getInt(16) & UTF8) != 0;
    }

    String get(int index) {
        int at = first + chunk.getInt(header + 4 * index);
        return isUtf8 ? utf8(at) : utf16(at);
    }

    private String utf16(int at) {
        int length = chunk.getShort(at) & 0xffff;
        int start = at + 2;
        if ((length & 0x8000) != 0) {
            length = (length & 0x7fff) << 16 | chunk.getShort(start) & 0xffff;
            start += 2;
        }
        return new String(bytes(start, 2 * length), StandardCharsets.UTF_16LE);
    }

    /** The length in letters comes before that in bytes. */
    private String utf8(int at) {
        int bytes = at + (chunk.get(at) < 0 ? 2 : 1);
        int length = chunk.get(bytes) & 0xff;
        int start = bytes + 1;
        if ((length & 0x80) != 0) {
            length = (length & 0x7f) << 8 | chunk.get(start) & 0xff;
            start++;
        }
        return new String(bytes(start, length), StandardCharsets.UTF_8);
    }

    private byte[] bytes(int start, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = chunk.get(start + i);
        }
        return bytes;
    }
}
