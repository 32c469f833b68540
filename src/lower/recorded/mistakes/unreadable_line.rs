crate::finding::rule! {
    /// **What it finds.** A line of a recording, or a packet of a driver's answer, that is no packet: no JSON, no UTF-8, a field
    /// that packets do not have, a value of another type, another version, a last line that is cut in half. An answer that is
    /// none, such as an empty line, is one too. In a driver's stream: a word that is none, a packet that is longer than its line,
    /// a mark that is none, a line
    /// `@device` that names no device, bytes that are no text, and a stream that is another driver's.
    ///
    /// **Why it matters.** What the driver wrote there is not known, so that what it lacks may be what that said. The
    /// line, or the packet, is left out; all others are kept and judged.
    ///
    /// **Source.** The format: `syncscope schema driver-packets`.
    pub static RULE = "PT001", "packet-unreadable-line", Error,
        "a line of a recording, or a packet of an answer, is no packet";
}
