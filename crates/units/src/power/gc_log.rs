//! Parser of GC messages in the log: Dalvik's, ART's of Android 5-7, 8-11 and 12 on. ART logs
//! only slow or explicit GC runs.

/// One GC run as the runtime logged it.
#[derive(Debug, Clone, PartialEq)]
pub struct GarbageCollection {
    /// Cause in the runtime's words: `GC_CONCURRENT`, `Explicit`, `Background`.
    pub cause: String,
    /// Bytes freed.
    pub freed_bytes: u64,
    /// Time the application stood still, in seconds.
    pub paused_s: f64,
    /// Duration of the GC run, in seconds; missing in some lines of Android 2 and `GC_FOR_ALLOC`.
    pub total_s: Option<f64>,
}

/// Reads the message of a log line; `None` when it is about no GC run.
pub fn parse_gc_message(message: &str) -> Option<GarbageCollection> {
    if message.starts_with("GC_") { parse_dalvik(message) } else { parse_art(message) }
}

/// Reads `GC_CONCURRENT freed 1511K, 22% free 19523K/24832K, paused 5ms+3ms, total 33ms`.
fn parse_dalvik(message: &str) -> Option<GarbageCollection> {
    let (cause, rest) = message.split_once(" freed ")?;
    let is_cause = |c: char| c.is_ascii_uppercase() || c == '_';
    if !cause.chars().all(is_cause) {
        return None;
    }
    Some(GarbageCollection {
        cause: cause.into(),
        freed_bytes: leading_size(rest.trim_start_matches('<'))?,
        paused_s: parse_pauses(text_after(message, "paused ")?)?,
        total_s: text_after(message, "total ").and_then(parse_duration),
    })
}

/// Reads `Background concurrent copying GC freed 740158(26MB) AllocSpace objects, 0(0B) LOS
/// objects, 28% free, 59MB/83MB, paused 86us,66us total 851.010ms`; since Android 12
/// `freed 6922KB AllocSpace bytes`.
fn parse_art(message: &str) -> Option<GarbageCollection> {
    let (collector, rest) = message.split_once(" GC freed ")?;
    let cause = collector.split(' ').next().filter(|cause| !cause.is_empty())?;
    let first = rest.split(' ').next()?;
    let size = match first.split_once('(') {
        Some((_, in_brackets)) => in_brackets.strip_suffix(')')?,
        None => first,
    };
    Some(GarbageCollection {
        cause: cause.into(),
        freed_bytes: leading_size(size)?,
        paused_s: parse_pauses(text_after(message, "paused ")?.split(" total").next()?)?,
        total_s: text_after(message, "total ").and_then(parse_duration),
    })
}

/// Returns the text after a word, up to the end of the message.
fn text_after<'t>(message: &'t str, word: &str) -> Option<&'t str> {
    message.split_once(word).map(|(_, rest)| rest)
}

/// Reads pauses, `5ms+3ms, total ..` or `86us,66us`, and returns their sum in seconds.
fn parse_pauses(text: &str) -> Option<f64> {
    let text = text.split(", ").next()?;
    text.split(['+', ',']).map(|pause| parse_duration(pause.trim())).sum()
}

/// Reads `33ms`, `538us`, `160.028ms`, `1.2s` or `12ns` as seconds.
fn parse_duration(text: &str) -> Option<f64> {
    let (number, unit) = number_and_unit(text)?;
    let scale = match unit {
        "s" => 1.0,
        "ms" => 1e-3,
        "us" => 1e-6,
        "ns" => 1e-9,
        _ => return None,
    };
    Some(number * scale)
}

/// Reads `1511K`, `911KB`, `26MB`, `1.2GB` or `0B` at the start of a text as bytes.
fn leading_size(text: &str) -> Option<u64> {
    let (number, unit) = number_and_unit(text)?;
    let scale = match unit.trim_end_matches('B') {
        "" => 1.0,
        "K" => 1024.0,
        "M" => 1024.0 * 1024.0,
        "G" => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    Some((number * scale) as u64)
}

fn number_and_unit(text: &str) -> Option<(f64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let unit_length = text[end..].find(|c: char| !c.is_ascii_alphabetic());
    let unit = &text[end..end + unit_length.unwrap_or(text.len() - end)];
    Some((text[..end].parse().ok()?, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(message: &str, cause: &str, freed_bytes: u64, paused_ms: f64, total_ms: Option<f64>) {
        let collection = parse_gc_message(message).unwrap_or_else(|| panic!("{message}"));
        assert_eq!(collection.cause, cause);
        assert_eq!(collection.freed_bytes, freed_bytes, "{message}");
        assert!((collection.paused_s * 1e3 - paused_ms).abs() < 1e-9, "{collection:?}");
        match (collection.total_s, total_ms) {
            (Some(found), Some(expected)) => assert!((found * 1e3 - expected).abs() < 1e-9),
            (found, expected) => assert_eq!(found, expected, "{message}"),
        }
    }

    #[test]
    fn dalviks_lines() {
        check(
            "GC_CONCURRENT freed 1511K, 22% free 19523K/24832K, paused 5ms+3ms, total 33ms",
            "GC_CONCURRENT",
            1511 * 1024,
            8.0,
            Some(33.0),
        );
        check(
            "GC_FOR_ALLOC freed 500K, 10% free 9000K/10000K, paused 21ms, total 21ms",
            "GC_FOR_ALLOC",
            500 * 1024,
            21.0,
            Some(21.0),
        );
        check(
            "GC_EXPLICIT freed <1K, 10% free 9000K/10000K, paused 2ms+2ms, total 14ms",
            "GC_EXPLICIT",
            1024,
            4.0,
            Some(14.0),
        );
        let android_2 =
            "GC_EXPLICIT freed 5K, 51% free 2662K/5379K, external 1625K/2137K, paused 45ms";
        check(android_2, "GC_EXPLICIT", 5 * 1024, 45.0, None);
    }

    #[test]
    fn arts_lines() {
        check(
            "Explicit concurrent mark sweep GC freed 15600(911KB) AllocSpace objects, 0(0B) LOS \
             objects, 34% free, 29MB/45MB, paused 538us total 160.028ms",
            "Explicit",
            911 * 1024,
            0.538,
            Some(160.028),
        );
        check(
            "Background concurrent copying GC freed 740158(26MB) AllocSpace objects, 0(0B) LOS \
             objects, 28% free, 59MB/83MB, paused 86us,66us total 851.010ms",
            "Background",
            26 << 20,
            0.152,
            Some(851.010),
        );
        check(
            "Explicit concurrent copying GC freed 6922KB AllocSpace bytes, 3(60KB) LOS objects, \
             50% free, 9MB/18MB, paused 60us,40us total 30.1ms",
            "Explicit",
            6922 * 1024,
            0.1,
            Some(30.1),
        );
    }

    #[test]
    fn other_messages_are_none() {
        for message in
            ["GC_CONCURRENT", "GC freed nothing", "wattline: begin", "", "GC_X freed K, paused 1ms"]
        {
            assert_eq!(parse_gc_message(message), None, "{message}");
        }
    }
}
