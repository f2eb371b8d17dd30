use crate::TokenId;

/// A token as the catalog knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub id: TokenId,
    pub symbol: String,
    pub name: String,
    pub decimals: u8,
    pub logo: Option<String>,
}
