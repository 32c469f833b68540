//! Messages on the wire: a header that says how long it is, then JSON.

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use serde::Serialize;
use serde_json::{Value, json};
use std::io::{self, BufRead, Read, Write};

/// Bytes of the header of a message.
const HEADER_MAX: u64 = 8 << 10;
/// Bytes of a message: the longest text, as JSON.
const MESSAGE_MAX: u64 = 512 << 20;

/// What was read.
#[derive(Debug)]
pub(super) enum Incoming {
    /// A message.
    Message(Message),
    /// One that is not understood, with its id if it has one, and why.
    Bad(Option<RequestId>, ErrorCode, String),
    /// Nothing more can be read, and why: where the next message begins is not known.
    Lost(String),
    /// The end.
    End,
}

/// Reads a message.
pub(super) fn read(from: &mut impl BufRead) -> Incoming {
    let length = match header(from) {
        Ok(Some(length)) => length,
        Ok(None) => return Incoming::End,
        Err(why) => return Incoming::Lost(why),
    };
    if length > MESSAGE_MAX {
        return Incoming::Lost(format!(
            "a message has {length} bytes; the limit is {MESSAGE_MAX}"
        ));
    }
    // As much memory as comes, not as the header says.
    let mut body = Vec::new();
    match from.take(length).read_to_end(&mut body) {
        Ok(read) if read as u64 == length => understood(&body),
        Ok(_) => Incoming::Lost("the input ends inside a message".to_owned()),
        Err(error) => Incoming::Lost(format!("the input cannot be read: {error}")),
    }
}

/// The length that a header says; `None` at the end of the input.
fn header(from: &mut impl BufRead) -> Result<Option<u64>, String> {
    let mut length = None;
    let mut left = HEADER_MAX;
    let mut is_first = true;
    loop {
        let mut line = Vec::new();
        let read = from.take(left).read_until(b'\n', &mut line);
        let read = read.map_err(|error| format!("the input cannot be read: {error}"))? as u64;
        if read == 0 && is_first {
            return Ok(None);
        }
        left -= read;
        if !line.ends_with(b"\n") {
            return Err(if left == 0 {
                format!("the header of a message is longer than {HEADER_MAX} bytes")
            } else {
                "the input ends inside a header".to_owned()
            });
        }
        is_first = false;
        let line = String::from_utf8_lossy(&line);
        let line = line.trim();
        if line.is_empty() {
            return length.map(Some).ok_or_else(|| {
                "a message has no `Content-Length`; each begins with `Content-Length: N`".to_owned()
            });
        }
        if let Some((name, value)) = line.split_once(':')
            && name.trim().eq_ignore_ascii_case("Content-Length")
        {
            let value = value.trim();
            let number = value.parse::<u64>();
            length = Some(number.map_err(|_| format!("`Content-Length: {value}` is no length"))?);
        }
    }
}

fn understood(body: &[u8]) -> Incoming {
    let value: Value = match serde_json::from_slice(body) {
        Ok(value) => value,
        Err(error) => {
            return Incoming::Bad(
                None,
                ErrorCode::ParseError,
                format!("this is no JSON: {error}"),
            );
        }
    };
    let id = serde_json::from_value(value["id"].clone()).ok();
    if !value.is_object() {
        let why = "a message is one JSON object";
        return Incoming::Bad(None, ErrorCode::InvalidRequest, why.to_owned());
    }
    match serde_json::from_value(value) {
        Ok(message) => Incoming::Message(message),
        Err(_) => Incoming::Bad(
            id,
            ErrorCode::InvalidRequest,
            "this is neither a request nor an answer nor a notification".to_owned(),
        ),
    }
}

/// Writes messages.
pub(super) struct Writer<W: Write> {
    out: W,
    /// Number of the next request to the editor.
    next: i32,
}

impl<W: Write> Writer<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, next: 0 }
    }

    pub(super) fn answer(&mut self, response: Response) -> io::Result<()> {
        self.write(&Message::Response(response))
    }

    pub(super) fn notify(&mut self, method: &str, params: impl Serialize) -> io::Result<()> {
        let notification = Notification::new(method.to_owned(), params);
        self.write(&Message::Notification(notification))
    }

    /// Asks the editor for something; nobody waits for the answer.
    pub(super) fn ask(&mut self, method: &str, params: impl Serialize) -> io::Result<()> {
        let id = RequestId::from(format!("syncscope-{}", self.next));
        self.next += 1;
        self.write(&Message::Request(Request::new(
            id,
            method.to_owned(),
            params,
        )))
    }

    /// Says that a message was not understood.
    pub(super) fn refuse(
        &mut self,
        id: Option<RequestId>,
        code: ErrorCode,
        why: &str,
    ) -> io::Result<()> {
        if let Some(id) = id {
            return self.answer(Response::new_err(id, code as i32, why.to_owned()));
        }
        // An answer to nobody has no id, which the crate's type does not know.
        let error = json!({"code": code as i32, "message": why});
        let body = json!({"jsonrpc": "2.0", "id": null, "error": error}).to_string();
        write!(self.out, "Content-Length: {}\r\n\r\n{body}", body.len())?;
        self.out.flush()
    }

    fn write(&mut self, message: &Message) -> io::Result<()> {
        message.write(&mut self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<String> {
        let mut from = text.as_bytes();
        let mut said = Vec::new();
        loop {
            match read(&mut from) {
                Incoming::Message(it) => {
                    said.push(format!("{it:?}").split(' ').next().unwrap_or("").to_owned());
                }
                Incoming::Bad(id, code, _) => said.push(format!("bad {id:?} {}", code as i32)),
                Incoming::Lost(why) => {
                    said.push(why);
                    return said;
                }
                Incoming::End => return said,
            }
        }
    }

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    #[test]
    fn what_is_no_message_is_told_and_the_next_one_is_read() {
        let text = framed("{]")
            + &framed("[]")
            + &framed(r#"{"id": 7}"#)
            + &framed(r#"{"method": "exit"}"#);
        let said = all(&text);
        assert_eq!(said[0], "bad None -32700");
        assert_eq!(said[1], "bad None -32600");
        assert!(said[2].starts_with("bad Some"), "{said:?}");
        assert_eq!(said[3], "Notification(Notification");
    }

    #[test]
    fn no_header_takes_more_memory_than_comes() {
        let says = |text: &str| all(text).pop().expect("something is said");
        assert!(says("Content-Length: 99999999999999\r\n\r\n{}").contains("limit"));
        assert!(says("Content-Length: 400000000\r\n\r\n{}").contains("ends inside a message"));
        assert!(says("Content-Length: -1\r\n\r\n{}").contains("no length"));
        assert!(says("X: y\r\n\r\n{}").contains("no `Content-Length`"));
        assert!(says(&"x".repeat(100_000)).contains("longer than"));
        assert!(says("Content-Le").contains("ends inside a header"));
        assert!(all("").is_empty());
    }
}
