pub(crate) mod get_chains;
pub(crate) mod get_icon;
