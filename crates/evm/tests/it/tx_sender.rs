use std::sync::{Arc, Mutex};
use std::time::Duration;

use alloy_primitives::{Address as EvmAddress, B256, Bytes, U256, hex};
use alloy_sol_types::SolCall as _;
use async_trait::async_trait;
use causeway_domain::ports::{
    ActionError, ChainAction, EscrowState, FeeObserver, FinalTransaction, Outbox as _, OutgoingEnd, Progress,
    TxSender as _,
};
use causeway_domain::{Address, IntentTerms, RawAmount, TokenId};
use causeway_evm::SendPolicy;
use causeway_evm::orders::EvmTxSender;
use causeway_sandbox::genesis::TestWallet;
use causeway_testing::MemoryStore;
use jiff::{SignedDuration, Timestamp};

use crate::orders_chain::{SandboxChain, USDT, roles, signer, transferCall, wallet};

const POLICY: SendPolicy =
    SendPolicy { stuck_after: Duration::from_mins(1), max_fee_per_gas: 1_000_000_000_000, depth: 2 };

struct Fixture {
    play: SandboxChain,
    outbox: Arc<MemoryStore>,
}

impl Fixture {
    async fn new(chain: u64) -> Self {
        Self { play: SandboxChain::start(chain).await, outbox: Arc::default() }
    }

    /// A process that shares chain and outbox with those before it.
    fn sender(&self, wallet: &TestWallet) -> EvmTxSender {
        let deployments = vec![self.play.deployment.clone()];
        EvmTxSender::new(self.play.client.clone(), signer(wallet), self.outbox.clone(), POLICY, deployments)
    }

    fn filler(&self) -> EvmTxSender {
        self.sender(&roles().fillers[0].hot)
    }

    fn relayer(&self) -> EvmTxSender {
        self.sender(&roles().relayer)
    }

    /// Sends until the action has ended, mining meanwhile; returns each distinct progress.
    async fn run_to_end(&self, sender: &EvmTxSender, purpose: &str, action: &ChainAction) -> Vec<Progress> {
        let mut seen_progress = Vec::new();
        for _ in 0..100 {
            let progress = sender.send(purpose, action, Timestamp::now()).await.unwrap();
            if seen_progress.last() != Some(&progress) {
                seen_progress.push(progress.clone());
            }
            if matches!(progress, Progress::Succeeded(_) | Progress::Reverted(_)) {
                return seen_progress;
            }
            self.play.chain.mine(1, 1).await.unwrap();
            sender.poll_pending(Timestamp::now()).await.unwrap();
        }
        panic!("{purpose} never ended: {seen_progress:?}");
    }

    /// What the senders of these wallets tell about their final transactions.
    fn observed(&self, wallet: &TestWallet) -> (EvmTxSender, Arc<Fees>) {
        let fees = Arc::new(Fees::default());
        (self.sender(wallet).with_fee_observer(fees.clone()), fees)
    }

    fn purposes(&self) -> Vec<String> {
        self.outbox.outgoing().into_iter().map(|row| row.purpose).collect()
    }
}

#[derive(Default)]
struct Fees(Mutex<Vec<FinalTransaction>>);

#[async_trait]
impl FeeObserver for Fees {
    async fn transaction_final(&self, transaction: &FinalTransaction) {
        self.0.lock().unwrap().push(transaction.clone());
    }
}

#[tokio::test]
async fn a_final_transaction_tells_once_what_it_cost() {
    let fixture = Fixture::new(10).await;
    let terms = fixture.play.order("coin");
    fixture.play.open(&terms).await;
    let (filler, fees) = fixture.observed(&roles().fillers[0].hot);
    let account = roles().fillers[0].hot.address;
    let before = fixture.play.coins(account).await;
    let fill = ChainAction::Fill { terms, through: None };
    fixture.run_to_end(&filler, "fill:1", &fill).await;
    let spent = before - fixture.play.coins(account).await - terms.amount_out;
    let reported = FinalTransaction { chain: filler.chain(), purpose: "fill:1".to_owned(), fee: spent };
    assert_eq!(*fees.0.lock().unwrap(), [reported], "what the account has less, besides what it delivered");
    let (again, fees) = fixture.observed(&roles().fillers[0].hot);
    again.poll_pending(Timestamp::now()).await.unwrap();
    assert!(fees.0.lock().unwrap().is_empty(), "its end was recorded before");
}

