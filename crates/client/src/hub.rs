use causeway_wire::{Filler, HubConfig, Status, Token, Vault};

use crate::url::Query;
use crate::{Client, Error};

impl Client {
    /// The addresses of the hub's contracts.
    pub async fn hub_config(&self) -> Result<HubConfig, Error> {
        self.get(self.base.join(&["v1", "config", "hub"])).await?.json()
    }

    /// The hub's vaults.
    pub async fn vaults(&self) -> Result<Vec<Vault>, Error> {
        self.get(self.base.join(&["v1", "vaults"])).await?.json()
    }

    /// The share tokens of the vaults.
    pub async fn mtokens(&self, chain_ids: &[u64]) -> Result<Vec<Token>, Error> {
        let query = Query::default().list("chainIds", chain_ids);
        self.get(query.append_to(self.base.join(&["v1", "mtokens"]))).await?.json()
    }

    /// The fillers with their statistics.
    pub async fn fillers(&self) -> Result<Vec<Filler>, Error> {
        self.get(self.base.join(&["v1", "fillers"])).await?.json()
    }

    /// Version, mode and readiness of the service.
    pub async fn status(&self) -> Result<Status, Error> {
        self.get(self.base.join(&["status.json"])).await?.json()
    }
}
