package wattline.board.installer;

/** Why a package is not taken, in Android's words. */
final class Refused extends Exception {
    private static final long serialVersionUID = 1;

    Refused(String code, String why) {
        super(code + ": " + why.replace('\n', ' '));
    }
}
