use causeway_wire::{BuildAsk, SubmitAsk};
use reqwest::Method;

use crate::answers::{BuildAnswer, SubmitAnswer};
use crate::{Client, Error};

impl Client {
    /// Builds the deposit of a route: what the wallet has to sign. The same values again give the same deposit.
    pub async fn build_deposit(&self, ask: &BuildAsk) -> Result<BuildAnswer, Error> {
        self.send_once(Method::POST, self.base.join(&["v1", "deposit", "build"]), ask).await?.json()
    }

    /// Reports a deposit that was sent, or submits a signed one. It is idempotent.
    pub async fn submit_deposit(&self, ask: &SubmitAsk) -> Result<SubmitAnswer, Error> {
        self.send_once(Method::PUT, self.base.join(&["v1", "deposit", "submit"]), ask).await?.json()
    }
}
