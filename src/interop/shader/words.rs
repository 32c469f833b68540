//! The words of a module, split into instructions. What an instruction means is not known here.

use ::spirv::Op;

const HEADER: usize = 5;

/// A module's words.
pub(super) struct Words {
    words: Vec<u32>,
    /// Where each instruction begins.
    starts: Vec<u32>,
}

/// One instruction.
#[derive(Copy, Clone)]
pub(super) struct Instruction<'m> {
    /// What it does; `None` if this program's tables do not have it.
    pub(super) op: Option<Op>,
    /// Words of the instruction after the first.
    pub(super) operands: &'m [u32],
}

impl Words {
    /// Splits bytes of either byte order.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        if bytes.len() < HEADER * 4 {
            return Err(format!(
                "a SPIR-V module begins with 20 bytes, and there are {}",
                bytes.len()
            ));
        }
        let (chunks, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(format!(
                "a SPIR-V module is a number of words of 4 bytes, and {} bytes are none",
                bytes.len()
            ));
        }
        let little: Vec<u32> = chunks.iter().map(|c| u32::from_le_bytes(*c)).collect();
        let words = match little[0] {
            ::spirv::MAGIC_NUMBER => little,
            other if other.swap_bytes() == ::spirv::MAGIC_NUMBER => {
                little.into_iter().map(u32::swap_bytes).collect()
            }
            other => {
                return Err(format!(
                    "a SPIR-V module begins with 0x07230203, not 0x{other:08x}"
                ));
            }
        };
        let mut starts = Vec::new();
        let mut at = HEADER;
        while at < words.len() {
            let length = (words[at] >> 16) as usize;
            if length == 0 || length > words.len() - at {
                return Err(format!(
                    "the instruction at byte {} of the SPIR-V module has {length} words, and {} are left",
                    at * 4,
                    words.len() - at
                ));
            }
            starts.push(u32::try_from(at).map_err(|_| "the SPIR-V module is too large")?);
            at += length;
        }
        Ok(Self { words, starts })
    }

    /// Number of instructions.
    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// One instruction.
    pub(super) fn at(&self, index: usize) -> Instruction<'_> {
        let start = self.starts[index] as usize;
        let first = self.words[start];
        let length = (first >> 16) as usize;
        Instruction {
            op: Op::from_u32(first & 0xffff),
            operands: &self.words[start + 1..start + length],
        }
    }
}

impl Instruction<'_> {
    /// An operand; 0, which no id is, where the instruction is too short.
    pub(super) fn operand(&self, index: usize) -> u32 {
        self.operands.get(index).copied().unwrap_or(0)
    }

    /// Operands from one on.
    pub(super) fn from(&self, index: usize) -> &[u32] {
        self.operands.get(index..).unwrap_or_default()
    }

    /// The text that begins at an operand, and the operands that it takes.
    pub(super) fn text(&self, index: usize) -> (String, usize) {
        let words = self.from(index);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
        let text = String::from_utf8_lossy(&bytes[..end]).into_owned();
        (text, (end / 4 + 1).min(words.len()))
    }
}
