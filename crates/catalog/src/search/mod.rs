//! Finding tokens by what people type.

mod best;
mod fold;
mod found;
mod grams;
mod hit;
mod index;
mod terms;

pub(crate) use fold::compact;
pub(crate) use hit::{Facet, Hit, Scope, Tier};
pub(crate) use index::{Index, IndexBuilder};
