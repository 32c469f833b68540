//! Every plan there is: each barrier at each place where it may be, whole or as two halves, for each way of choosing layouts.
//! The reference for the search, for scenarios with few places.
//!
//! The plans are those of `wishes.rs`: that fewer barriers are not enough is not searched for here, because each of them is
//! there for a pair of uses that needs it.

use super::improve::Search;
use super::plan::{Place, Plan};
use super::wish::{Wish, Wishes};
use std::rc::Rc;

/// Plans beyond which there is no reference.
pub(super) const PLANS_MAX: u64 = 50_000;

/// The places of a barrier.
fn places(wish: &Wish) -> Vec<Place> {
    let all = wish.earliest..=wish.latest.index;
    let whole = all.clone().map(Place::Whole);
    let split = all.clone().filter(|_| wish.splits());
    let halves = split.flat_map(|first| {
        let seconds = first + 1..=wish.latest.index;
        seconds.map(move |second| Place::Split(first, second))
    });
    whole.chain(halves).collect()
}

/// How many plans some barriers have.
pub(super) fn count(wishes: &[Wish]) -> u64 {
    let each = wishes.iter().map(|wish| places(wish).len() as u64);
    each.fold(1, u64::saturating_mul)
}

/// Tries every plan of some barriers.
pub(super) fn each(search: &mut Search<'_>, wishes: &Rc<Wishes>) {
    let places: Vec<Vec<Place>> = wishes.iter().map(places).collect();
    // Which place each barrier has, counted up like the digits of a number.
    let mut digits = vec![0; wishes.len()];
    loop {
        let chosen = digits.iter().zip(&places);
        search.offer(Plan {
            places: chosen.map(|(digit, places)| places[*digit]).collect(),
            wishes: Rc::clone(wishes),
        });
        if search.is_ended() {
            return;
        }
        let next = digits
            .iter()
            .zip(&places)
            .position(|(digit, places)| digit + 1 < places.len());
        let Some(next) = next else { return };
        digits[..next].fill(0);
        digits[next] += 1;
    }
}
