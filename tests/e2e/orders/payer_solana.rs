use std::time::{Duration, Instant};

use causeway_domain::Address;
use serde_json::{Value, json};
use tokio::sync::broadcast;

use super::chains::Chains;
use super::payer::{DepositVia, Payer, Stage, TIMEOUT};
use super::payer_key::Key;
use super::restartable_service::RestartableService;
use super::solana::SOLANA;
use super::solana_accounts::PROGRAM;

impl Payer {
    /// Deposits on Solana. A transaction whose blockhash died on the way is built again and signed anew.
    pub(super) async fn deposit_on_solana(
        &mut self,
        chains: &Chains,
        service: &RestartableService,
        stages: &broadcast::Sender<Stage>,
    ) {
        let (chain, token) = self.plan.from;
        if self.plan.via == DepositVia::Transfer {
            let built_order = self.built_order();
            chains.pay(chain, &self.key, token, built_order.deposit_address(), built_order.amount_in).await;
            let _ = stages.send(Stage::Deposited);
            return;
        }
        let begun = Instant::now();
        let mut is_late = self.plan.via == DepositVia::Late;
        loop {
            let signed = self.sign_deposit().await;
            if std::mem::take(&mut is_late) {
                chains.control(SOLANA, json!({ "action": "expireBlockhashes" })).await;
            }
            let done = if matches!(self.plan.via, DepositVia::Signed | DepositVia::Late) {
                self.submit_signed(&signed, chains, service, stages).await
            } else {
                self.send_and_report(&signed, chains, service, stages).await
            };
            if done {
                return;
            }
            if begun.elapsed() > TIMEOUT {
                let diagnostics = service.diagnostics(None).await;
                panic!("the deposit of {self:?} never gets through\n{diagnostics}");
            }
            self.build_again(service).await;
        }
    }

    /// Sends the deposit and submits its hash; `false` when it can never land.
    async fn send_and_report(
        &self,
        signed: &str,
        chains: &Chains,
        service: &RestartableService,
        stages: &broadcast::Sender<Stage>,
    ) -> bool {
        let Some(signature) = chains.send_on_solana(signed).await else { return false };
        let _ = stages.send(Stage::Deposited);
        if self.plan.via != DepositVia::Silent {
            self.submit_until_accepted(service, &json!({ "txHash": signature })).await;
            let _ = stages.send(Stage::Submitted);
        }
        true
    }

    /// Has the service send the deposit, and watches whether it comes; `false` when it never will.
    async fn submit_signed(
        &self,
        signed: &str,
        chains: &Chains,
        service: &RestartableService,
        stages: &broadcast::Sender<Stage>,
    ) -> bool {
        let proof = json!({ "signedTransaction": signed });
        let mut is_taken = self.submit(service, &proof).await.is_ok();
        let _ = stages.send(Stage::Submitted);
        loop {
            let is_fresh = chains.is_fresh_on_solana(signed).await;
            if !is_fresh {
                // What can land no more is in a block that stays by then, or never will be.
                chains.wait_for_solana().await;
            } else if !is_taken {
                is_taken = self.submit(service, &proof).await.is_ok();
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
        let at = Address::Solana(PROGRAM.order(self.built_order().intent).to_bytes());
        let options = json!({ "encoding": "base64", "commitment": "finalized" });
        let found = chains.solana("getAccountInfo", json!([at.to_string(), options])).await.unwrap();
        !found["value"].is_null()
    }

    async fn sign_deposit(&self) -> String {
        let approvals = self.built_order().answer["approvals"].as_array().unwrap();
        let [approval] = approvals.as_slice() else { panic!("{approvals:?} is more than one transaction") };
        assert_eq!(approval["type"], "solana_sendTransaction");
        assert_eq!(approval["deposit"], true);
        let Key::Solana(wallet) = &self.key else { panic!("{self:?} has no key of Solana") };
        wallet.sign(approval["transaction"].as_str().unwrap()).await
    }

    /// The same order with a fresh transaction, or another order when the quote is over.
    async fn build_again(&mut self, service: &RestartableService) {
        let built_order = self.built_order();
        let answer = self.built(service, &built_order.quote, &built_order.route).await;
        let Some(answer) = answer else { return self.build(service).await };
        assert_eq!(answer["intentId"], Value::String(built_order.intent.to_string()), "it is the same order");
        self.built_order.as_mut().expect("it was built").answer = answer;
    }
}