fn names(seen_progress: &[Progress]) -> Vec<&'static str> {
    let name = |progress: &Progress| match progress {
        Progress::Waiting => "waiting",
        Progress::Sent(_) => "on its way",
        Progress::Succeeded(_) => "succeeded",
        Progress::Reverted(_) => "reverted",
    };
    seen_progress.iter().map(name).collect()
}

fn recipient() -> EvmAddress {
    EvmAddress::repeat_byte(0xec)
}

#[tokio::test]
async fn a_native_fill_pays_the_recipient_once_and_is_then_claimed() {
    let fixture = Fixture::new(10).await;
    let terms = fixture.play.order("coin");
    fixture.play.open(&terms).await;
    let filler = fixture.filler();
    let fill = ChainAction::Fill { terms, through: None };
    assert_eq!(filler.progress("fill:1").await.unwrap(), None);
    let seen_progress = fixture.run_to_end(&filler, "fill:1", &fill).await;
    assert_eq!(names(&seen_progress), ["on its way", "succeeded"]);
    // Another process finds it done.
    assert_eq!(fixture.filler().send("fill:1", &fill, Timestamp::now()).await.unwrap(), seen_progress[1]);
    assert_eq!(fixture.play.client.native_balance(recipient()).await.unwrap(), terms.amount_out);

    let claim = ChainAction::Claim { terms, filled_at: 0, fill_ref: B256::ZERO, signatures: Vec::new() };
    let seen_progress = fixture.run_to_end(&filler, "claim:1", &claim).await;
    assert_eq!(names(&seen_progress), ["on its way", "succeeded"]);
    let payee = roles().fillers[0].payee.address;
    assert_eq!(fixture.play.client.native_balance(payee).await.unwrap(), terms.amount_in);
    let refused = filler.send("refund:1", &ChainAction::Refund { terms }, Timestamp::now()).await;
    assert!(
        matches!(&refused, Err(ActionError::WouldFail(reason)) if reason.contains("NotOpen")),
        "{refused:?}"
    );
    assert_eq!(fixture.purposes(), ["fill:1", "claim:1"]);
}

#[tokio::test]
async fn a_token_fill_waits_for_its_allowance_which_is_approved_once() {
    let fixture = Fixture::new(1).await;
    let filler = fixture.filler();
    for seed in ["one", "two"] {
        let terms = IntentTerms { output_token: USDT.into_word(), ..fixture.play.order(seed) };
        let seen_progress =
            fixture.run_to_end(&filler, seed, &ChainAction::Fill { terms, through: None }).await;
        let expected: &[&str] = if seed == "one" {
            &["waiting", "on its way", "succeeded"]
        } else {
            &["on its way", "succeeded"]
        };
        assert_eq!(names(&seen_progress), expected);
    }
    assert_eq!(fixture.play.token_balance(USDT, recipient()).await, U256::from(2 * 990_000));
    let approve = format!("approve:{}:{}:{USDT}", filler.account(), fixture.play.deployment.settler);
    assert_eq!(fixture.purposes(), [approve.as_str(), "one", "two"]);
}

