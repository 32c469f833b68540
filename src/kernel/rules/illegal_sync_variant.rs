crate::finding::rule! {
    /// **What it finds.** A `sync` without `_uglobal`, `_ugroup` or `_g`, or one with both `_uglobal` and `_ugroup`. A
    /// `barrier` of groupshared memory alone with device scope, or of a groupshared variable as an object.
    ///
    /// **Why it matters.** There is no such instruction: `_t` only adds to a memory class, `_uglobal` already contains
    /// `_ugroup`, groupshared memory ends with its group, and the object form takes a UAV. The shader is refused; no
    /// outcome is explored.
    ///
    /// **Source.** `sync` (sm5 - asm): "In compute shaders, (`_uglobal` or `_ugroup`) or `_g` must be specified"; the
    /// list of variants of compute shaders. `Barrier` of shader model 6.8: reading R59.
    pub static RULE = "LM005", "illegal-sync-variant", Error,
        "a sync or barrier in a form that does not exist";
}
