//! Uses: which way each takes through the caches, and how what it touches is encoded.

use super::Session;
use super::scope::Way;
use crate::api::Layout;
use crate::hardware::{Client, Routes, Variant};
use crate::id::{Extent, NodeId, PathId, ResourceId};
use crate::lower::surfaces::{self, encoding_of, is_compressible};
use crate::program::{Access, AccessMode, Encoding, Slice};
use crate::scenario::{CommandKind, Range, ResourceKind, Use, UseMode, geometry};

impl Session<'_, '_> {
    /// The layout of a range, as its first subresource has it.
    fn layout_of(&self, resource: ResourceId, range: &Range) -> Option<Layout> {
        let shape = self.timeline.scenario.resource(resource).texture()?;
        let sub = geometry::subresource_box(shape, range).ok()?;
        let first = shape.index(sub.mips.0, sub.layers.0, sub.planes.0);
        Some(self.layouts.get(resource, first))
    }

    /// Appends the accesses of one use. Returns its bytes.
    pub(super) fn usage(
        &mut self,
        node: NodeId,
        index: usize,
        usage: &Use,
        kind: &CommandKind,
    ) -> u64 {
        let layout = self.layout_of(usage.resource, &usage.range);
        let (access, stages) = self.timeline.effect(node, usage);
        let client = Client::of(access, self.queue);
        let atomic = usage.mode == UseMode::Atomics;
        let client = if atomic { Client::Atomic } else { client };
        let shape = self.timeline.scenario.resource(usage.resource).texture();
        let region = shape.and_then(|shape| geometry::subresource_box(shape, &usage.range).ok());
        let whole = region.is_none_or(|region| region.rect.is_none());
        let initialises = whole
            && matches!(
                kind,
                CommandKind::Copy
                    | CommandKind::Resolve
                    | CommandKind::ClearRtv
                    | CommandKind::ClearDsv
                    | CommandKind::ClearUav
                    | CommandKind::Discard
            );
        let template = Access {
            mode: AccessMode::Read,
            access,
            stages,
            path: PathId(0),
            metadata: None,
            resource: usage.resource,
            encoding: Encoding::Plain,
            clears: matches!(kind, CommandKind::ClearRtv | CommandKind::ClearDsv),
            undefined: matches!(kind, CommandKind::Discard),
            initialises,
            atomic,
            independent: usage.independent,
            of_root: matches!(kind, CommandKind::SetRoot { .. }),
            use_index: u16::try_from(index).unwrap_or(u16::MAX),
            extents: Slice::EMPTY,
        };
        if let Some(variant) = self.variants_of[usage.resource].only() {
            let extents = self.extents(usage.resource, &usage.range);
            let template = Access {
                extents,
                ..template
            };
            return self.part(usage, (client, layout), variant, template);
        }
        let mut bytes = 0;
        for (variant, extents) in self.parts(usage.resource, &usage.range) {
            let template = Access {
                extents,
                ..template
            };
            bytes += self.part(usage, (client, layout), variant, template);
        }
        bytes
    }

    /// Appends the accesses of the part of a use that takes one set of ways. Returns its bytes.
    fn part(
        &mut self,
        usage: &Use,
        (client, layout): (Client, Option<Layout>),
        variant: Variant,
        template: Access,
    ) -> u64 {
        let profile = self.profile;
        let resource = self.timeline.scenario.resource(usage.resource);
        let encoding = match layout {
            Some(layout) if is_compressible(profile, resource) => {
                encoding_of(profile.layout_class(layout, self.queue, variant))
                    .min(self.decodes[template.access.bits().trailing_zeros() as usize])
            }
            _ => Encoding::Plain,
        };
        let texels = profile.texel_routes_of(variant);
        let metadata = (encoding != Encoding::Plain).then(|| profile.metadata_routes_of(variant));
        let in_tile = self.in_tile(template.access);
        let read = Access {
            path: in_tile.unwrap_or_else(|| texels.read_path(client, template.stages)),
            metadata: metadata.map(|routes| routes.read_paths(client)[0]),
            encoding,
            clears: false,
            ..template
        };
        if usage.reads() && !template.undefined {
            self.block.accesses.push(read);
        }
        if usage.writes() {
            let first = |routes: Routes<'_>| routes.write_paths(client).next();
            self.block.accesses.push(Access {
                mode: AccessMode::Write,
                path: in_tile.or_else(|| first(texels)).unwrap_or(read.path),
                metadata: metadata.and_then(first).or(read.metadata),
                clears: template.clears && encoding == Encoding::FastCleared,
                ..read
            });
        }
        if profile.tile_pass.is_some() && usage.writes() {
            if template.undefined {
                self.note_discarded(usage.resource, template.extents);
            } else {
                self.note_written(template.extents);
            }
        }
        let way = Way {
            client,
            variant,
            writes: usage.writes(),
            has_texels: in_tile.is_none(),
            has_metadata: metadata.is_some(),
        };
        self.note_use(usage.resource, way, template.extents);
        let extents = template.extents.of(&self.block.extents).iter();
        extents.map(|e| e.len()).sum()
    }

    /// The bytes of a use, by the ways that they take.
    fn parts(&mut self, resource: ResourceId, range: &Range) -> Vec<(Variant, Slice<Extent>)> {
        let declared = self.timeline.scenario.resource(resource);
        let ResourceKind::Texture(shape) = &declared.kind else {
            return vec![(Variant::default(), self.extents(resource, range))];
        };
        let Ok(sub) = geometry::subresource_box(shape, range) else {
            return vec![(Variant::default(), self.extents(resource, range))];
        };
        let parts = surfaces::parts(self.profile, shape, &sub);
        if let [(variant, _)] = parts.as_slice() {
            return vec![(*variant, self.extents(resource, range))];
        }
        let Some(whole) = self.timeline.memory.whole(resource) else {
            return Vec::new();
        };
        let mut found = Vec::with_capacity(parts.len());
        for (variant, sub) in parts {
            let runs = geometry::box_byte_runs(shape, &sub);
            let extents = runs
                .into_iter()
                .map(|(start, end)| whole.at(whole.start + start, whole.start + end));
            found.push((variant, Slice::push(&mut self.block.extents, extents)));
        }
        found
    }
}
