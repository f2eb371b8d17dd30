pub(crate) mod find_intent;
pub(crate) mod get_attestations;
pub(crate) mod get_intent;
pub(crate) mod get_intents;
mod map_intent;
