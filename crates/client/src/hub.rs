use causeway_wire::{Filler, HubConfig, Status, Token, Vault};

use crate::{Client, Error};

impl Client {
    /// Where the hub's contracts lie.
    pub async fn hub_config(&self) -> Result<HubConfig, Error> {
        self.get(self.base.join(&["v1", "config", "hub"])).await?.json()
    }

    /// The hub's vaults.
    pub async fn vaults(&self) -> Result<Vec<Vault>, Error> {
        self.get(self.base.join(&["v1", "vaults"])).await?.json()
    }

    /// The share tokens of the vaults.
    pub async fn mtokens(&self) -> Result<Vec<Token>, Error> {
        self.get(self.base.join(&["v1", "mtokens"])).await?.json()
    }

    /// Who offers routes, and how they do.
    pub async fn fillers(&self) -> Result<Vec<Filler>, Error> {
        self.get(self.base.join(&["v1", "fillers"])).await?.json()
    }

    /// What is running.
    pub async fn status(&self) -> Result<Status, Error> {
        self.get(self.base.join(&["status.json"])).await?.json()
    }
}
