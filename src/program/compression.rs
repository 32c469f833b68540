//! How a texture's texels are stored: what metadata says of them, and what operations make of it.
//!
//! Texels and metadata are two memories with caches of their own. Texels do not say how to read them: metadata
//! does, and it names the version that it describes. So a state is a fact about a *pair*, and pairs that do not belong
//! together (new texels below old metadata, or the other way round) decode to nothing.

/// How a client reads and writes texels. In order: a client that decodes one form decodes every earlier one.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Encoding {
    /// As they are, without a look at metadata.
    #[default]
    Plain,
    /// Compressed, through metadata.
    Compressed,
    /// Compressed, and blocks that exist only as a clear value in the metadata.
    FastCleared,
}

/// What metadata says of a block of texels.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CompressionState {
    /// A clear value: the texels themselves hold nothing.
    Clear,
    /// Some blocks are a clear value, others are compressed.
    PartialClear,
    /// Compressed.
    Compressed,
    /// Texels are whole, and the metadata describes them as well; it is out of date once they are written without it.
    Resolved,
    /// Texels are whole whoever writes them: the metadata says to take them as they are.
    PassThrough,
    /// Nothing that is true.
    Invalid,
}

/// What a write without a clear value of its own makes of the state that it finds.
impl CompressionState {
    /// After a write through metadata that does not cover whole subresources.
    #[must_use]
    pub fn after_compressed_write(self) -> Self {
        match self {
            Self::Clear | Self::PartialClear => Self::PartialClear,
            Self::Compressed | Self::Resolved | Self::PassThrough => Self::Compressed,
            Self::Invalid => Self::Invalid,
        }
    }

    /// After a write that ignores metadata.
    #[must_use]
    pub fn after_plain_write(self) -> Self {
        match self {
            Self::PassThrough => Self::PassThrough,
            Self::Clear
            | Self::PartialClear
            | Self::Compressed
            | Self::Resolved
            | Self::Invalid => Self::Invalid,
        }
    }

    /// What a client must be able to decode to read it; `None`: nobody can through metadata.
    pub fn asks_for(self) -> Option<Encoding> {
        match self {
            Self::Clear | Self::PartialClear => Some(Encoding::FastCleared),
            Self::Compressed | Self::Resolved | Self::PassThrough => Some(Encoding::Compressed),
            Self::Invalid => None,
        }
    }
}

/// What a layout operation does to a block.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum LayoutAct {
    /// Metadata says from now on to take texels as they are; texels are not touched.
    Ambiguate,
    /// Clear values are filled in, in compressed form (fast clear eliminate).
    PartialResolve,
    /// Texels are written out whole (decompress); metadata is left in this state, `Resolved` or `PassThrough`.
    FullResolve(CompressionState),
}

/// What the bytes of texels are.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Form {
    /// Texels as they are.
    Plain,
    /// Compressed: only metadata of the same version makes sense of them.
    Packed,
    /// Not written: the value is only in metadata. No byte ever is in this form; it is what a reader should know.
    Absent,
    /// What a resolve makes of metadata that says nothing true.
    Garbage,
}

/// One block: the version and form of its texels, the version that its metadata describes and the state that it states.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct BlockOf<V> {
    /// Version of the texels.
    pub texels: V,
    /// Form of the texels.
    pub form: Form,
    /// Version that the metadata describes.
    pub described: V,
    /// What the metadata says.
    pub state: CompressionState,
}

/// What a reader makes of a block.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Decoded<V> {
    /// The texels of a version.
    Value(V),
    /// Nothing; the texels below are of this version.
    Nothing(V),
}

impl<V: Copy + PartialEq> BlockOf<V> {
    /// What a client sees that looks at metadata and decodes up to `most`.
    pub fn decode(self, most: Encoding) -> Decoded<V> {
        let able = self.state.asks_for().is_some_and(|asked| asked <= most);
        match (self.state, self.form) {
            (CompressionState::Clear, _) if able => Decoded::Value(self.described),
            (CompressionState::Clear, _) => Decoded::Nothing(self.described),
            (CompressionState::PartialClear | CompressionState::Compressed, Form::Packed)
            | (CompressionState::Resolved, Form::Plain)
                if able && self.texels == self.described =>
            {
                Decoded::Value(self.texels)
            }
            (CompressionState::PassThrough, Form::Plain) if able => Decoded::Value(self.texels),
            _ => Decoded::Nothing(self.texels),
        }
    }

