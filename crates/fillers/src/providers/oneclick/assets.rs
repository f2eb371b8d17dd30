use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use causeway_domain::ports::FillerError;
use causeway_domain::{Address, ChainId, TokenId};

use super::config::chain_id;
use super::wire::Listed;
use crate::providers::transport::{Transport, read};

/// For how long the list of tokens is kept.
const KEPT: Duration = Duration::from_mins(10);

/// A token as 1Click knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asset {
    pub(super) id: String,
    pub(super) decimals: u8,
}

/// The tokens of our chains that 1Click trades.
pub(super) type Assets = HashMap<TokenId, Asset>;

/// The list of 1Click's tokens, asked for again when it is old.
#[derive(Debug, Default)]
pub(super) struct AssetList {
    known: tokio::sync::Mutex<Option<(Instant, Arc<Assets>)>>,
}

impl AssetList {
    /// Those who ask meanwhile wait for the same answer.
    pub(super) async fn get(&self, transport: &Transport) -> Result<Arc<Assets>, FillerError> {
        let mut known = self.known.lock().await;
        if let Some((_, assets)) = known.as_ref().filter(|(at, _)| at.elapsed() < KEPT) {
            return Ok(Arc::clone(assets));
        }
        let listed: Vec<Listed> = read(&transport.get("v0/tokens", &[]).await?)?;
        let assets = Arc::new(assets(listed));
        *known = Some((Instant::now(), Arc::clone(&assets)));
        Ok(assets)
    }
}

/// The listed tokens of our chains. Of two names for one token the first counts.
pub(super) fn assets(listed: Vec<Listed>) -> Assets {
    let mut assets = Assets::new();
    for listed in listed {
        let Some(chain) = chain_id(&listed.blockchain).and_then(ChainId::new) else { continue };
        let address = match listed.contract_address.as_deref() {
            None | Some("") => Some(Address::native(chain.family())),
            Some(text) => Address::parse_any_case(chain.family(), text).ok(),
        };
        let Some(token) = address.and_then(|address| TokenId::from_address(chain, address)) else { continue };
        assets.entry(token).or_insert(Asset { id: listed.asset_id, decimals: listed.decimals });
    }
    assets
}
