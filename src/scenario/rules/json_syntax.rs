crate::finding::rule! {
    /// **What it finds.** A JSON scenario that is not JSON, does not follow the schema, or names what it does not
    /// declare.
    ///
    /// **Why it matters.** The JSON form is the same value as the text; what cannot be read as that value cannot run.
    /// `syncscope schema scenario` prints the schema.
    ///
    /// **Source.** The scenario language: every scenario has an exact JSON form, described by a JSON Schema; RFC 8259.
    pub static RULE = "SC014", "json-syntax", Error,
        "a JSON scenario that is not JSON or does not follow the schema";
}
