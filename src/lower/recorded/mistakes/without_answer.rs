crate::finding::rule! {
    /// **What it finds.** A driver in another process (`--lowering exec:`) that gives no answer to a program: it cannot be
    /// started, ends before its answer or in the middle of it, takes too long, writes a line that is too long or no text or that
    /// nobody asked for, or answers one program in two ways.
    ///
    /// **Why it matters.** What the driver writes for the program is not known. The program is lowered as if the driver had
    /// written nothing; the next program has a new process, and is judged by itself.
    ///
    /// **Source.** The protocol: [A driver in C](../driver-in-c.md).
    pub static RULE = "PT007", "driver-without-answer", Error,
        "a driver in another process gives no answer to a program";
}
