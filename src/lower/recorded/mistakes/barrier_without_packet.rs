crate::finding::rule! {
    /// **What it finds.** A barrier call of a scenario for which a recording has no line, although it has others of that
    /// scenario. In a driver's stream: a situation in which the driver crashed, situations in which nothing is that the reader
    /// reads, situations that were not recorded without a barrier, and a stream without marks.
    ///
    /// **Why it matters.** A driver that writes nothing for a call has a line without operations. The call is judged as if the driver
    /// had written nothing; if the recording ends early, that is not the driver's.
    ///
    /// **Source.** The format: `syncscope schema driver-packets`.
    pub static RULE = "PT006", "packet-missing", Warning,
        "a barrier call has no line in a recording";
}
