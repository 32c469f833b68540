//! What may be asked of this parser, next to what a text says: which words may be at a place, and where names are.

use super::Parser;
use crate::api::{BarrierAccess, BarrierSync, Layout, LeafSet, compat};
use crate::finding::{Source, Span};
use crate::id::ResourceId;
use crate::scenario::model::Scenario;
use crate::tokens::{Notes, Offer, Tokens, probed};

/// What may be where a word begins. What is after that place plays no part.
///
/// Cost: one reading of the text before the place.
pub(crate) fn offer_at(source: &Source, at: usize) -> Offer {
    let Some((text, at)) = probed(&source.text, at) else {
        return Offer::default();
    };
    let probed = Source::new(source.name.clone(), text);
    let mut parser = Parser::new(Tokens::new(&probed));
    parser.offered = Some(Offer {
        at,
        ..Offer::default()
    });
    parser.file();
    parser.tokens.offered.unwrap_or_default()
}

/// Where names and declarations are, as far as the text is understood.
///
/// Cost: one reading of the text.
pub(crate) fn notes(source: &Source) -> Notes {
    let mut parser = Parser::new(Tokens::new(source));
    parser.noted = Some(Notes::default());
    parser.file();
    parser.tokens.noted.unwrap_or_default()
}

impl Parser<'_, '_> {
    /// Notes what a statement of the timeline begins with.
    pub(super) fn offer_statement(&mut self, span: Span) {
        self.offer_names("queue", span);
        if let Some(offer) = &mut self.offered
            && offer.at == span.start
        {
            offer
                .words
                .extend(["cpu", "reset", "repeat"].map(str::to_owned));
        }
    }

    /// Notes the declared names of a kind.
    pub(super) fn offer_names(&mut self, what: &str, span: Span) {
        if self.offered.is_none() {
            return;
        }
        let names: Vec<String> = self.names_of(what).into_iter().map(str::to_owned).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.offer(span, &names);
    }

    /// Notes the stages of a use.
    pub(super) fn offer_stages(&mut self, allowed: LeafSet) {
        if self.offered.is_none() {
            return;
        }
        let happens = |name: &&&str| {
            let leaves = BarrierSync::parse_one(name).map(BarrierSync::leaves);
            leaves.is_some_and(|leaves| !leaves.is_empty() && allowed.contains(leaves))
        };
        let names = BarrierSync::names().iter().filter(happens).copied();
        self.offer_mask(names.collect());
    }

    /// Notes the names that a mask may have which begins at the current token.
    fn offer_mask(&mut self, names: Vec<&'static str>) {
        let span = self.span;
        self.offer(span, &names);
        self.mask_names = names;
    }

    /// Notes what else may be in the mask at hand, after a `|`.
    pub(super) fn offer_more_of_mask(&mut self) {
        if !self.mask_names.is_empty() {
            let (span, names) = (self.span, std::mem::take(&mut self.mask_names));
            self.offer(span, &names);
            self.mask_names = names;
        }
    }

    /// Notes the words that may follow the resource of a use.
    pub(super) fn offer_use_words(&mut self, access: BarrierAccess) {
        if self.offered.is_none() {
            return;
        }
        let words: &[&str] = if access == BarrierAccess::UNORDERED_ACCESS {
            &["reads", "writes", "atomics", "independent", "may"]
        } else if access.writes() {
            &["writes", "may"]
        } else {
            &["reads", "independent", "may"]
        };
        let span = self.span;
        self.offer(span, words);
    }

    /// Notes the resources that an access may touch.
    pub(super) fn offer_resources_for(&mut self, access: BarrierAccess) {
        let no_access = access == BarrierAccess::NO_ACCESS;
        self.offer_resources(|known, id| {
            no_access || compat::resource_accesses(known.traits(id)).contains(access)
        });
    }

