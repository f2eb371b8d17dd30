use serde::{Deserialize, Serialize};

/// One page of a list; `cursor` is absent on the last page and is passed back unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Page<T> {
    /// The entries of this page.
    pub data: Vec<T>,
    /// Where the next page starts; absent on the last page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<u64>,
}

/// A whole list in the envelope that pages use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Data<T> {
    /// The entries, best first.
    pub data: Vec<T>,
}
