# Gives the events of a recording (asciicast 2) times that depend on their contents alone: letters
# come evenly, one at a time, outputs at once, and the prompt after them when they have been read.
# So recordings of the same outputs are the same, however long the commands took and however the
# recorder divided what it read.
#
# Events are lines such as `[0.86, "o", "w"]`; the first line is the head.
BEGIN {
    prompt = "\\u001b[32m$\\u001b[0m "
    newline = "\\r\\n"
}
NR == 1 {
    print "{\"version\": 2, \"width\": " columns ", \"height\": " rows "}"
    next
}
{
    sub(/^\[[0-9.e-]+, "o", "/, "")
    sub(/"\]$/, "")
    contents = contents $0
}
END {
    while (contents != "") {
        if (is_typing) {
            type()
        } else {
            show()
        }
    }
}

# One letter, or the end of the command.
function type() {
    if (index(contents, newline) == 1) {
        event(0.4, length(newline))
        is_typing = 0
        return
    }
    match(contents, /^(\\u....|\\.|.)/)
    event(0.04, RLENGTH)
}

# The output up to the next prompt, then the prompt.
function show(    size) {
    size = index(contents, prompt)
    if (size != 1) {
        event(0.6, size ? size - 1 : length(contents))
    }
    if (size) {
        event(prompts++ ? 3 : 0.5, length(prompt))
        is_typing = 1
    }
}

function event(seconds, size) {
    time += seconds
    printf "[%.2f, \"o\", \"%s\"]\n", time, substr(contents, 1, size)
    contents = substr(contents, size + 1)
}
