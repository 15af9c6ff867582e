package org.wattline.junit;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** CSV as RFC 4180 has it. */
final class CsvText {
    private CsvText() {
    }

    static String row(List<String> cells) {
        return cells.stream().map(CsvText::cell).collect(Collectors.joining(",")) + "\n";
    }

    /** A spreadsheet takes a cell that begins so for a formula. */
    static String safe(String cell) {
        boolean isFormula = !cell.isEmpty() && "=+-@\t\r".indexOf(cell.charAt(0)) >= 0;
        return isFormula ? "'" + cell : cell;
    }

    private static String cell(String text) {
        boolean isPlain = text.chars().noneMatch(c -> c == '"' || c == ',' || c == '\n' || c == '\r');
        return isPlain ? text : '"' + text.replace("\"", "\"\"") + '"';
    }

    static List<List<String>> parse(String text) {
        List<List<String>> rows = new ArrayList<>();
        List<String> row = new ArrayList<>();
        StringBuilder cell = new StringBuilder();
        boolean isQuoted = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (isQuoted && c == '"' && i + 1 < text.length() && text.charAt(i + 1) == '"') {
                cell.append(c);
                i++;
            } else if (c == '"') {
                isQuoted = !isQuoted;
            } else if (!isQuoted && (c == ',' || c == '\n')) {
                row.add(cell.toString());
                cell.setLength(0);
                if (c == '\n') {
                    rows.add(row);
                    row = new ArrayList<>();
                }
            } else if (isQuoted || c != '\r') {
                cell.append(c);
            }
        }
        return rows;
    }
}