    /// What a layout operation leaves. It decodes whatever the machine can store.
    #[must_use]
    pub fn after(self, act: LayoutAct) -> Self {
        match act {
            LayoutAct::Ambiguate => Self {
                state: CompressionState::PassThrough,
                described: self.texels,
                ..self
            },
            LayoutAct::PartialResolve => match self.state {
                CompressionState::Clear => Self {
                    texels: self.described,
                    form: Form::Packed,
                    state: CompressionState::Compressed,
                    ..self
                },
                CompressionState::PartialClear => Self {
                    state: CompressionState::Compressed,
                    ..self
                },
                CompressionState::Compressed
                | CompressionState::Resolved
                | CompressionState::PassThrough
                | CompressionState::Invalid => self,
            },
            LayoutAct::FullResolve(state) => {
                let (texels, form) = match self.decode(Encoding::FastCleared) {
                    Decoded::Value(version) => (version, Form::Plain),
                    Decoded::Nothing(version) => (version, Form::Garbage),
                };
                Self {
                    texels,
                    form,
                    described: texels,
                    state,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use CompressionState::{Clear, Compressed, Invalid, PartialClear, PassThrough, Resolved};

    const ALL: [CompressionState; 6] = [
        Clear,
        PartialClear,
        Compressed,
        Resolved,
        PassThrough,
        Invalid,
    ];

    /// A block of version 1 in a state, as whoever brings it about leaves it: version 0 was there before.
    fn block(state: CompressionState) -> BlockOf<u32> {
        let (texels, form) = match state {
            Clear => (0, Form::Plain),
            PartialClear | Compressed | Invalid => (1, Form::Packed),
            Resolved | PassThrough => (1, Form::Plain),
        };
        BlockOf {
            texels,
            form,
            described: 1,
            state,
        }
    }

    /// The machine of public drivers for auxiliary surfaces, written down by hand: state, after a write through metadata, after
    /// one without, after a partial resolve, who reads it: clients with clear values, compressed ones.
    #[test]
    fn states_follow_each_other_as_public_drivers_have_it() {
        let rows = [
            (Clear, PartialClear, Invalid, Compressed, true, false),
            (PartialClear, PartialClear, Invalid, Compressed, true, false),
            (Compressed, Compressed, Invalid, Compressed, true, true),
            (Resolved, Compressed, Invalid, Resolved, true, true),
            (
                PassThrough,
                Compressed,
                PassThrough,
                PassThrough,
                true,
                true,
            ),
            (Invalid, Invalid, Invalid, Invalid, false, false),
        ];
        assert_eq!(rows.map(|row| row.0), ALL);
        for (state, compressed, plain, partial, with_clear, without) in rows {
            assert_eq!(state.after_compressed_write(), compressed, "{state:?}");
            assert_eq!(state.after_plain_write(), plain, "{state:?}");
            let block = block(state);
            assert_eq!(block.after(LayoutAct::PartialResolve).state, partial);
            let reads = |most| block.decode(most) == Decoded::Value(1);
            assert_eq!(reads(Encoding::FastCleared), with_clear, "{state:?}");
            assert_eq!(reads(Encoding::Compressed), without, "{state:?}");
        }
    }

    /// A resolve of whatever can be read leaves texels that everyone reads, of the same version; of anything else, garbage.
    #[test]
    fn a_resolve_keeps_the_version_and_makes_no_sense_of_nonsense() {
        for state in ALL {
            for leaves in [Resolved, PassThrough] {
                let after = block(state).after(LayoutAct::FullResolve(leaves));
                let whole = state != Invalid;
                assert_eq!((after.texels, after.state), (1, leaves));
                assert_eq!(after.form == Form::Plain, whole, "{state:?}");
                let seen = after.decode(Encoding::Compressed);
                assert_eq!(seen == Decoded::Value(1), whole, "{state:?}");
            }
            let partial = block(state).after(LayoutAct::PartialResolve);
            let seen = partial.decode(Encoding::Compressed);
            assert_eq!(seen == Decoded::Value(1), state != Invalid, "{state:?}");
            assert_eq!(block(state).after(LayoutAct::Ambiguate).state, PassThrough);
        }
    }

    /// New texels below old metadata, and new metadata over old texels, decode to nothing.
    #[test]
    fn what_does_not_belong_together_decodes_to_nothing() {
        for state in [PartialClear, Compressed, Resolved] {
            for (texels, described) in [(2, 1), (1, 2)] {
                let block = BlockOf {
                    texels,
                    described,
                    ..block(state)
                };
                assert_eq!(
                    block.decode(Encoding::FastCleared),
                    Decoded::Nothing(texels),
                    "{state:?}"
                );
            }
        }
        let packed = BlockOf {
            form: Form::Packed,
            ..block(PassThrough)
        };
        assert_eq!(packed.decode(Encoding::FastCleared), Decoded::Nothing(1));
        // Texels below metadata that takes them as they are may be newer than it.
        let newer = BlockOf {
            texels: 2,
            ..block(PassThrough)
        };
        assert_eq!(newer.decode(Encoding::Compressed), Decoded::Value(2));
    }
}
