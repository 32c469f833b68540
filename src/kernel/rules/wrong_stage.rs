crate::finding::rule! {
    /// **What it finds.** In a graphics stage: any `sync` but `sync_uglobal`, a `barrier` that names groupshared
    /// memory, the group scope or a group synchronisation, or an access to groupshared memory. Outside the pixel
    /// shader: `discard`, or a helper invocation.
    ///
    /// **Why it matters.** Only compute shaders have thread groups and groupshared memory; only pixel shaders have
    /// helper invocations. The shader is refused; no outcome is explored.
    ///
    /// **Source.** `sync` (sm5 - asm): "In the pixel shader, only `sync_uglobal` is allowed"; "`_g` / `_ugroup` / `_t`
    /// may only be used in the compute shader"; the 11.1 table of stages.
    pub static RULE = "LM006", "not-in-this-stage", Error,
        "an instruction that its shader stage does not have";
}
