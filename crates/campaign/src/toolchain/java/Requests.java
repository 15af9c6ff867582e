
/**
 * Requests to a program that stays warm. This text goes behind that of the program, in one file,
 * so it has no imports.
 */
final class Requests {
    private Requests() {
    }

    /** The next request: the number of its arguments, then each with its length; null at the end. */
    static java.util.List<String> next(java.io.DataInputStream in) throws java.io.IOException {
        int count;
        try {
            count = in.readInt();
        } catch (java.io.EOFException end) {
            return null;
        }
        java.util.List<String> arguments = new java.util.ArrayList<>();
        for (int i = 0; i < count; i++) {
            byte[] bytes = new byte[in.readInt()];
            in.readFully(bytes);
            arguments.add(new String(bytes, java.nio.charset.StandardCharsets.UTF_8));
        }
        return arguments;
    }
}
