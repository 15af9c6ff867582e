package game;

import com.badlogic.gdx.backends.android.AndroidGL20;

public class Names {
    public static void main(String[] args) {
        System.out.println("wattline: begin");
        System.out.println(AndroidGL20.class.getName());
        System.out.println("wattline: end");
    }
}
