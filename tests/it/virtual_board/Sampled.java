package org.wattline.sampled;

import java.util.Arrays;

/** Frames of work in methods of different costs, one of them in two overloads. */
public class Sampled {
    private static final double[] VALUES = new double[400];
    private static final int[] KEYS = new int[300];

    private static void smooth() {
        for (int round = 0; round < 3; round++) {
            for (int i = 1; i < VALUES.length - 1; i++) {
                VALUES[i] = (VALUES[i - 1] + 2 * VALUES[i] + VALUES[i + 1]) * 0.25 + i;
            }
        }
    }

    private static int hash(int value) {
        int hash = value;
        for (int i = 0; i < 40; i++) {
            hash = hash * 31 + (hash >>> 7) ^ i;
        }
        return hash;
    }

    private static long hash(String text) {
        long hash = 7;
        for (int i = 0; i < text.length(); i++) {
            hash = hash * 131 + text.charAt(i);
        }
        return hash;
    }

    private static void sort(int frame) {
        for (int i = 0; i < KEYS.length; i++) {
            KEYS[i] = (i * 7919 + frame) % 1009;
        }
        Arrays.sort(KEYS);
    }

    public static void main(String[] arguments) throws Exception {
        int frames = 60;
        for (String argument : arguments) {
            if (argument.startsWith("frames=")) {
                frames = Integer.parseInt(argument.substring(7));
            }
        }
        long sum = 0;
        for (int frame = 0; frame < frames; frame++) {
            long began = System.nanoTime();
            smooth();
            for (int i = 0; i < 25; i++) {
                sum += hash(frame + i);
            }
            sum += hash("the text of frame " + frame);
            sort(frame);
            long rest = 16_666_667 - (System.nanoTime() - began);
            if (rest > 0) {
                Thread.sleep(rest / 1_000_000, (int) (rest % 1_000_000));
            }
        }
        System.out.println("sum " + sum);
    }
}
