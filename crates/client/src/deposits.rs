use causeway_wire::{BuildAnswer, BuildAsk, SubmitAnswer, SubmitAsk};
use reqwest::Method;

use crate::{Client, Error};

impl Client {
    /// Freezes a route and answers what a wallet has to do for it.
    pub async fn build_deposit(&self, ask: &BuildAsk) -> Result<BuildAnswer, Error> {
        self.send(Method::POST, self.base.join(&["v1", "deposit", "build"]), ask).await?.json()
    }

    /// Tells of a deposit that was made, or hands over one that was signed; the same again gives the same order.
    pub async fn submit_deposit(&self, ask: &SubmitAsk) -> Result<SubmitAnswer, Error> {
        self.send(Method::PUT, self.base.join(&["v1", "deposit", "submit"]), ask).await?.json()
    }
}
