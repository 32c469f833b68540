//! Paths through the caches: of texels (and bytes of buffers), of metadata, and those that a kind of texture takes
//! instead.

use super::{Cache, Client, LayoutClass, Profile, WritePolicy};
use crate::api::{BarrierAccess, LeafSet, QueueType, ResourceFlags};
use crate::id::{CacheId, PathId, ones};

/// What an exception's condition may ask of a texture. A buffer is none of it.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Surface {
    /// Its format has depth.
    pub depth: bool,
    /// Its format has stencil.
    pub stencil: bool,
    /// Samples a texel.
    pub samples: u32,
    /// A mip level.
    pub mip: u32,
}

/// Where a machine differs for some textures: other paths, or other compression classes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exception {
    /// Name.
    pub name: String,
    /// `measured`, `published`, `driver` or `assumed`.
    pub tag: String,
    /// Where it comes from; of `driver` with the version.
    pub source: String,
    /// Formats with depth (`Some(true)`), without (`Some(false)`).
    pub depth: Option<bool>,
    /// Only formats with stencil.
    pub stencil: bool,
    /// From so many samples on.
    pub samples_from: u32,
    /// From this mip level on.
    pub mips_from: u32,
}

impl Exception {
    /// Whether it is about every texture, so that only buffers go other ways.
    pub fn is_of_all(&self) -> bool {
        self.depth.is_none() && !self.stencil && self.samples_from <= 1 && self.mips_from == 0
    }

    /// Whether it is about a mip level of a texture.
    pub fn holds(&self, surface: Surface) -> bool {
        self.depth.is_none_or(|depth| depth == surface.depth)
            && (!self.stencil || surface.stencil)
            && surface.samples >= self.samples_from
            && surface.mip >= self.mips_from
    }
}

/// Which exceptions hold: a bit each. Zero is what the tables of a profile say.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Variant(pub(super) u8);

impl Variant {
    /// Whether the exception at a place of [`Profile::exceptions`] holds.
    pub fn has(self, exception: usize) -> bool {
        exception < 8 && self.0 >> exception & 1 == 1
    }

    /// Every variant of so many exceptions, whether anything is all of it or not.
    pub fn all(exceptions: usize) -> impl Iterator<Item = Self> {
        (0..1_u32 << exceptions.min(EXCEPTIONS_MAX)).map(Self::of_bit)
    }

    /// The variant of a bit of a [`VariantSet`].
    #[allow(
        clippy::cast_possible_truncation,
        reason = "a set has 64 bits, and no set is empty"
    )]
    fn of_bit(bit: u32) -> Self {
        Self(bit as u8)
    }
}

/// Some variants: a bit each, so that asking costs nothing.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct VariantSet(u64);

impl VariantSet {
    /// Adds the variants of another set.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The variant, if there is only one.
    pub fn only(self) -> Option<Variant> {
        self.0.is_power_of_two().then(|| self.first())
    }

    /// One of them; no set is empty.
    pub fn first(self) -> Variant {
        Variant::of_bit(self.0.trailing_zeros())
    }

    /// Each variant of the set.
    pub fn iter(self) -> impl Iterator<Item = Variant> {
        ones(self.0).map(Variant::of_bit)
    }
}

impl From<Variant> for VariantSet {
    fn from(variant: Variant) -> Self {
        Self(1 << variant.0)
    }
}

impl Default for VariantSet {
    /// What the tables of a profile say, and no exception.
    fn default() -> Self {
        Variant::default().into()
    }
}

/// Render passes of a machine that renders tile by tile. Attachments stay in tile memory from the first draw of a pass to
/// the last; they are loaded before it and stored after it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TilePass {
    /// Stages between which a dependency is by region.
    pub stages: LeafSet,
    /// Accesses to attachments.
    pub accesses: BarrierAccess,
    /// The cache that stands for tile memory.
    pub tile: CacheId,
    /// The way of attachments in a pass.
    pub path: PathId,
}

/// Most caches of one profile.
pub const CACHES_MAX: usize = 64;
/// Most exceptions of one profile.
pub(super) const EXCEPTIONS_MAX: usize = 6;

/// Paths of each client, by `Client::index`.
pub(super) type Paths = Vec<Vec<PathId>>;

/// A way that reads of a client take at some stages.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Taken {
    pub(super) client: Client,
    pub(super) stages: LeafSet,
    pub(super) path: PathId,
}

/// The tables of a variant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Tables {
    pub(super) texels: Paths,
    pub(super) metadata: Paths,
    /// By `layout_index`: direct, compute, copy.
    pub(super) layouts: Vec<[LayoutClass; 3]>,
}