#[tokio::test]
async fn a_fill_in_vault_shares_spends_the_asset() {
    let fixture = Fixture::new(4_278_608).await;
    let vault = fixture.play.deployment.hub.as_ref().unwrap().vaults[0].vault;
    let shares = U256::from(5_000_000_000_000_u64);
    let terms =
        IntentTerms { output_token: vault.into_word(), amount_out: shares, ..fixture.play.order("shares") };
    let filler = fixture.filler();
    let held = fixture.play.token_balance(USDT, roles().fillers[0].hot.address).await;
    let action = ChainAction::Fill { terms, through: Some((Address::Evm(USDT), U256::from(5_100_000))) };
    let seen_progress = fixture.run_to_end(&filler, "fill", &action).await;
    assert_eq!(names(&seen_progress), ["waiting", "on its way", "succeeded"]);
    assert_eq!(fixture.play.token_balance(vault, recipient()).await, shares);
    let left = fixture.play.token_balance(USDT, roles().fillers[0].hot.address).await;
    assert_eq!(held - left, U256::from(5_000_000), "the vault's change was refunded");
}

/// Burns about this much gas whenever it is paid.
fn burner(gas: u32) -> Bytes {
    let rounds = (gas / 26).to_be_bytes();
    [[0x63].as_slice(), rounds.as_slice(), &hex!("5b6001900380600557"), &[0x00]].concat().into()
}

#[tokio::test]
async fn rule_25_a_recipient_that_takes_more_gas_than_its_kind_of_transaction_may_is_not_paid() {
    let fixture = Fixture::new(10).await;
    let filler = fixture.filler();
    let terms = fixture.play.order("burner");
    let fill = ChainAction::Fill { terms, through: None };
    assert_eq!(filler.unpayable_reason(&fill).await.unwrap(), None);
    // A wallet contract may do some work of its own.
    fixture.play.chain.set_code(recipient(), burner(60_000)).await.unwrap();
    assert_eq!(filler.unpayable_reason(&fill).await.unwrap(), None);
    for gas in [3_000_000, 6_000_000] {
        fixture.play.chain.set_code(recipient(), burner(gas)).await.unwrap();
        let reason = filler.unpayable_reason(&fill).await.unwrap();
        assert!(reason.is_some_and(|reason| reason.contains("more gas")), "{gas}");
        let refused = filler.send("fill", &fill, Timestamp::now()).await;
        assert!(matches!(&refused, Err(ActionError::WouldFail(_))), "{refused:?}");
        let token = TokenId::native(filler.chain());
        let amount = RawAmount::new(U256::from(1));
        let pay = ChainAction::Pay { token, to: Address::Evm(recipient()), amount };
        let refused = filler.send("pay", &pay, Timestamp::now()).await;
        assert!(
            matches!(&refused, Err(ActionError::WouldFail(reason)) if reason.contains("gas")),
            "{gas}: {refused:?}"
        );
    }
    assert_eq!(fixture.purposes(), Vec::<String>::new(), "nothing was signed");
    // Without code it can be paid, and the limit stays below the ceiling.
    fixture.play.chain.set_code(recipient(), Bytes::new()).await.unwrap();
    fixture.run_to_end(&filler, "fill", &fill).await;
    let most = filler.max_fees("fill").await.unwrap().unwrap();
    assert!(most > U256::ZERO && most <= U256::from(2 * 88_612 * POLICY.max_fee_per_gas), "{most}");
    assert_eq!(filler.max_fees("other").await.unwrap(), None);
}

#[tokio::test]
async fn a_deposit_address_is_swept_and_the_rest_is_refunded_per_token() {
    let fixture = Fixture::new(10).await;
    let (play, relayer) = (&fixture.play, fixture.relayer());
    let terms = play.order("transfer");
    let factory = play.deployment.deposit_factory;
    let address = factory.create2(terms.id(), play.deployment.deposit_code_hash);
    let too_early = relayer.send("sweep", &ChainAction::Sweep { terms }, Timestamp::now()).await;
    assert!(
        matches!(&too_early, Err(ActionError::WouldFail(reason)) if reason.contains("less has arrived")),
        "{too_early:?}"
    );
    play.land(&wallet(3), address, terms.amount_in + U256::from(40), Vec::new()).await;
    let transfer = transferCall { to: address, amount: U256::from(70) };
    play.land(&wallet(3), USDT, U256::ZERO, transfer.abi_encode()).await;
    let seen_progress = fixture.run_to_end(&relayer, "sweep", &ChainAction::Sweep { terms }).await;
    assert_eq!(names(&seen_progress), ["on its way", "succeeded"]);
    assert_eq!(play.client.native_balance(play.deployment.escrow).await.unwrap(), terms.amount_in);

    let tokens = vec![Address::Evm(EvmAddress::ZERO), Address::Evm(USDT)];
    let seen_progress =
        fixture.run_to_end(&relayer, "giveback", &ChainAction::ReturnBalance { terms, tokens }).await;
    assert_eq!(names(&seen_progress), ["on its way", "succeeded"]);
    let refund_to = EvmAddress::from_word(terms.refund_to);
    assert_eq!(play.client.native_balance(refund_to).await.unwrap(), U256::from(40));
    assert_eq!(play.token_balance(USDT, refund_to).await, U256::from(70));
}

