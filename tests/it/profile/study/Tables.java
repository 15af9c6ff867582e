package study;

import com.univocity.parsers.common.processor.BeanListProcessor;
import com.univocity.parsers.common.processor.ColumnProcessor;
import com.univocity.parsers.csv.CsvParser;
import com.univocity.parsers.csv.CsvParserSettings;
import com.univocity.parsers.csv.CsvWriter;
import com.univocity.parsers.csv.CsvWriterSettings;
import com.univocity.parsers.fixed.FixedWidthFields;
import com.univocity.parsers.fixed.FixedWidthParser;
import com.univocity.parsers.fixed.FixedWidthParserSettings;
import com.univocity.parsers.fixed.FixedWidthWriter;
import com.univocity.parsers.fixed.FixedWidthWriterSettings;
import com.univocity.parsers.tsv.TsvParser;
import com.univocity.parsers.tsv.TsvParserSettings;
import com.univocity.parsers.tsv.TsvWriter;
import com.univocity.parsers.tsv.TsvWriterSettings;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.List;
import java.util.Random;

/** univocity-parsers: `frames` rounds of what `kind` names, a table of 200 rows each. */
public final class Tables {
    private static final int ROWS = 200;
    private static final String[] HEADERS = {"name", "town", "count", "price", "note"};

    private Tables() {}

    public static void main(String[] args) {
        int frames = 1;
        String kind = "commas";
        for (String arg : args) {
            if (arg.startsWith("frames=")) {
                frames = Integer.parseInt(arg.substring("frames=".length()));
            } else if (arg.startsWith("kind=")) {
                kind = arg.substring("kind=".length());
            }
        }
        System.out.println("wattline: begin");
        String[][] table = table(new Random(23));
        long result = 0;
        for (int frame = 0; frame < frames; frame++) {
            table[frame % ROWS][0] = "round " + frame;
            switch (kind) {
                case "commas":
                    result = 31 * result + commas(table);
                    break;
                case "tabs":
                    result = 31 * result + tabs(table);
                    break;
                default:
                    result = 31 * result + widths(table);
            }
        }
        System.out.println("wattline: end");
        System.out.println(result);
    }

    private static String[][] table(Random random) {
        String[] towns = {"Ulm", "Bad Segeberg", "\"Little\" Rock", "Paris, Texas", "Oslo", ""};
        String[][] rows = new String[ROWS][];
        for (int i = 0; i < rows.length; i++) {
            String note = i % 7 == 0 ? "two\nlines, and \"more\"" : "tab\tand \\ " + random.nextInt(1000);
            rows[i] = new String[] {
                "row " + random.nextInt(100000),
                towns[random.nextInt(towns.length)],
                Integer.toString(random.nextInt(5000)),
                random.nextInt(900) + "." + (10 + random.nextInt(90)),
                note,
            };
        }
        return rows;
    }

    /** Written with quotes where they are needed, and read by column. */
    private static long commas(String[][] table) {
        StringWriter text = new StringWriter();
        CsvWriterSettings writing = new CsvWriterSettings();
        writing.setHeaders(HEADERS);
        writing.setHeaderWritingEnabled(true);
        new CsvWriter(text, writing).writeRowsAndClose(table);
        CsvParserSettings reading = new CsvParserSettings();
        reading.setReadInputOnSeparateThread(false);
        reading.setHeaderExtractionEnabled(true);
        reading.setLineSeparatorDetectionEnabled(true);
        ColumnProcessor columns = new ColumnProcessor();
        reading.setProcessor(columns);
        new CsvParser(reading).parse(new StringReader(text.toString()));
        List<String> prices = columns.getColumn("price");
        return prices.size() + 31L * text.getBuffer().length();
    }

    /** Written with escapes and read, three of five columns. */
    private static long tabs(String[][] table) {
        StringWriter text = new StringWriter();
        TsvWriterSettings writing = new TsvWriterSettings();
        writing.setHeaders(HEADERS);
        new TsvWriter(text, writing).writeRowsAndClose(table);
        TsvParserSettings reading = new TsvParserSettings();
        reading.setReadInputOnSeparateThread(false);
        reading.selectIndexes(4, 0, 3);
        long sum = 0;
        for (String[] row : new TsvParser(reading).parseAll(new StringReader(text.toString()))) {
            sum = 31 * sum + row[0].hashCode();
        }
        return sum;
    }

    /** Padded and read again, into objects. */
    private static long widths(String[][] table) {
        StringWriter text = new StringWriter();
        FixedWidthWriterSettings writing = new FixedWidthWriterSettings(fields());
        writing.setHeaders(HEADERS);
        writing.setHeaderWritingEnabled(true);
        FixedWidthWriter writer = new FixedWidthWriter(text, writing);
        for (String[] row : table) {
            writer.writeRow(row[0], row[1], row[2], row[3], "none");
        }
        writer.close();
        FixedWidthParserSettings reading = new FixedWidthParserSettings(fields());
        reading.setReadInputOnSeparateThread(false);
        reading.setHeaderExtractionEnabled(true);
        BeanListProcessor<Sale> sales = new BeanListProcessor<>(Sale.class);
        reading.setProcessor(sales);
        new FixedWidthParser(reading).parse(new StringReader(text.toString()));
        long sum = 0;
        for (Sale sale : sales.getBeans()) {
            sum = 31 * sum + sale.worth();
        }
        return sum;
    }

    private static FixedWidthFields fields() {
        return new FixedWidthFields(16, 20, 8, 10, 8);
    }
}
