//! Places as editors count them: UTF-16 units of a text, or of a line.

use crate::finding::Span;
use crate::id::narrow;

/// A line and a UTF-16 unit in it, both counted from 0.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The unit.
    pub unit: u32,
}

/// Where the lines of a text begin. A line ends with `\n`, `\r\n` or `\r`, as in the protocol of language servers.
#[derive(Clone, Debug)]
pub struct Lines {
    /// The first byte of each line.
    starts: Vec<u32>,
}

impl Lines {
    /// Those of a text.
    pub fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let ends = memchr::memchr2_iter(b'\n', b'\r', bytes)
            .filter(|at| bytes[*at] == b'\n' || bytes.get(at + 1) != Some(&b'\n'));
        let starts = std::iter::once(0).chain(ends.map(|at| narrow(at + 1)));
        Self {
            starts: starts.collect(),
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// The line of a byte, counted from 0.
    pub fn line(&self, byte: u32) -> u32 {
        narrow(self.starts.partition_point(|start| *start <= byte) - 1)
    }

    /// The place of a byte.
    pub fn place(&self, text: &str, byte: u32) -> Place {
        let byte = byte.min(narrow(text.len()));
        let line = self.line(byte);
        let start = self.starts[line as usize] as usize;
        let head = text.get(start..byte as usize);
        Place {
            line,
            unit: head.map_or(0, |head| narrow(units(head))),
        }
    }

    /// The byte of a place: the end of the line for a unit after it, the end of the text for a line after the last.
    pub fn byte(&self, text: &str, place: Place) -> usize {
        let Some(start) = self.starts.get(place.line as usize) else {
            return text.len();
        };
        let start = *start as usize;
        let end = self.starts.get(place.line as usize + 1);
        let line = &text[start..end.map_or(text.len(), |end| *end as usize)];
        let line = line.trim_end_matches(['\n', '\r']);
        start + byte_of(line, place.unit as usize)
    }

    /// The byte after the last of a line's text, without its end. The line is counted from 0.
    pub fn end(&self, text: &str, line: u32) -> u32 {
        let unit = u32::MAX;
        narrow(self.byte(text, Place { line, unit }))
    }
}

/// UTF-16 units of a text.
fn units(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.chars().map(char::len_utf16).sum()
}

/// The byte at which a UTF-16 unit begins; the end of the text for those beyond it.
pub fn byte_of(text: &str, unit: usize) -> usize {
    let mut units = 0;
    for (byte, character) in text.char_indices() {
        if units >= unit {
            return byte;
        }
        units += character.len_utf16();
    }
    text.len()
}

/// Where the word at a byte begins and ends.
pub fn word_at(text: &str, at: usize) -> Span {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let (before, after) = text.as_bytes().split_at(at.min(text.len()));
    let back = before.iter().rev().take_while(|byte| is_word(byte)).count();
    let on = after.iter().take_while(|byte| is_word(byte)).count();
    Span::new(narrow(before.len() - back), narrow(before.len() + on))
}

/// Places of a text in UTF-16 units from its start.
pub struct Units<'t> {
    text: &'t str,
    lines: Lines,
    /// Units before each line.
    before: Vec<usize>,
}

impl<'t> Units<'t> {
    /// Of a text.
    pub fn of(text: &'t str) -> Self {
        let lines = Lines::of(text);
        let mut before = Vec::with_capacity(lines.count());
        let mut sum = 0;
        for (index, start) in lines.starts.iter().enumerate() {
            before.push(sum);
            let end = lines.starts.get(index + 1);
            let end = end.map_or(text.len(), |end| *end as usize);
            sum += units(&text[*start as usize..end]);
        }
        Self {
            text,
            lines,
            before,
        }
    }

    /// The units before a byte.
    pub fn before(&self, byte: u32) -> usize {
        let Place { line, unit } = self.lines.place(self.text, byte);
        self.before[line as usize] + unit as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_units_of_utf_16() {
        // `é` is two bytes and one unit, `𝄞` four bytes and two units.
        let text = "é\n𝄞x\n";
        let all = Units::of(text);
        let units: Vec<usize> = [0, 2, 3, 7, 8, 9].map(|byte| all.before(byte)).into();
        assert_eq!(units, [0, 1, 2, 4, 5, 6]);
        let bytes: Vec<usize> = [0, 1, 2, 4, 5, 6, 99]
            .map(|unit| byte_of(text, unit))
            .into();
        assert_eq!(bytes, [0, 2, 3, 7, 8, 9, 9]);
    }

    #[test]
    fn every_place_leads_back_to_its_byte() {
        let text = "a\r\nbé\r𝄞x\n\n\r\nlast";
        let lines = Lines::of(text);
        assert_eq!(lines.count(), 6);
        for (byte, character) in text.char_indices() {
            let place = lines.place(text, narrow(byte));
            let back = lines.byte(text, place);
            // The second half of a line end is no place of its own.
            let is_end = matches!(character, '\n' | '\r');
            assert!(back == byte || is_end && back + 1 == byte, "{byte}: {back}");
        }
        let far = |line, unit| lines.byte(text, Place { line, unit });
        assert_eq!(far(0, 9), 1);
        assert_eq!(far(99, 0), text.len());
        assert_eq!(lines.line(narrow(text.len())), 5);
    }
}