#[tokio::test]
async fn rule_7_the_filler_refunds_a_deposit_before_any_deadline_and_others_cannot() {
    let fixture = Fixture::new(10).await;
    let terms = fixture.play.order("waived");
    fixture.play.open(&terms).await;
    let refused = fixture.relayer().send("refund", &ChainAction::Refund { terms }, Timestamp::now()).await;
    assert!(
        matches!(&refused, Err(ActionError::WouldFail(reason)) if reason.contains("too early")),
        "{refused:?}"
    );
    let seen_progress = fixture.run_to_end(&fixture.filler(), "waive", &ChainAction::Refund { terms }).await;
    assert_eq!(names(&seen_progress), ["on its way", "succeeded"]);
    let refund_to = EvmAddress::from_word(terms.refund_to);
    assert_eq!(fixture.play.client.native_balance(refund_to).await.unwrap(), terms.amount_in);
}

#[tokio::test]
async fn rule_13_two_processes_and_a_crash_fill_once() {
    let fixture = Fixture::new(10).await;
    let terms = fixture.play.order("twice");
    let fill = ChainAction::Fill { terms, through: None };
    // The node loses the transaction of the first process, and that process crashes.
    fixture.play.chain.drop_next(1);
    let first = fixture.filler().send("fill", &fill, Timestamp::now()).await.unwrap();
    let (one, two) = (fixture.filler(), fixture.filler());
    let (a, b) =
        tokio::join!(one.send("fill", &fill, Timestamp::now()), two.send("fill", &fill, Timestamp::now()));
    assert_eq!((a.unwrap(), b.unwrap()), (first.clone(), first));
    one.poll_pending(Timestamp::now()).await.unwrap();
    let seen_progress = fixture.run_to_end(&two, "fill", &fill).await;
    assert_eq!(names(&seen_progress), ["on its way", "succeeded"]);
    assert_eq!(fixture.play.client.native_balance(recipient()).await.unwrap(), terms.amount_out);
    assert_eq!(fixture.outbox.outgoing().len(), 1);
    assert!(matches!(fixture.outbox.outgoing()[0].end, Some(OutgoingEnd::Succeeded(_))));
}

#[tokio::test]
async fn polling_makes_no_calls_while_nothing_is_pending() {
    let fixture = Fixture::new(10).await;
    let (filler, now) = (fixture.filler(), Timestamp::now());
    filler.poll_pending(now).await.unwrap();
    // A transaction of another process is found within 30 seconds.
    let terms = fixture.play.order("left");
    fixture.play.chain.drop_next(1);
    fixture.filler().send("fill", &ChainAction::Fill { terms, through: None }, now).await.unwrap();
    let pooled = async || {
        fixture
            .play
            .client
            .nonce(roles().fillers[0].hot.address, causeway_evm::BlockTag::Latest)
            .await
            .unwrap()
    };
    filler.poll_pending(now + SignedDuration::from_secs(29)).await.unwrap();
    fixture.play.chain.mine(2, 1).await.unwrap();
    assert_eq!(pooled().await, 0, "not checked yet");
    filler.poll_pending(now + SignedDuration::from_secs(30)).await.unwrap();
    fixture.play.chain.mine(2, 1).await.unwrap();
    assert_eq!(pooled().await, 1);
}