    /// Notes the accesses that may be at the current token.
    pub(super) fn offer_accesses(&mut self, may_be: impl Fn(BarrierAccess) -> bool) {
        if self.offered.is_none() {
            return;
        }
        let names = BarrierAccess::names().iter();
        let names = names.filter(|name| BarrierAccess::parse_one(name).is_some_and(&may_be));
        self.offer_mask(names.copied().collect());
    }

    /// Notes the accesses of a barrier that a list of the current type has, and that fit to a scope if that is known.
    pub(super) fn offer_accesses_at(&mut self, sync: Option<BarrierSync>) {
        let of_list = self.list_type.map(compat::queue_accesses);
        self.offer_accesses(|access| {
            let is_none = access == BarrierAccess::NO_ACCESS;
            // Spec: with SYNC_NONE there is no access.
            if sync == Some(BarrierSync::NONE) {
                return is_none;
            }
            (is_none || of_list.is_none_or(|all| all.contains(access)))
                && sync.is_none_or(|sync| compat::access_sync_ok(access, sync))
        });
    }

    /// Notes the scopes of a barrier that a list of the current type has, and that fit to an access if that is known.
    pub(super) fn offer_scopes(&mut self, access: Option<BarrierAccess>) {
        if self.offered.is_none() {
            return;
        }
        let of_list = self.list_type.map(compat::queue_syncs);
        let may_be = |sync: BarrierSync| {
            of_list.is_none_or(|all| all.contains(sync))
                && access.is_none_or(|access| compat::access_sync_ok(access, sync))
        };
        let names = BarrierSync::names().iter();
        let names = names.filter(|name| BarrierSync::parse_one(name).is_some_and(may_be));
        self.offer_mask(names.copied().collect());
    }

    /// Notes the layouts that a list of the current type may name.
    pub(super) fn offer_layouts(&mut self) {
        let Some(queue) = self.list_type.filter(|_| self.offered.is_some()) else {
            return;
        };
        let names = Layout::names().iter();
        let names = names.filter(|name| {
            Layout::parse(name).is_some_and(|it| compat::queue_allows_layout(queue, it))
        });
        let names: Vec<&str> = names.copied().collect();
        let span = self.span;
        self.offer(span, &names);
    }

    /// Notes the resources that may be at the current token.
    pub(super) fn offer_resources(&mut self, may_be: impl Fn(&Scenario, ResourceId) -> bool) {
        if self.offered.is_none() {
            return;
        }
        let known = self.known();
        let is_right = |name: &&String| {
            let id = known.resources.id_of(name);
            id.is_some_and(|id| may_be(known, id))
        };
        let names: Vec<String> = known.resources.keys().filter(is_right).cloned().collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let span = self.span;
        self.offer(span, &names);
    }
}

/// Words that follow others. A test compares them with every scene.
const OTHERS: &str = "
    process adapter threads shared takes group-takes kernel vertices pixels rays mip layer plane
    rect subresource reads writes atomics independent may execute signal wait present initialise
    create open share destroy write read work cpu reset repeat queue device global ranged flags
    initial state heap at reserved type uncompressed keep mips layers samples all null off on
    transition uav alias profile lowering copies capability synchronous asynchronous graphics
    compute extended-async begin end kind current monitored private periodic_monitored
    cpu_notification semaphore mutex native native-fences optimised-default intra-gpu segments
    stride system local local-visible upload readback scope storage uninitialised enhanced-barriers
    fence-barriers-tier-2 raytracing sampler-feedback variable-rate-shading
";

/// Every word of the grammar that is no name of something else.
pub(crate) fn keywords() -> Vec<&'static str> {
    let first = super::declarations::DECLARATIONS.iter();
    let lists = super::declarations::LIST_WORDS.iter();
    let barriers = super::barriers::WORDS.iter();
    let all = first.chain(lists).chain(&super::COMMANDS);
    let all = all.chain(barriers).copied();
    all.chain(OTHERS.split_whitespace()).collect()
}
