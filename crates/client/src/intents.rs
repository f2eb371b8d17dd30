use causeway_wire::{Intent, IntentAttestations, IntentSummary, Page};

use crate::address::Query;
use crate::{Client, Error};

/// Which of an author's intents, and which page of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntentQuery {
    pub from_chain_id: Option<u64>,
    pub to_chain_id: Option<u64>,
    /// 20 unless told, at most 100.
    pub limit: Option<u32>,
    /// The `cursor` of the page before.
    pub cursor: Option<u64>,
}

impl Client {
    /// One intent, by the id that the chains know.
    pub async fn intent(&self, intent_id: &str) -> Result<Intent, Error> {
        self.get(self.base.join(&["v1", "intent", intent_id])).await?.json()
    }

    /// What the attesters have signed of an intent; an error of status 404 until they have.
    pub async fn intent_attestations(&self, intent_id: &str) -> Result<IntentAttestations, Error> {
        self.get(self.base.join(&["v1", "intent", intent_id, "attestations"])).await?.json()
    }

    /// The intent that a transaction deposited for.
    pub async fn intent_by_deposit(&self, chain_id: u64, tx_hash: &str) -> Result<Intent, Error> {
        let query = Query::default().with("chainId", Some(chain_id)).with("txHash", Some(tx_hash));
        self.get(query.onto(self.base.join(&["v1", "intent", "deposit"]))).await?.json()
    }

    /// A page of an author's intents, newest first.
    pub async fn intents(&self, author: &str, query: &IntentQuery) -> Result<Page<IntentSummary>, Error> {
        let url = Query::default()
            .with("fromChainId", query.from_chain_id)
            .with("toChainId", query.to_chain_id)
            .with("limit", query.limit)
            .with("cursor", query.cursor)
            .onto(self.base.join(&["v1", "intents", author]));
        self.get(url).await?.json()
    }
}
