pub(crate) mod autocomplete;
pub(crate) mod get_balances;
pub(crate) mod get_icon;
pub(crate) mod get_suggestions;
pub(crate) mod get_tokens;
pub(crate) mod get_top_tokens;
pub(crate) mod search_tokens;
