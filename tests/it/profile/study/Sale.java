package study;

import com.univocity.parsers.annotations.Parsed;
import com.univocity.parsers.annotations.Trim;

/** A row of the table as an object. */
public final class Sale {
    @Trim
    @Parsed(field = "town", defaultNullRead = "nowhere")
    private String town;

    @Parsed private int count;

    @Parsed private double price;

    long worth() {
        return town.length() + Math.round(count * price);
    }
}
