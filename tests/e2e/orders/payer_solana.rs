use std::time::{Duration, Instant};

use causeway_domain::Address;
use serde_json::{Value, json};
use tokio::sync::broadcast;

use super::chains::Chains;
use super::desk::Desk;
use super::key::Key;
use super::payer::{Moment, PATIENCE, Payer, Way};
use super::solana::SOLANA;
use super::solana_books::PROGRAM;

impl Payer {
    /// Deposits on Solana. A transaction whose blockhash died on the way is built again and signed anew.
    pub(super) async fn deposit_on_solana(
        &mut self,
        chains: &Chains,
        desk: &Desk,
        tell: &broadcast::Sender<Moment>,
    ) {
        let (chain, token) = self.wish.from;
        if self.wish.way == Way::Transfer {
            let deal = self.deal();
            chains.pay(chain, &self.key, token, deal.deposit_address(), deal.amount_in).await;
            let _ = tell.send(Moment::Deposited);
            return;
        }
        let begun = Instant::now();
        let mut is_late = self.wish.way == Way::Late;
        loop {
            let signed = self.sign_deposit().await;
            if std::mem::take(&mut is_late) {
                chains.control(SOLANA, json!({ "action": "expireBlockhashes" })).await;
            }
            let done = if matches!(self.wish.way, Way::Signed | Way::Late) {
                self.hand_over(&signed, chains, desk, tell).await
            } else {
                self.send_and_tell(&signed, chains, desk, tell).await
            };
            if done {
                return;
            }
            if begun.elapsed() > PATIENCE {
                let story = desk.story(None).await;
                panic!("the deposit of {self:?} never gets through\n{story}");
            }
            self.build_again(desk).await;
        }
    }

    /// Sends the deposit and tells of it; `false` when it can never land.
    async fn send_and_tell(
        &self,
        signed: &str,
        chains: &Chains,
        desk: &Desk,
        tell: &broadcast::Sender<Moment>,
    ) -> bool {
        let Some(signature) = chains.send_on_solana(signed).await else { return false };
        let _ = tell.send(Moment::Deposited);
        if self.wish.way != Way::Silent {
            self.submit_patiently(desk, &json!({ "txHash": signature })).await;
            let _ = tell.send(Moment::Submitted);
        }
        true
    }

    /// Has the service send the deposit, and watches whether it comes; `false` when it never will.
    async fn hand_over(
        &self,
        signed: &str,
        chains: &Chains,
        desk: &Desk,
        tell: &broadcast::Sender<Moment>,
    ) -> bool {
        let proof = json!({ "signedTransaction": signed });
        let mut is_taken = self.submit(desk, &proof).await.is_ok();
        let _ = tell.send(Moment::Submitted);
        loop {
            let is_fresh = chains.is_fresh_on_solana(signed).await;
            if !is_fresh {
                // What can land no more is in a block that stays by then, or never will be.
                chains.wait_for_solana().await;
            } else if !is_taken {
                is_taken = self.submit(desk, &proof).await.is_ok();
            }
            if self.is_open_on_solana(chains).await {
                return true;
            }
            if !is_fresh {
                return false;
            }
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
    }

    /// Whether the program has taken the deposit for good.
    async fn is_open_on_solana(&self, chains: &Chains) -> bool {
        let at = Address::Solana(PROGRAM.order(self.deal().intent).to_bytes());
        let options = json!({ "encoding": "base64", "commitment": "finalized" });
        let found = chains.solana("getAccountInfo", json!([at.to_string(), options])).await.unwrap();
        !found["value"].is_null()
    }

    async fn sign_deposit(&self) -> String {
        let approvals = self.deal().answer["approvals"].as_array().unwrap();
        let [approval] = approvals.as_slice() else { panic!("{approvals:?} is more than one transaction") };
        assert_eq!(approval["type"], "solana_sendTransaction");
        assert_eq!(approval["deposit"], true);
        let Key::Solana(wallet) = &self.key else { panic!("{self:?} has no key of Solana") };
        wallet.sign(approval["transaction"].as_str().unwrap()).await
    }

    /// The same order with a fresh transaction, or another order when the quote is over.
    async fn build_again(&mut self, desk: &Desk) {
        let deal = self.deal();
        let answer = self.built(desk, &deal.quote, &deal.route).await;
        let Some(answer) = answer else { return self.build(desk).await };
        assert_eq!(answer["intentId"], Value::String(deal.intent.to_string()), "it is the same order");
        self.deal.as_mut().expect("it was built").answer = answer;
    }
}
