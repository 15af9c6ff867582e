package org.wattline.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StudentTTest {
    /** From the printed tables of the distribution. */
    @ParameterizedTest
    @CsvSource({"1, 12.706", "2, 4.303", "4, 2.776", "9, 2.262", "30, 2.042", "1000, 1.962"})
    void quantilesAreThoseOfTables(double degreesOfFreedom, double quantile) {
        assertEquals(quantile, StudentT.quantile975(degreesOfFreedom), 5e-4);
    }
}
