package org.wattline.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import org.junit.jupiter.api.Test;

class CpuTimelineTest {
    private static final long WORK_NANOS = 60_000_000;

    /** Works until this thread has used so much CPU time, however long the machine takes for it. */
    private static void work(long nanos) {
        long until = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() + nanos;
        while (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() < until) {
            Thread.onSpinWait();
        }
    }

    private static void settleAll(CpuTimeline timeline) {
        timeline.settle(new MeterCycle(Long.MIN_VALUE / 2, Long.MAX_VALUE / 2, BigDecimal.TEN));
    }

    @Test
    void aTestOwnsTheCpuTimeOfItsThread() {
        CpuTimeline timeline = new CpuTimeline();
        EnergyAccount account = new EnergyAccount();
        CpuTimeline.Running running = timeline.begin(account);
        work(WORK_NANOS);
        timeline.end(running);
        settleAll(timeline);
        assertTrue(account.cpuSeconds() >= WORK_NANOS / 1e9, account.cpuSeconds() + " s");
        assertTrue(account.joules().signum() > 0);
    }

    @Test
    void theOnlyTestOwnsThreadsThatItStarts() throws InterruptedException {
        CpuTimeline timeline = new CpuTimeline();
        EnergyAccount account = new EnergyAccount();
        CpuTimeline.Running running = timeline.begin(account);
        Thread helper = new Thread(() -> work(10 * WORK_NANOS));
        helper.start();
        helper.join();
        timeline.end(running);
        settleAll(timeline);
        // An ended thread is known by the process, whose clock goes in steps of 10 ms.
        assertTrue(account.cpuSeconds() >= 9 * WORK_NANOS / 1e9, account.cpuSeconds() + " s");
    }

    @Test
    void threadsBesideSeveralTestsBelongToNone() throws InterruptedException {
        CpuTimeline timeline = new CpuTimeline();
        EnergyAccount own = new EnergyAccount();
        CpuTimeline.Running first = timeline.begin(own);
        CpuTimeline.Running second = timeline.begin(own);
        Thread helper = new Thread(() -> work(10 * WORK_NANOS));
        helper.start();
        helper.join();
        timeline.end(second);
        timeline.end(first);
        settleAll(timeline);
        double shared = timeline.remainder(Remainder.SHARED).cpuSeconds();
        assertTrue(shared >= 9 * WORK_NANOS / 1e9, shared + " s");
    }

    @Test
    void theInnerOfTwoTestsOnAThreadOwnsIt() {
        CpuTimeline timeline = new CpuTimeline();
        EnergyAccount outer = new EnergyAccount();
        EnergyAccount inner = new EnergyAccount();
        CpuTimeline.Running waits = timeline.begin(outer);
        CpuTimeline.Running works = timeline.begin(inner);
        work(WORK_NANOS);
        timeline.end(works);
        timeline.end(waits);
        settleAll(timeline);
        assertTrue(inner.cpuSeconds() >= WORK_NANOS / 1e9, inner.cpuSeconds() + " s");
        assertTrue(outer.cpuSeconds() < inner.cpuSeconds());
    }

    @Test
    void readingsBelongToNoTest() {
        CpuTimeline timeline = new CpuTimeline();
        EnergyAccount account = new EnergyAccount();
        for (int i = 0; i < 100; i++) {
            timeline.end(timeline.begin(account));
        }
        settleAll(timeline);
        double readings = timeline.remainder(Remainder.WATTLINE).cpuSeconds();
        assertTrue(account.cpuSeconds() < readings / 2, account.cpuSeconds() + " s, and readings " + readings + " s");
    }

    @Test
    void allOfTheEnergyHasAnOwner() {
        CpuTimeline timeline = new CpuTimeline();
        EnergyAccount account = new EnergyAccount();
        CpuTimeline.Running running = timeline.begin(account);
        work(WORK_NANOS);
        timeline.end(running);
        settleAll(timeline);
        BigDecimal all = account.joules();
        for (Remainder remainder : Remainder.values()) {
            all = all.add(timeline.remainder(remainder).joules());
        }
        assertEquals(0, all.compareTo(BigDecimal.TEN));
    }
}
