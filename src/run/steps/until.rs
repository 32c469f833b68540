//! How far to go: `hazard`, `line N`, `t 12us`.

use super::Steps;
use crate::pipeline::Unusable;
use crate::time::Ps;

/// The forms that are understood.
const FORMS: &str = "write `hazard`, `line N` or `t 12us`";

/// Where to stop.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Until {
    /// At the next hazard.
    Hazard,
    /// At the next beat about a line of the text.
    Line(u32),
    /// At the last beat up to a time.
    Time(Ps),
}

impl Until {
    /// Reads it; `lines` is the number of lines of the text.
    ///
    /// # Errors
    /// If it means nothing, or names a line that the text does not have.
    pub fn parse(text: &str, lines: u32) -> Result<Self, Unusable> {
        let text = text.trim();
        let words: Vec<&str> = text.split_whitespace().collect();
        match words[..] {
            ["hazard"] => Ok(Self::Hazard),
            ["line", number] => {
                let line = number
                    .parse()
                    .ok()
                    .filter(|line| (1..=lines).contains(line));
                line.map(Self::Line).ok_or_else(|| {
                    Unusable::new(
                        format!("there is no line `{number}`"),
                        format!("the text has lines 1 to {lines}"),
                    )
                })
            }
            ["t", time] => time_of(time).map(Self::Time).ok_or_else(|| {
                Unusable::new(
                    format!("`{time}` is not a time"),
                    "write a number with `ps`, `ns`, `us`, `ms` or `s`: `t 12us`",
                )
            }),
            _ => Err(Unusable::new(
                format!("`{text}` is no place to stop"),
                FORMS,
            )),
        }
    }
}

/// A time with its unit: digits, at most one point, at most twelve digits of each.
fn time_of(text: &str) -> Option<Ps> {
    let unit = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(unit);
    let scale: u64 = match unit {
        "ps" => 1,
        "ns" => 1_000,
        "us" => 1_000_000,
        "ms" => 1_000_000_000,
        "s" => 1_000_000_000_000,
        _ => return None,
    };
    let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
    let digits = |s: &str| (1..=12).contains(&s.len()) && s.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(part) {
        return None;
    }
    let whole: u64 = whole.parse::<u64>().ok()?.checked_mul(scale)?;
    let ten: u64 = 10_u64.pow(u32::try_from(part.len()).ok()?);
    // Less than a picosecond is cut off.
    let part = u128::from(part.parse::<u64>().ok()?) * u128::from(scale) / u128::from(ten);
    whole.checked_add(u64::try_from(part).ok()?).map(Ps)
}

impl Steps {
    /// The beat at which to stop after the beat `from` (`None`: from the start), if there is one.
    ///
    /// # Errors
    /// If no later beat is like that.
    pub fn until(&self, from: Option<usize>, until: Until) -> Result<usize, Unusable> {
        let first = from.map_or(0, |from| from + 1);
        let mut later = self.beats.iter().enumerate().skip(first);
        let none = |what: String| Unusable::new(what, "the run is told to its end without it");
        match until {
            Until::Hazard => later
                .find(|(_, beat)| beat.kind == "hazard")
                .map(|(at, _)| at)
                .ok_or_else(|| none("there is no later hazard".to_owned())),
            Until::Line(line) => later
                .find(|(_, beat)| beat.line == line)
                .map(|(at, _)| at)
                .ok_or_else(|| none(format!("nothing later is about line {line}"))),
            Until::Time(time) => {
                let over = self.beats.last().map_or(Ps::ZERO, |beat| beat.at);
                if time > over {
                    return Err(Unusable::new(
                        format!("the run is over before {time}"),
                        format!("the last thing happens at {over}"),
                    ));
                }
                let end = self.beats.partition_point(|beat| beat.at <= time);
                match end.checked_sub(1).filter(|at| *at >= first) {
                    Some(at) => Ok(at),
                    None => Err(none(format!("nothing later happens up to {time}"))),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_to_stop_is_read() {
        let read = |text| Until::parse(text, 40);
        assert_eq!(read("hazard"), Ok(Until::Hazard));
        assert_eq!(read(" line  40 "), Ok(Until::Line(40)));
        assert_eq!(read("t 12us"), Ok(Until::Time(Ps(12_000_000))));
        assert_eq!(read("t 1.5ns"), Ok(Until::Time(Ps(1_500))));
        assert_eq!(read("t 7ps"), Ok(Until::Time(Ps(7))));
        assert_eq!(read("t 0.5s"), Ok(Until::Time(Ps(500_000_000_000))));
    }

    #[test]
    fn what_is_wrong_is_named_with_what_would_be_right() {
        let said = |text: &str| Until::parse(text, 40).expect_err("it is wrong").to_string();
        assert_eq!(
            said("line 900"),
            "there is no line `900`: the text has lines 1 to 40"
        );
        assert_eq!(
            said("line 0"),
            "there is no line `0`: the text has lines 1 to 40"
        );
        for time in [
            "12",
            "12 s",
            "s",
            ".us",
            "1.us",
            "-1us",
            "9999999999999ms",
            "999999999s",
        ] {
            let first = time.split(' ').next().unwrap_or_default();
            if time.contains(' ') {
                assert_eq!(
                    said(&format!("t {time}")),
                    format!("`t {time}` is no place to stop: {FORMS}")
                );
            } else {
                assert!(
                    said(&format!("t {time}")).starts_with(&format!("`{first}` is not a time")),
                    "{time}"
                );
            }
        }
        assert_eq!(
            said("the end"),
            format!("`the end` is no place to stop: {FORMS}")
        );
        assert_eq!(said(""), format!("`` is no place to stop: {FORMS}"));
    }
}
