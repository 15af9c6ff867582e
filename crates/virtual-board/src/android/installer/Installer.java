package wattline.board.installer;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The part of the board's package manager that reads packages, staying warm. Reads requests: the
 * number of arguments, then each with its length before it. Answers with 0 or 1, and what there is
 * to say with its length before it. Numbers have four bytes, the highest first. Requests:
 *
 * <pre>
 * manifest APK                    says what the manifest says, a fact a line, fields between tabs
 * signature SDK APK               checks the signature as Android of that API level does; says
 *                                 who signed, in such lines
 * translate APK OUT FRAMEWORK     makes a jar of classes of the DEX
 * </pre>
 *
 * What is refused is said as Android says it: {@code INSTALL_...: why}.
 */
public final class Installer {
    private Installer() {
    }

    public static void main(String[] arguments) throws IOException {
        DataOutputStream answers = new DataOutputStream(System.out);
        // What a library prints is no answer.
        System.setOut(System.err);
        DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
        for (List<String> request = request(in); request != null; request = request(in)) {
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
            answers.writeInt(code);
            answers.writeInt(text.length);
            answers.write(text);
            answers.flush();
        }
    }

    /** The next request; null at the end. */
    private static List<String> request(DataInputStream in) throws IOException {
        int count;
        try {
            count = in.readInt();
        } catch (EOFException end) {
            return null;
        }
        List<String> arguments = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] bytes = new byte[in.readInt()];
            in.readFully(bytes);
            arguments.add(new String(bytes, StandardCharsets.UTF_8));
        }
        return arguments;
    }

    private static String answer(List<String> request) throws Refused, IOException {
        if (request.get(0).equals("manifest")) {
            return Manifest.read(new File(request.get(1)));
        }
        if (request.get(0).equals("signature")) {
            return Signature.check(new File(request.get(2)), Integer.parseInt(request.get(1)));
        }
        File classes = new File(request.get(2));
        Translation.translate(new File(request.get(1)), classes);
        References.check(classes, new File(request.get(3)));
        return "";
    }
}
