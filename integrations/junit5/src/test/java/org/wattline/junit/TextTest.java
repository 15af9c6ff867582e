package org.wattline.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class TextTest {
    @Test
    void figuresHaveThreeDigitsAndAUnit() {
        assertEquals("12.3 J", Quantity.joules(12.345));
        assertEquals("1230 J", Quantity.joules(1234.5));
        assertEquals("999 mJ", Quantity.joules(0.9990));
        assertEquals("1.00 J", Quantity.joules(0.99951));
        assertEquals("285 nJ", Quantity.joules(2.85e-7));
        assertEquals("0 J", Quantity.joules(0));
        assertEquals("-0.275 to 4.88 mJ", Quantity.range(-0.000275, 0.00488));
    }

    @Test
    void cellsOfCsvComeBackAsTheyWere() {
        List<String> cells = List.of("plain", "a,b", "a \"quoted\" one", "two\nlines", "");
        assertEquals(List.of(cells), CsvText.parse(CsvText.row(cells)));
        assertEquals("'=1+1", CsvText.safe("=1+1"));
    }

    @Test
    void controlCharactersAreCodes() {
        assertEquals("a\\u001b[31m\\u202eb", VisibleText.of("a\u001b[31m\u202eb"));
        assertEquals("\u00e4 \ud83d\ude00", VisibleText.of("\u00e4 \ud83d\ude00"));
    }
}
