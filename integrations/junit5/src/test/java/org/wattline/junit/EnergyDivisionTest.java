package org.wattline.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EnergyDivisionTest {
    private final EnergyAccount one = new EnergyAccount();
    private final EnergyAccount two = new EnergyAccount();
    private final EnergyAccount rest = new EnergyAccount();

    private CpuSegment segment(long begin, long end, long ofOne, long ofTwo) {
        Map<EnergyAccount, Long> nanos = new IdentityHashMap<>();
        nanos.put(one, ofOne);
        nanos.put(two, ofTwo);
        return new CpuSegment(begin, end, nanos);
    }

    @Test
    void energyIsSharedByCpuTime() {
        EnergyDivision.divide(new MeterCycle(0, 100, new BigDecimal("4")), List.of(segment(0, 100, 30, 10)), rest);
        assertEquals(3, one.joules().doubleValue(), 1e-12);
        assertEquals(1, two.joules().doubleValue(), 1e-12);
        assertEquals(0, rest.joules().signum());
    }

    @Test
    void aSegmentCountsForThePartThatLiesInTheCycle() {
        List<CpuSegment> segments = List.of(segment(0, 100, 40, 0), segment(100, 200, 0, 20));
        EnergyDivision.divide(new MeterCycle(50, 200, new BigDecimal("4")), segments, rest);
        assertEquals(2, one.joules().doubleValue(), 1e-12);
        assertEquals(2, two.joules().doubleValue(), 1e-12);
    }

    @Test
    void partsAddUpToTheLastDigit() {
        BigDecimal all = BigDecimal.ZERO;
        for (int i = 1; i < 200; i++) {
            BigDecimal joules = new BigDecimal("0.105000000000001").multiply(BigDecimal.valueOf(i));
            all = all.add(joules);
            EnergyDivision.divide(new MeterCycle(0, 7, joules), new ArrayList<>(List.of(segment(0, 9, i, 3))), rest);
        }
        assertEquals(all, one.joules().add(two.joules()).add(rest.joules()));
    }

    @Test
    void energyWithoutCpuTimeBelongsToNoTest() {
        EnergyDivision.divide(new MeterCycle(0, 100, BigDecimal.ONE), List.of(segment(0, 100, 0, 0)), rest);
        assertEquals(BigDecimal.ONE, rest.joules());
    }
}
