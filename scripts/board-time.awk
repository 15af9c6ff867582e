# board-time.csv -> SVG: error of lines against board time, both axes logarithmic, median
# and 90th percentile side by side. Colours of Okabe and Ito.
function log10(x) { return log(x) / log(10) }
function part(value, low, high) { return log(value / low) / log(high / low) }
function panel(left, title, column,    i, j, low, high, first, last, x, y, power, k, tick, path, step) {
    low = 1e30; high = 0; first = 1e30; last = 0
    for (i = 1; i <= rows; i++) {
        if (cell[i, column] < low) low = cell[i, column]
        if (cell[i, column] > high) high = cell[i, column]
        if (hours[i] < first) first = hours[i]
        if (hours[i] > last) last = hours[i]
    }
    low /= 1.3; high *= 1.3; first /= 1.3; last *= 1.3
    printf "<text x=\"%d\" y=\"%d\">%s, %%</text>", left, top - 8, title
    printf "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">board time, hours</text>\n", left + width, top + depth + 36
    for (power = -3; power <= 5; power++) for (k = 1; k <= 3; k++) {
        step = k == 1 ? 1 : k == 2 ? 2 : 5
        tick = step * 10 ^ power
        if (tick >= first && tick <= last) {
            x = left + width * part(tick, first, last)
            printf "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#ddd\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n", x, top, x, top + depth, x, top + depth + 16, tick
        }
        if (tick >= low && tick <= high) {
            y = top + depth * (1 - part(tick, low, high))
            printf "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", left, y, left + width, y, left - 6, y + 4, tick
        }
    }
    for (j = 1; j <= curves; j++) {
        path = ""; dots = ""
        for (i = 1; i <= rows; i++) if (curve[i] == j) {
            x = left + width * part(hours[i], first, last)
            y = top + depth * (1 - part(cell[i, column], low, high))
            path = path sprintf("%.1f,%.1f ", x, y)
            dots = dots sprintf("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>", x, y, colour[j])
        }
        printf "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>%s\n", path, colour[j], dots
    }
}
BEGIN {
    FS = ","
    split("#d55e00 #e69f00 #999999 #0072b2 #56b4e9 #009e73 #000000 #cc79a7", colour, " ")
    top = 56; width = 390; depth = 340
}
NR > 1 {
    rows++
    if (!($1 in number)) { number[$1] = ++curves; name[curves] = $1 }
    curve[rows] = number[$1]
    hours[rows] = $5 / 3600
    cell[rows, 6] = $6 + 0; cell[rows, 7] = $7 + 0
}
END {
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 960 570\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\"><title>Error of line energies against board time</title><rect width=\"960\" height=\"570\" fill=\"white\"/>\n"
    printf "<text x=\"64\" y=\"24\" font-size=\"15\">Error of line energies against board time (virtual board: simulated)</text>\n"
    panel(64, "median over lines", 6)
    panel(528, "90th percentile over lines", 7)
    for (j = 1; j <= curves; j++) {
        x = 64 + ((j - 1) % 2) * 464; y = top + depth + 66 + int((j - 1) / 2) * 22
        printf "<circle cx=\"%d\" cy=\"%d\" r=\"5\" fill=\"%s\"/><text x=\"%d\" y=\"%d\">%s</text>\n", x, y - 4, colour[j], x + 12, y, name[j]
    }
    print "</svg>"
}
