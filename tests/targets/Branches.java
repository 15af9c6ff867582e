/** if and switch, statements and values. */
public class Branches {
    enum Color { RED, GREEN, BLUE }

    static String grade(int n) {
        if (n > 2) { //= entry 4
            return "high"; //= if_1 1
        } else if (n > 1) //= else_1 3
            return "middle"; //= if_2 1
        else if (n == 1) { //= else_2 2
        } else {
            System.out.println("zero"); //= else_3 1
        }
        return "low"; //= after_1 2
    }

    static int old(int n) {
        int r = 0; //= entry 5
        switch (n) {
            case 0:
            case 1: // two labels
                r = 1; //= case_1 2
            case 2:
                r += 2; //= case_2 3
                break;
            case 3: {
                r = 9; //= case_3 1
            }
            break;
            default: r--; //= case_4 1
        }
        return r; //= after_1 5
    }

    static void arrows(Color color) {
        switch (color) { //= entry 3
            case RED -> System.out.println("r"); //= case_1 1
            case GREEN -> { System.out.println("g"); } //= case_2 1
            case BLUE -> throw new IllegalStateException("b"); //= case_3 1
        }
        System.out.println("after"); //= after_1 2
    }

    static int value(Color color, int n) {
        int r = 1 + switch (color) { //= entry 4
            case RED -> n; //= case_1 1
            case GREEN -> (n) + 2; //= case_2 1
            case BLUE -> {
                if (n > 0) yield 7; //= case_3 2, if_1 1
                yield 8; //= after_1 1
            }
        };
        return r; //= after_2 4
    }

    static String words(String s) {
        return switch (s) { //= entry 2
            case "a", "b": yield "ab"; //= case_1 1
            default:
                yield "other"; //= case_2 1
        };
    }

    static boolean flags(boolean a, boolean b) {
        boolean c = a && b || !a; //= entry 2
        int n = c ? 1 : 0;
        long wide = a ? 'x' : 0;
        byte small = a ? 1 : (byte) 2;
        return n + wide + small > 1;
    }

    static int assigned(int n) {
        int x; //= entry 3
        if (n > 0 && (x = n * 2) > 3) return x; //= if_1 1
        int y; //= after_1 2
        if (n < 0 || (y = n + 1) > 100) return -1; //= if_2 1
        return y; //= after_2 1
    }

    public static void main(String[] args) {
        for (int i = 0; i < 4; i++) System.out.println(grade(i));
        for (int i = 0; i < 5; i++) System.out.println(old(i));
        for (Color color : Color.values()) {
            try {
                arrows(color);
            } catch (IllegalStateException e) {
                e.printStackTrace();
            }
            System.out.println(value(color, 1));
        }
        System.out.println(value(Color.BLUE, 0));
        System.out.println(words("a") + words("c"));
        System.out.println(flags(true, false) + " " + flags(false, true));
        System.out.println(assigned(2) + assigned(-1) + assigned(1));
    }
}
