package org.jbox2d.common;

/**
 * Stands in for the engine's timer, which reads the system's clock hundreds of times a frame for a
 * profile that nobody reads here. The engine has such stand-ins for other platforms, too.
 */
public class Timer {
    public void reset() {}

    public float getMilliseconds() {
        return 0f;
    }
}
