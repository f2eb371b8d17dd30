//! Token search with typo tolerance.

mod fold;
mod grams;
mod hit;
mod index;
mod smallest_ordinals;
mod terms;
mod tiered_hits;

pub(crate) use fold::compact;
pub(crate) use hit::{Facet, Hit, Scope, Tier};
pub(crate) use index::{Index, IndexBuilder};
