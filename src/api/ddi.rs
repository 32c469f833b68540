//! ddi
