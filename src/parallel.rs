//! What may be done next to each other: rayon's words. Where there are no threads, as in a browser's module, the same words do one
//! thing after the other.

#[cfg(target_family = "wasm")]
pub(crate) use one_after_the_other::{current_num_threads, join, spawn};
#[cfg(not(target_family = "wasm"))]
pub(crate) use rayon::{current_num_threads, join, spawn};

/// Words of iterators.
pub(crate) mod prelude {
    #[cfg(target_family = "wasm")]
    pub(crate) use super::one_after_the_other::{ParallelInto, ParallelSlices, ParallelWords};
    #[cfg(not(target_family = "wasm"))]
    pub(crate) use rayon::prelude::*;
}

#[cfg(target_family = "wasm")]
mod one_after_the_other {
    pub(crate) fn current_num_threads() -> usize {
        1
    }

    pub(crate) fn join<A, B>(one: impl FnOnce() -> A, other: impl FnOnce() -> B) -> (A, B) {
        (one(), other())
    }

    pub(crate) fn spawn(act: impl FnOnce()) {
        act();
    }

    /// Of slices.
    pub(crate) trait ParallelSlices<T> {
        fn par_iter(&self) -> std::slice::Iter<'_, T>;
        fn par_chunks(&self, size: usize) -> std::slice::Chunks<'_, T>;
    }

    impl<T> ParallelSlices<T> for [T] {
        fn par_iter(&self) -> std::slice::Iter<'_, T> {
            self.iter()
        }

        fn par_chunks(&self, size: usize) -> std::slice::Chunks<'_, T> {
            self.chunks(size)
        }
    }

    /// Of whatever has iterators.
    pub(crate) trait ParallelInto: IntoIterator + Sized {
        fn into_par_iter(self) -> Self::IntoIter {
            self.into_iter()
        }
    }

    impl<I: IntoIterator> ParallelInto for I {}

    /// Of iterators: rayon's own words.
    pub(crate) trait ParallelWords: Iterator + Sized {
        fn flat_map_iter<U: IntoIterator>(
            self,
            map: impl FnMut(Self::Item) -> U,
        ) -> impl Iterator<Item = U::Item> {
            self.flat_map(map)
        }

        #[cfg(feature = "corpus")]
        fn find_map_first<R>(mut self, find: impl FnMut(Self::Item) -> Option<R>) -> Option<R> {
            self.find_map(find)
        }

        fn map_init<S, R>(
            self,
            init: impl FnOnce() -> S,
            mut map: impl FnMut(&mut S, Self::Item) -> R,
        ) -> impl Iterator<Item = R> {
            let mut state = init();
            self.map(move |item| map(&mut state, item))
        }
    }

    impl<I: Iterator> ParallelWords for I {}
}