#[tokio::test]
async fn on_chain_status_follows_an_order() {
    let fixture = Fixture::new(10).await;
    let terms = fixture.play.order("status");
    let filler = fixture.filler();
    let seen_progress = async || {
        let status = filler.on_chain_status(&terms).await.unwrap();
        (status.escrow, status.is_filled)
    };
    assert_eq!(seen_progress().await, (EscrowState::Unknown, false));
    fixture.play.open(&terms).await;
    assert_eq!(seen_progress().await, (EscrowState::Open, false));
    fixture.run_to_end(&filler, "fill:1", &ChainAction::Fill { terms, through: None }).await;
    assert_eq!(seen_progress().await, (EscrowState::Open, true));
    let claim = ChainAction::Claim { terms, filled_at: 0, fill_ref: B256::ZERO, signatures: Vec::new() };
    fixture.run_to_end(&filler, "claim:1", &claim).await;
    assert_eq!(seen_progress().await, (EscrowState::Claimed, true));
    assert!(filler.on_chain_status(&terms).await.unwrap().is_settled);
    // Each chain reports its own side only.
    let from_elsewhere = IntentTerms { origin_chain_id: 1, ..terms };
    let status = filler.on_chain_status(&from_elsewhere).await.unwrap();
    assert_eq!((status.escrow, status.is_filled), (EscrowState::Unknown, false));
}

#[tokio::test]
async fn transactions_unknown_to_a_restored_outbox_are_awaited_until_final() {
    let mut fixture = Fixture::new(10).await;
    let terms = fixture.play.order("forgotten");
    fixture.play.open(&terms).await;
    fixture.play.chain.pause();
    let fill = ChainAction::Fill { terms, through: None };
    fixture.filler().send("fill:1", &fill, Timestamp::now()).await.unwrap();
    let complete = fixture.filler();
    // The store is restored from a backup while the fill is pending.
    fixture.outbox = Arc::default();
    let restored = fixture.filler();
    let status = restored.on_chain_status(&terms).await.unwrap();
    assert_eq!((status.is_filled, status.is_settled), (false, false), "it may still be mined");
    fixture.play.chain.mine(1, 1).await.unwrap();
    let status = restored.on_chain_status(&terms).await.unwrap();
    assert_eq!((status.is_filled, status.is_settled), (true, false), "it may still be reorganised away");
    fixture.play.chain.mine(5, 1).await.unwrap();
    assert!(restored.on_chain_status(&terms).await.unwrap().is_settled);
    assert!(
        complete.on_chain_status(&terms).await.unwrap().is_settled,
        "a complete outbox waits for nothing"
    );
}

#[tokio::test]
async fn a_restart_after_a_restore_still_awaits_unknown_transactions() {
    let mut fixture = Fixture::new(10).await;
    let terms = fixture.play.order("forgotten");
    fixture.play.open(&terms).await;
    fixture.play.chain.pause();
    let fill = ChainAction::Fill { terms, through: None };
    fixture.filler().send("fill:1", &fill, Timestamp::now()).await.unwrap();
    fixture.outbox = Arc::default();
    // The restored process sends something of its own, which takes the nonce of the fill that it does not know.
    let other = ChainAction::Fill { terms: fixture.play.order("other"), through: None };
    fixture.filler().send("fill:2", &other, Timestamp::now()).await.unwrap();
    assert_eq!(fixture.outbox.outgoing()[0].nonce, 0);
    let again = fixture.filler();
    fixture.play.chain.mine(1, 1).await.unwrap();
    let status = again.on_chain_status(&terms).await.unwrap();
    assert!(!status.is_settled, "it may still be reorganised away");
    fixture.play.chain.mine(5, 1).await.unwrap();
    assert!(again.on_chain_status(&terms).await.unwrap().is_settled);
    assert!(fixture.filler().on_chain_status(&terms).await.is_ok());
    let account = again.account();
    assert_eq!(fixture.outbox.unknown_below(again.chain(), account).await.unwrap(), None);
}
