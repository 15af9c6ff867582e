package org.wattline.phases;

import java.io.FileWriter;
import wattline.Activities;

/** Two sorts of work in turns, with pauses: six rounds, a long pause, six rounds more. */
public class Phases {
    private static final double[] PIXELS = new double[4096];
    private static final int[] KEYS = new int[4096];

    private static int search(int rounds) {
        int found = 0;
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < KEYS.length; i++) {
                found += KEYS[i] ^ round;
            }
        }
        return found;
    }

    private static void render(int rounds) {
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < PIXELS.length; i++) {
                PIXELS[i] = PIXELS[i] * 0.999 + i;
            }
        }
    }

    private static int searchSlow(int rounds) {
        int found = 0;
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < KEYS.length; i++) {
                found += KEYS[i] ^ round;
            }
        }
        return found;
    }

    private static void renderSlow(int rounds) {
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < PIXELS.length; i++) {
                PIXELS[i] = PIXELS[i] * 0.999 + i;
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println("wattline: begin");
        int sum = 0;
        for (int round = 0; round < 6; round++) {
            Activities.begin("search");
            sum += search(400 + 150 * round);
            Activities.end();
            Thread.sleep(300 + 40 * round);
            Activities.run("render", () -> render(500));
            Thread.sleep(250);
        }
        Thread.sleep(6000);
        for (int round = 0; round < 6; round++) {
            Activities.begin("search slow");
            sum += searchSlow(400 + 150 * round);
            Activities.end();
            Thread.sleep(300 + 40 * round);
            Activities.run("render slow", () -> renderSlow(500));
            Thread.sleep(250);
        }
        System.out.println("sum " + sum);
        System.out.println("wattline: end");
        try (FileWriter counts = new FileWriter("wattline-counts-1.csv")) {
            counts.write("block,executions\n");
        }
    }
}
