package wattline.board.installer;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The part of the board's package manager that reads packages, staying warm. A request is the
 * number of its bytes (four, the highest first) and its words with zero bytes between them. It
 * answers with 0 or 1 and the number of bytes of what there is to say on one line, then that.
 * Requests:
 *
 * <pre>
 * read SDK APK                    checks the signature as Android of that API level does; says
 *                                 what the manifest says, a fact a line, fields between tabs
 * translate APK OUT FRAMEWORK     makes a jar of classes of the DEX
 * </pre>
 *
 * What is refused is said as Android says it: {@code INSTALL_...: why}.
 */
public final class Installer {
    private Installer() {
    }

    public static void main(String[] arguments) throws IOException {
        PrintStream answers = System.out;
        // What a library prints is no answer.
        System.setOut(System.err);
        DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
        for (List<String> request = next(in); !request.isEmpty(); request = next(in)) {
            int code = 0;
            String said;
            try {
                said = answer(request);
            } catch (Refused refused) {
                code = 1;
                said = refused.getMessage();
            } catch (IOException | RuntimeException | Error error) {
                code = 1;
                said = "INSTALL_PARSE_FAILED_UNEXPECTED_EXCEPTION: " + error;
            }
            byte[] text = said.getBytes(StandardCharsets.UTF_8);
            answers.println(code + " " + text.length);
            answers.write(text, 0, text.length);
            answers.flush();
        }
    }

    /** The words of the next request; none when there is no further one. */
    private static List<String> next(DataInputStream in) throws IOException {
        byte[] text;
        try {
            text = new byte[in.readInt()];
        } catch (EOFException ended) {
            return List.of();
        }
        in.readFully(text);
        return List.of(new String(text, StandardCharsets.UTF_8).split("\0", -1));
    }

    private static String answer(List<String> request) throws Refused, IOException {
        if (request.get(0).equals("read")) {
            File apk = new File(request.get(2));
            StringBuilder facts = new StringBuilder(Manifest.read(apk));
            return facts.append(Signature.check(apk, Integer.parseInt(request.get(1)))).toString();
        }
        File classes = new File(request.get(2));
        Translation.translate(new File(request.get(1)), classes);
        References.check(classes, new File(request.get(3)));
        return "";
    }
}
