package study;

import com.google.zxing.BarcodeFormat;
import com.google.zxing.BinaryBitmap;
import com.google.zxing.DecodeHintType;
import com.google.zxing.MultiFormatReader;
import com.google.zxing.MultiFormatWriter;
import com.google.zxing.ReaderException;
import com.google.zxing.RGBLuminanceSource;
import com.google.zxing.WriterException;
import com.google.zxing.common.BitMatrix;
import com.google.zxing.common.HybridBinarizer;
import com.google.zxing.qrcode.QRCodeReader;
import com.google.zxing.qrcode.QRCodeWriter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** ZXing: `frames` rounds of what `kind` names. */
public final class Barcodes {
    private static final String LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    private static final int SIDE = 180;

    private Barcodes() {}

    public static void main(String[] args) throws WriterException {
        int frames = 1;
        String kind = "encode";
        for (String arg : args) {
            if (arg.startsWith("frames=")) {
                frames = Integer.parseInt(arg.substring("frames=".length()));
            } else if (arg.startsWith("kind=")) {
                kind = arg.substring("kind=".length());
            }
        }
        System.out.println("wattline: begin");
        Random random = new Random(17);
        long result = 0;
        for (int frame = 0; frame < frames; frame++) {
            switch (kind) {
                case "encode":
                    result = 31 * result + encode(random);
                    break;
                case "squares":
                    result = 31 * result + squares(random);
                    break;
                default:
                    result = 31 * result + stripes(random);
            }
        }
        System.out.println("wattline: end");
        System.out.println(result);
    }

    private static String text(Random random, String letters, int length) {
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append(letters.charAt(random.nextInt(letters.length())));
        }
        return text.toString();
    }

    /** A code of each of several kinds, not read again. */
    private static long encode(Random random) throws WriterException {
        MultiFormatWriter writer = new MultiFormatWriter();
        long sum = 0;
        BarcodeFormat[] squares = {
            BarcodeFormat.QR_CODE, BarcodeFormat.AZTEC, BarcodeFormat.DATA_MATRIX, BarcodeFormat.PDF_417,
        };
        for (BarcodeFormat format : squares) {
            String text = text(random, LETTERS, 20 + random.nextInt(40));
            sum += writer.encode(text, format, 0, 0).hashCode();
        }
        sum += writer.encode(text(random, LETTERS, 20), BarcodeFormat.CODE_128, 300, 1).hashCode();
        sum += writer.encode(text(random, LETTERS, 12), BarcodeFormat.CODE_39, 300, 1).hashCode();
        return sum;
    }

    /** Codes in two dimensions: written, blotted, found in their picture and read. */
    private static long squares(Random random) throws WriterException {
        String text = text(random, LETTERS, 10 + random.nextInt(50));
        BitMatrix code = new QRCodeWriter().encode(text, BarcodeFormat.QR_CODE, SIDE, SIDE);
        int[] picture = picture(code, random, SIDE / 4);
        try {
            BinaryBitmap bitmap = bitmap(picture, code.getWidth(), code.getHeight());
            return new QRCodeReader().decode(bitmap).getText().hashCode();
        } catch (ReaderException e) {
            return 1;
        }
    }

    /** Codes in one dimension, of a kind that the reader has to find out. */
    private static long stripes(Random random) throws WriterException {
        BarcodeFormat format;
        String text;
        switch (random.nextInt(3)) {
            case 0:
                format = BarcodeFormat.CODE_128;
                text = text(random, LETTERS, 12);
                break;
            case 1:
                format = BarcodeFormat.CODE_39;
                text = text(random, LETTERS, 8);
                break;
            default:
                format = BarcodeFormat.ITF;
                text = text(random, "0123456789", 14);
        }
        BitMatrix code = new MultiFormatWriter().encode(text, format, 320, 24);
        int[] picture = picture(code, random, 12);
        Map<DecodeHintType, Object> hints = new EnumMap<>(DecodeHintType.class);
        List<BarcodeFormat> formats = new ArrayList<>();
        formats.add(BarcodeFormat.EAN_13);
        formats.add(BarcodeFormat.CODE_39);
        formats.add(BarcodeFormat.CODE_93);
        formats.add(BarcodeFormat.CODE_128);
        formats.add(BarcodeFormat.ITF);
        hints.put(DecodeHintType.POSSIBLE_FORMATS, formats);
        try {
            BinaryBitmap bitmap = bitmap(picture, code.getWidth(), code.getHeight());
            return new MultiFormatReader().decode(bitmap, hints).getText().hashCode();
        } catch (ReaderException e) {
            return 2;
        }
    }

    private static int[] picture(BitMatrix code, Random random, int spots) {
        int width = code.getWidth();
        int height = code.getHeight();
        int[] pixels = new int[width * height];
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                pixels[y * width + x] = code.get(x, y) ? 0x101010 : 0xf0f0f0;
            }
        }
        for (int spot = 0; spot < spots; spot++) {
            pixels[random.nextInt(pixels.length)] ^= 0xffffff;
        }
        return pixels;
    }

    private static BinaryBitmap bitmap(int[] pixels, int width, int height) {
        return new BinaryBitmap(new HybridBinarizer(new RGBLuminanceSource(width, height, pixels)));
    }
}
