//! One line of a capture.

use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// What a line is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LineKind {
    /// The first line: which program wrote the file.
    Header,
    /// A call of a Vulkan function.
    Vulkan,
    /// A call of a free function, of Vulkan or of another API.
    Function,
    /// A call of a COM method.
    Method,
    /// What the capture layer did itself: filled memory, saved a state.
    Meta,
    /// A frame or state marker.
    Marker,
    /// A note of the capture layer, or a line whose key says nothing that is known.
    Other,
}

/// One line of a capture.
#[derive(Clone, Debug)]
pub struct Event<'a> {
    /// Kind of the line.
    pub kind: LineKind,
    /// The number of the call in the capture; lines without one have 0.
    pub index: u64,
    /// Name of the call; of a marker its type; of other lines their key.
    pub name: Cow<'a, str>,
    /// The object of a method: its handle, and the interface that declares the method, which need not be the object's own.
    pub object: Option<u64>,
    /// The thread that called, if the line says it.
    pub thread: u64,
    /// What was returned, as text; empty if nothing was.
    returned: Option<&'a RawValue>,
    arguments: Option<&'a RawValue>,
}

/// Why a line cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Problem {
    /// The mistake.
    pub message: String,
    /// Where in the line, counted from 1; 0 if it is the whole line.
    pub column: usize,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.column == 0 {
            write!(f, "{}", self.message)
        } else {
            write!(f, "{} at column {}", self.message, self.column)
        }
    }
}

impl From<serde_json::Error> for Problem {
    fn from(error: serde_json::Error) -> Self {
        let text = error.to_string();
        let message = text.split(" at line ").next().unwrap_or(&text).to_owned();
        Self {
            message,
            column: error.column(),
        }
    }
}

impl<'a> Event<'a> {
    /// Reads a line without its arguments.
    ///
    /// # Errors
    /// The line is not UTF-8, not JSON, or not an object.
    pub fn parse(line: &'a [u8]) -> Result<Self, Problem> {
        let text = std::str::from_utf8(line).map_err(|error| Problem {
            message: "not UTF-8".into(),
            column: error.valid_up_to() + 1,
        })?;
        Ok(serde_json::from_str(text)?)
    }

    /// The arguments; `Null` if there are none.
    ///
    /// # Errors
    /// They are nested deeper than a capture's are.
    pub fn arguments(&self) -> Result<Value, Problem> {
        match self.arguments {
            Some(raw) => Ok(serde_json::from_str(raw.get())?),
            None => Ok(Value::Null),
        }
    }

    /// What the call returned, as it is written: `"VK_SUCCESS"`, `0`; `None` of a call that returns nothing.
    pub fn returned(&self) -> Option<&'a str> {
        self.returned.map(RawValue::get)
    }

    /// Whether the call failed, as far as its return value says so: what it would have made does not exist.
    pub fn failed(&self) -> bool {
        let Some(text) = self.returned() else {
            return false;
        };
        let word = text.trim_matches('"');
        word.starts_with("VK_ERROR")
            || word.starts_with("E_")
            || word.starts_with("DXGI_ERROR")
            || word.parse::<i64>().is_ok_and(|code| code < 0)
            // The sign bit of an HRESULT.
            || word
                .strip_prefix("0x")
                .and_then(|hex| u32::from_str_radix(hex, 16).ok())
                .is_some_and(|code| code >= 0x8000_0000)
    }
}

/// What is below the key of a call.
#[derive(Default)]
struct Call<'a> {
    name: Option<Cow<'a, str>>,
    object: Option<u64>,
    thread: u64,
    returned: Option<&'a RawValue>,
    arguments: Option<&'a RawValue>,
}

impl<'de> Deserialize<'de> for Event<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Line)
    }
}

struct Line;

impl<'de> Visitor<'de> for Line {
    type Value = Event<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one JSON object a line")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Event<'de>, A::Error> {
        let mut event = Event {
            kind: LineKind::Other,
            index: 0,
            name: Cow::Borrowed(""),
            object: None,
            thread: 0,
            returned: None,
            arguments: None,
        };
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            let kind = match key.as_ref() {
                "index" => {
                    event.index = map.next_value::<Value>()?.as_u64().unwrap_or(0);
                    continue;
                }
                "vkFunc" => LineKind::Vulkan,
                "function" => LineKind::Function,
                "method" => LineKind::Method,
                "meta" => LineKind::Meta,
                "header" => LineKind::Header,
                _ => LineKind::Other,
            };
            if matches!(kind, LineKind::Header | LineKind::Other) {
                event.other(kind, key, map.next_value()?);
                continue;
            }
            let call: Call<'de> = map.next_value()?;
            let Some(name) = call.name else {
                return Err(de::Error::custom("a call without a `name`"));
            };
            event = Event {
                kind,
                name,
                object: call.object,
                thread: call.thread,
                returned: call.returned,
                arguments: call.arguments,
                ..event
            };
        }
        Ok(event)
    }
}

