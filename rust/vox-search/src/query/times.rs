//! Times as people write them: a date, a time, or how long ago.

use chrono::{DateTime, Local, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone};

/// What a time may look like, for messages.
pub(super) const EXAMPLES: &str = "2026-01-31, 2026-01, 2026-01-31T12:00 or 7d";

/// Milliseconds of minutes, hours, days and weeks.
const UNITS: [(char, i64); 4] =
    [('m', 60_000), ('h', 3_600_000), ('d', 86_400_000), ('w', 604_800_000)];

/// The UTC milliseconds that `text` means when it is `now`; what names no zone is local time.
pub(super) fn milliseconds(text: &str, now: i64) -> Option<i64> {
    ago(text, now).or_else(|| with_zone(text)).or_else(|| in_zone(civil(text)?, &Local))
}

/// `90m`, `12h`, `7d`, `4w` before `now`.
fn ago(text: &str, now: i64) -> Option<i64> {
    let (_, unit) = UNITS.iter().find(|(letter, _)| text.ends_with(*letter))?;
    let count = &text[..text.len() - 1];
    if count.is_empty() || !count.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // What is longer ago than any time was before all of them.
    let length = count.parse::<i64>().ok().and_then(|count| count.checked_mul(*unit));
    Some(length.and_then(|length| now.checked_sub(length)).unwrap_or(i64::MIN))
}

/// `2026-01-31T12:00:00Z`, `2026-01-31T12:00+01:00`.
fn with_zone(text: &str) -> Option<i64> {
    let formats = ["%Y-%m-%dT%H:%M:%S%.f%#z", "%Y-%m-%dT%H:%M%#z"];
    let at = formats.iter().find_map(|format| DateTime::parse_from_str(text, format).ok())?;
    Some(at.timestamp_millis())
}

/// A date or time on a clock: `2026`, `2026-01`, `2026-01-31`, `2026-01-31T12:00`, with seconds.
fn civil(text: &str) -> Option<NaiveDateTime> {
    let formats = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M"];
    if let Some(at) = formats.iter().find_map(|f| NaiveDateTime::parse_from_str(text, f).ok()) {
        return Some(at);
    }
    let whole = match text.len() {
        4 => format!("{text}-01-01"),
        7 => format!("{text}-01"),
        10 => text.to_owned(),
        _ => return None,
    };
    NaiveDate::parse_from_str(&whole, "%Y-%m-%d").ok().map(|date| date.and_time(NaiveTime::MIN))
}

/// When the clocks of `zone` first show `civil`; if they skip it, when they do.
fn in_zone<Z: TimeZone>(civil: NaiveDateTime, zone: &Z) -> Option<i64> {
    // No zone's clocks skip more than a day.
    (0..=24 * 4).find_map(|quarters| {
        let shown = civil.checked_add_signed(TimeDelta::minutes(quarters * 15))?;
        zone.from_local_datetime(&shown).earliest().map(|at| at.timestamp_millis())
    })
}

#[cfg(test)]
mod tests {
    use chrono::{FixedOffset, Utc};

    use super::*;

    const NOON: i64 = 1_769_860_800_000; // 2026-01-31T12:00Z

    #[test]
    fn how_long_ago_is_counted_from_now() {
        for (text, hours) in [("90m", 1.5), ("12h", 12.0), ("7d", 168.0), ("4w", 672.0)] {
            let ms = (hours * 3_600_000.0) as i64;
            assert_eq!(milliseconds(text, NOON), Some(NOON - ms), "{text}");
        }
        assert_eq!(milliseconds("99999999999999999999w", NOON), Some(i64::MIN));
    }

    #[test]
    fn a_time_with_a_zone_means_that_zone() {
        for text in ["2026-01-31T12:00Z", "2026-01-31T13:00:00+01:00", "2026-01-31T12:00:00.000z"] {
            assert_eq!(milliseconds(text, 0), Some(NOON), "{text}");
        }
    }

    #[test]
    fn a_date_begins_when_its_zone_says() {
        let hour = FixedOffset::east_opt(3600).unwrap();
        let midnight = in_zone(civil("2026-01-31").unwrap(), &Utc).unwrap();
        assert_eq!(midnight, NOON - 12 * 3_600_000);
        assert_eq!(in_zone(civil("2026-01-31").unwrap(), &hour), Some(midnight - 3_600_000));
        let of = |text| in_zone(civil(text).unwrap(), &Utc);
        assert_eq!(of("2026"), of("2026-01-01"));
        assert_eq!(of("2026-01"), of("2026-01-01T00:00"));
        assert_eq!(of("2026-01-31T12:00:00"), Some(NOON));
    }

    #[test]
    fn what_is_no_time_is_none() {
        for text in ["", "d", "7y", "-7d", "2026-13-01", "2026-02-30", "31.01.2026", "soon", "７d"]
        {
            assert_eq!(milliseconds(text, NOON), None, "{text}");
        }
    }
}