/// The ways of texels or of metadata.
#[derive(Copy, Clone, Debug)]
pub struct Routes<'p> {
    profile: &'p Profile,
    clients: &'p Paths,
}

impl<'p> Routes<'p> {
    /// The path that a client's reads take at some stages: the first, unless all of these stages take another.
    pub fn read_path(self, client: Client, stages: LeafSet) -> PathId {
        let paths = self.read_paths(client);
        let taken = self.profile.taken.iter().find(|taken| {
            let here = !stages.is_empty() && taken.stages.contains(stages);
            taken.client == client && here && paths.contains(&taken.path)
        });
        taken.map_or(paths[0], |taken| taken.path)
    }

    /// Paths that a client's reads may take.
    pub fn read_paths(self, client: Client) -> &'p [PathId] {
        &self.clients[client.index()]
    }

    /// Paths that a client's writes may take: those without a read-only cache. The machine takes the first.
    pub fn write_paths(self, client: Client) -> impl Iterator<Item = PathId> + use<'p> {
        self.read_paths(client)
            .iter()
            .copied()
            .filter(move |path| !self.path(*path).iter().any(|c| self.is_read_only(*c)))
    }

    fn is_read_only(self, cache: CacheId) -> bool {
        self.cache(cache).policy == WritePolicy::ReadOnly
    }

    /// Tile memory, if what a client writes may be stored from there past the other caches of its path, and another client
    /// reads it that is not itself in tile memory.
    pub fn stored(self, write: Client, read: Client) -> Option<&'p [CacheId]> {
        let tiles = self.profile.tile_pass.as_ref()?;
        let is_target = |client| {
            let mut targets = tiles.accesses.iter();
            targets.any(|access| Client::of(access, QueueType::Direct) == client)
        };
        let mut tables = self.profile.tables.iter();
        let is_texels = tables.any(|table| std::ptr::eq(&raw const table.texels, self.clients));
        (is_texels && is_target(write) && !is_target(read)).then(|| self.path(tiles.path))
    }

    /// Caches of a path, nearest first; memory comes after the last.
    pub fn path(self, id: PathId) -> &'p [CacheId] {
        &self.profile.paths[id]
    }

    /// A cache by id.
    pub fn cache(self, id: CacheId) -> &'p Cache {
        self.profile.cache(id)
    }
}

impl Profile {
    /// Which exceptions hold for a mip level of a texture.
    pub fn variant(&self, surface: Surface) -> Variant {
        let holds = self.exceptions.iter().enumerate();
        let holds = holds.filter(|(_, exception)| exception.holds(surface));
        Variant(holds.fold(0, |bits, (index, _)| bits | 1 << index))
    }

    /// Mip levels at which some exception starts, ascending.
    pub fn mip_limits(&self) -> Vec<u32> {
        let limits = self.exceptions.iter().map(|e| e.mips_from);
        let mut limits: Vec<u32> = limits.filter(|mip| *mip > 0).collect();
        limits.sort_unstable();
        limits.dedup();
        limits
    }

    /// Ways of texels and of buffers.
    pub fn texel_routes(&self) -> Routes<'_> {
        self.texel_routes_of(Variant::default())
    }

    /// Ways of the metadata of compressed textures.
    pub fn metadata_routes(&self) -> Routes<'_> {
        self.metadata_routes_of(Variant::default())
    }

    /// Ways of the texels of some textures.
    pub fn texel_routes_of(&self, variant: Variant) -> Routes<'_> {
        Routes {
            profile: self,
            clients: &self.tables[usize::from(variant.0)].texels,
        }
    }

    /// Ways of the metadata of some textures.
    pub fn metadata_routes_of(&self, variant: Variant) -> Routes<'_> {
        Routes {
            profile: self,
            clients: &self.tables[usize::from(variant.0)].metadata,
        }
    }

    /// Whether any layout stores textures compressed, so that they have metadata.
    pub fn compresses(&self) -> bool {
        !self.compressed_flags.is_empty()
    }

    /// Flags of which a texture needs one to have metadata. None if no layout stores textures compressed.
    pub fn compressed_flags(&self) -> ResourceFlags {
        self.compressed_flags
    }
}

impl Tables {
    /// Whether any layout is compressed.
    pub(super) fn compress(&self) -> bool {
        let mut classes = self.layouts.iter().flatten();
        classes.any(|c| {
            matches!(
                c,
                LayoutClass::Compressed | LayoutClass::CompressedFastClear
            )
        })
    }
}
