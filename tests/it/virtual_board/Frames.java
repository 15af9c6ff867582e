package org.wattline.frames;

import java.io.BufferedReader;
import java.io.FileWriter;
import java.io.InputStreamReader;

/** Sixty frames a second: a little work each, and what the input says. */
public class Frames {
    private static final double[] VALUES = new double[2000];

    private static void work() {
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < VALUES.length; i++) {
                VALUES[i] = VALUES[i] * 1.0001 + i;
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        int frames = 60;
        for (String argument : arguments) {
            if (argument.startsWith("frames=")) {
                frames = Integer.parseInt(argument.substring(7));
            }
        }
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("wattline: begin");
        for (int frame = 0; frame < frames; frame++) {
            long began = System.nanoTime();
            while (input.ready()) {
                System.out.println("frame " + frame + ": " + input.readLine());
            }
            work();
            byte[] rubbish = new byte[20_000];
            rubbish[frame % rubbish.length] = 1;
            long rest = 16_666_667 - (System.nanoTime() - began);
            if (rest > 0) {
                Thread.sleep(rest / 1_000_000, (int) (rest % 1_000_000));
            }
        }
        if (arguments.length > 1) {
            throw new IllegalStateException("on purpose");
        }
        System.out.println("wattline: end");
        try (FileWriter counts = new FileWriter("wattline-counts-1.csv")) {
            counts.write("block,executions\nframe," + frames + "\n");
        }
    }
}
