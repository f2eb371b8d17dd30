pub(crate) mod generic;
mod image;
pub(crate) mod transfer;