impl<'a> Event<'a> {
    /// What is not a call: the header, a note, a marker.
    fn other(&mut self, kind: LineKind, key: Cow<'a, str>, body: &'a RawValue) {
        let text = body.get();
        let is_marker = text.starts_with('{') && text.contains("\"marker_type\"");
        self.kind = if is_marker { LineKind::Marker } else { kind };
        self.name = key;
        self.arguments = Some(body);
    }
}

impl<'de> Deserialize<'de> for Call<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Body)
    }
}

struct Body;

impl<'de> Visitor<'de> for Body {
    type Value = Call<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with the `name` and `args` of a call")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Call<'de>, A::Error> {
        let mut call = Call::default();
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match key.as_ref() {
                "name" => call.name = Some(map.next_value::<Text<'de>>()?.0),
                "thread" => call.thread = map.next_value::<Value>()?.as_u64().unwrap_or(0),
                "object" => {
                    let value: Value = map.next_value()?;
                    let handle = value.get("handle").unwrap_or(&value);
                    call.object = Some(super::fields::number(handle));
                }
                "return" => call.returned = Some(map.next_value()?),
                "args" => call.arguments = Some(map.next_value()?),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(call)
    }
}

/// A string that is borrowed where it has no escapes.
struct Text<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Borrowing;
        impl<'de> Visitor<'de> for Borrowing {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Borrowing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_are_read() {
        let old = br#"{"index":7,"vkFunc":{"name":"vkQueueSubmit","return":"VK_SUCCESS","args":{"queue":5}}}"#;
        let event = Event::parse(old).expect("a line");
        assert_eq!(
            (event.kind, event.index, &*event.name),
            (LineKind::Vulkan, 7, "vkQueueSubmit")
        );
        assert_eq!(event.returned(), Some("\"VK_SUCCESS\""));
        assert_eq!(event.arguments().expect("small")["queue"], 5);
        let new = br#"{"index":41,"method":{"name":"Signal","thread":3,"object":{"type":"ID3D12CommandQueue","handle":5},"return":"S_OK","args":{"pFence":30,"Value":1}}}"#;
        let event = Event::parse(new).expect("a line");
        assert_eq!(
            (event.kind, event.object, event.thread),
            (LineKind::Method, Some(5), 3)
        );
    }

    #[test]
    fn markers_and_notes_are_no_calls() {
        let marker = br#"{"frame":{"marker_type":"EndMarker","frame_number":3}}"#;
        assert_eq!(Event::parse(marker).expect("a line").kind, LineKind::Marker);
        let note = br#"{"index":1,"annotation":{"type":"kJson","label":"operation","data":"{}"}}"#;
        assert_eq!(Event::parse(note).expect("a line").kind, LineKind::Other);
    }

    #[test]
    fn a_broken_line_says_where() {
        let problem = Event::parse(b"{\"index\":1,\"vkFunc\":{").expect_err("cut");
        assert!(problem.column > 0, "{problem}");
        assert!(Event::parse(b"[1]").is_err());
        assert!(Event::parse(b"\xff").is_err());
        let nameless = Event::parse(br#"{"index":1,"vkFunc":{"args":{}}}"#).expect_err("no name");
        assert!(nameless.message.contains("name"), "{nameless}");
    }

    #[test]
    fn failed_calls_are_known() {
        let of = |text: &str| {
            let line =
                format!(r#"{{"index":1,"vkFunc":{{"name":"f","return":{text},"args":{{}}}}}}"#);
            Event::parse(line.as_bytes()).expect("a line").failed()
        };
        assert!(
            of("\"VK_ERROR_OUT_OF_DATE_KHR\"")
                && of("-4")
                && of("\"E_FAIL\"")
                && of("\"0x80070057\"")
        );
        assert!(
            !of("\"VK_SUBOPTIMAL_KHR\"") && !of("0") && !of("\"S_OK\"") && !of("\"0x00000001\"")
        );
    }
}
