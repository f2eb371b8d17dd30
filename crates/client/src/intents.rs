use causeway_wire::{Intent, IntentAttestations, IntentSummary, Page};

use crate::url::Query;
use crate::{Client, Error};

/// Filter and page of a list of intents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntentQuery {
    pub from_chain_id: Option<u64>,
    pub to_chain_id: Option<u64>,
    /// 20 by default, at most 100.
    pub limit: Option<u32>,
    /// The `cursor` of the previous page.
    pub cursor: Option<u64>,
}

impl Client {
    /// One intent by its on-chain id.
    pub async fn intent(&self, intent_id: &str) -> Result<Intent, Error> {
        self.get(self.base.join(&["v1", "intent", intent_id])).await?.json()
    }

    /// The attestations of an intent; status 404 until the attesters have signed.
    pub async fn intent_attestations(&self, intent_id: &str) -> Result<IntentAttestations, Error> {
        self.get(self.base.join(&["v1", "intent", intent_id, "attestations"])).await?.json()
    }

    /// The intent of a deposit transaction.
    pub async fn intent_by_deposit(&self, chain_id: u64, tx_hash: &str) -> Result<Intent, Error> {
        let query = Query::default().with("chainId", Some(chain_id)).with("txHash", Some(tx_hash));
        self.get(query.append_to(self.base.join(&["v1", "intent", "deposit"]))).await?.json()
    }

    /// A page of an author's intents, newest first.
    pub async fn intents(&self, author: &str, query: &IntentQuery) -> Result<Page<IntentSummary>, Error> {
        let url = Query::default()
            .with("fromChainId", query.from_chain_id)
            .with("toChainId", query.to_chain_id)
            .with("limit", query.limit)
            .with("cursor", query.cursor)
            .append_to(self.base.join(&["v1", "intents", author]));
        self.get(url).await?.json()
    }
}
