use serde_json::{Value, json};
use tokio::sync::broadcast;

use super::chains::Chains;
use super::desk::Desk;
use super::key::Key;
use super::payer::{Moment, Payer, Way};
use super::solana::SOLANA;

/// How often somebody signs anew before giving up.
const PATIENCE: usize = 10;

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
        for attempt in 0..PATIENCE {
            let signed = self.sign_deposit().await;
            let is_late = attempt == 0 && self.wish.way == Way::Late;
            if is_late {
                chains.control(SOLANA, json!({ "action": "expireBlockhashes" })).await;
            }
            let proof = if matches!(self.wish.way, Way::Signed | Way::Late) {
                Some(json!({ "signedTransaction": signed }))
            } else {
                chains.send_on_solana(&signed).await.map(|signature| json!({ "txHash": signature }))
            };
            let Some(proof) = proof else {
                self.build_again(desk).await;
                continue;
            };
            let _ = tell.send(Moment::Deposited);
            if self.wish.way == Way::Silent {
                return;
            }
            match self.submit(desk, proof).await {
                Ok(()) => {
                    assert!(!is_late, "a deposit that can never land was taken: {self:?}");
                    let _ = tell.send(Moment::Submitted);
                    return;
                }
                Err(refused) if refused.to_string().contains("build") => self.build_again(desk).await,
                Err(refused) => {
                    let story = desk.story(None).await;
                    panic!("the deposit of {self:?} was refused: {refused}\n{story}");
                }
            }
        }
        panic!("the deposit of {self:?} never gets through");
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
