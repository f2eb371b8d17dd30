use std::sync::Arc;
use std::time::Duration;

use alloy_primitives::{Address as EvmAddress, B256, U256};
use alloy_sol_types::SolCall as _;
use causeway_domain::ports::{Carrier as _, Deed, DeedError, EscrowState, OutgoingEnd, Progress};
use causeway_domain::{Address, Terms};
use causeway_evm::SendPolicy;
use causeway_evm::orders::EvmCarrier;
use causeway_sandbox::genesis::TestWallet;
use jiff::{SignedDuration, Timestamp};

use crate::orders_chain::{PlayChain, USDT, roles, signer, transferCall, wallet};
use crate::outbox::MemoryOutbox;

const POLICY: SendPolicy =
    SendPolicy { stuck_after: Duration::from_mins(1), max_fee_per_gas: 1_000_000_000_000, depth: 2 };

struct Stage {
    play: PlayChain,
    outbox: Arc<MemoryOutbox>,
}

impl Stage {
    async fn new(chain: u64) -> Self {
        Self { play: PlayChain::start(chain).await, outbox: Arc::default() }
    }

    /// A process that shares chain and outbox with those before it.
    fn carrier(&self, wallet: &TestWallet) -> EvmCarrier {
        let deployments = vec![self.play.deployment.clone()];
        EvmCarrier::new(self.play.client.clone(), signer(wallet), self.outbox.clone(), POLICY, deployments)
    }

    fn filler(&self) -> EvmCarrier {
        self.carrier(&roles().fillers[0].hot)
    }

    fn relayer(&self) -> EvmCarrier {
        self.carrier(&roles().relayer)
    }

    /// Carries until it has ended, mining meanwhile; every progress that was told on the way.
    async fn see_through(&self, carrier: &EvmCarrier, purpose: &str, deed: &Deed) -> Vec<Progress> {
        let mut told = Vec::new();
        for _ in 0..100 {
            let progress = carrier.carry(purpose, deed, Timestamp::now()).await.unwrap();
            if told.last() != Some(&progress) {
                told.push(progress.clone());
            }
            if matches!(progress, Progress::Succeeded(_) | Progress::Reverted(_)) {
                return told;
            }
            self.play.chain.mine(1, 1).await.unwrap();
            carrier.tend(Timestamp::now()).await.unwrap();
        }
        panic!("{purpose} never ended: {told:?}");
    }

    fn purposes(&self) -> Vec<String> {
        self.outbox.rows().into_iter().map(|row| row.purpose).collect()
    }
}

fn names(told: &[Progress]) -> Vec<&'static str> {
    let name = |progress: &Progress| match progress {
        Progress::Waiting => "waiting",
        Progress::OnItsWay(_) => "on its way",
        Progress::Succeeded(_) => "succeeded",
        Progress::Reverted(_) => "reverted",
    };
    told.iter().map(name).collect()
}

fn recipient() -> EvmAddress {
    EvmAddress::repeat_byte(0xec)
}

#[tokio::test]
async fn a_fill_in_coin_pays_the_recipient_once_and_is_then_claimed() {
    let stage = Stage::new(10).await;
    let terms = stage.play.order("coin");
    stage.play.open(&terms).await;
    let filler = stage.filler();
    let fill = Deed::Fill { terms, through: None };
    assert_eq!(filler.progress("fill:1").await.unwrap(), None);
    let told = stage.see_through(&filler, "fill:1", &fill).await;
    assert_eq!(names(&told), ["on its way", "succeeded"]);
    // Another process finds it done.
    assert_eq!(stage.filler().carry("fill:1", &fill, Timestamp::now()).await.unwrap(), told[1]);
    assert_eq!(stage.play.client.native_balance(recipient()).await.unwrap(), terms.amount_out);

    let claim = Deed::Claim { terms, filled_at: 0, fill_ref: B256::ZERO, signatures: Vec::new() };
    let told = stage.see_through(&filler, "claim:1", &claim).await;
    assert_eq!(names(&told), ["on its way", "succeeded"]);
    let payee = roles().fillers[0].payee.address;
    assert_eq!(stage.play.client.native_balance(payee).await.unwrap(), terms.amount_in);
    let refused = filler.carry("refund:1", &Deed::Refund { terms }, Timestamp::now()).await;
    assert!(matches!(&refused, Err(DeedError::WouldFail(words)) if words.contains("NotOpen")), "{refused:?}");
    assert_eq!(stage.purposes(), ["fill:1", "claim:1"]);
}

#[tokio::test]
async fn a_fill_in_a_token_waits_for_its_allowance_which_is_given_once() {
    let stage = Stage::new(1).await;
    let filler = stage.filler();
    for seed in ["one", "two"] {
        let terms = Terms { output_token: USDT.into_word(), ..stage.play.order(seed) };
        let told = stage.see_through(&filler, seed, &Deed::Fill { terms, through: None }).await;
        let expected: &[&str] = if seed == "one" {
            &["waiting", "on its way", "succeeded"]
        } else {
            &["on its way", "succeeded"]
        };
        assert_eq!(names(&told), expected);
    }
    assert_eq!(stage.play.token_balance(USDT, recipient()).await, U256::from(2 * 990_000));
    let approve = format!("approve:{}:{}:{USDT}", filler.account(), stage.play.deployment.settler);
    assert_eq!(stage.purposes(), [approve.as_str(), "one", "two"]);
}

#[tokio::test]
async fn a_fill_in_a_vaults_shares_spends_its_asset() {
    let stage = Stage::new(4_278_608).await;
    let vault = stage.play.deployment.hub.as_ref().unwrap().vaults[0].vault;
    let shares = U256::from(5_000_000_000_000_u64);
    let terms = Terms { output_token: vault.into_word(), amount_out: shares, ..stage.play.order("shares") };
    let filler = stage.filler();
    let held = stage.play.token_balance(USDT, roles().fillers[0].hot.address).await;
    let deed = Deed::Fill { terms, through: Some((Address::Evm(USDT), U256::from(5_100_000))) };
    let told = stage.see_through(&filler, "fill", &deed).await;
    assert_eq!(names(&told), ["waiting", "on its way", "succeeded"]);
    assert_eq!(stage.play.token_balance(vault, recipient()).await, shares);
    let left = stage.play.token_balance(USDT, roles().fillers[0].hot.address).await;
    assert_eq!(held - left, U256::from(5_000_000), "what the vault did not take came back");
}

#[tokio::test]
async fn a_deposit_address_is_swept_and_the_rest_goes_back_token_by_token() {
    let stage = Stage::new(10).await;
    let (play, relayer) = (&stage.play, stage.relayer());
    let terms = play.order("transfer");
    let factory = play.deployment.deposit_factory;
    let address = factory.create2(terms.id(), play.deployment.deposit_code_hash);
    let early = relayer.carry("sweep", &Deed::Sweep { terms }, Timestamp::now()).await;
    assert!(
        matches!(&early, Err(DeedError::WouldFail(words)) if words.contains("less has arrived")),
        "{early:?}"
    );
    play.land(&wallet(3), address, terms.amount_in + U256::from(40), Vec::new()).await;
    let gift = transferCall { to: address, amount: U256::from(70) };
    play.land(&wallet(3), USDT, U256::ZERO, gift.abi_encode()).await;
    let told = stage.see_through(&relayer, "sweep", &Deed::Sweep { terms }).await;
    assert_eq!(names(&told), ["on its way", "succeeded"]);
    assert_eq!(play.client.native_balance(play.deployment.escrow).await.unwrap(), terms.amount_in);

    let tokens = vec![Address::Evm(EvmAddress::ZERO), Address::Evm(USDT)];
    let told = stage.see_through(&relayer, "giveback", &Deed::GiveBack { terms, tokens }).await;
    assert_eq!(names(&told), ["on its way", "succeeded"]);
    let refund_to = EvmAddress::from_word(terms.refund_to);
    assert_eq!(play.client.native_balance(refund_to).await.unwrap(), U256::from(40));
    assert_eq!(play.token_balance(USDT, refund_to).await, U256::from(70));
}

#[tokio::test]
async fn rule_7_the_filler_gives_a_deposit_back_before_any_deadline_and_a_stranger_cannot() {
    let stage = Stage::new(10).await;
    let terms = stage.play.order("waived");
    stage.play.open(&terms).await;
    let refused = stage.relayer().carry("refund", &Deed::Refund { terms }, Timestamp::now()).await;
    assert!(
        matches!(&refused, Err(DeedError::WouldFail(words)) if words.contains("too early")),
        "{refused:?}"
    );
    let told = stage.see_through(&stage.filler(), "waive", &Deed::Refund { terms }).await;
    assert_eq!(names(&told), ["on its way", "succeeded"]);
    let refund_to = EvmAddress::from_word(terms.refund_to);
    assert_eq!(stage.play.client.native_balance(refund_to).await.unwrap(), terms.amount_in);
}

#[tokio::test]
async fn rule_13_two_processes_and_a_crash_deliver_once() {
    let stage = Stage::new(10).await;
    let terms = stage.play.order("twice");
    let fill = Deed::Fill { terms, through: None };
    // The node loses what the first process sent, and that process dies.
    stage.play.chain.drop_next(1);
    let first = stage.filler().carry("fill", &fill, Timestamp::now()).await.unwrap();
    let (one, two) = (stage.filler(), stage.filler());
    let (a, b) =
        tokio::join!(one.carry("fill", &fill, Timestamp::now()), two.carry("fill", &fill, Timestamp::now()));
    assert_eq!((a.unwrap(), b.unwrap()), (first.clone(), first));
    one.tend(Timestamp::now()).await.unwrap();
    let told = stage.see_through(&two, "fill", &fill).await;
    assert_eq!(names(&told), ["on its way", "succeeded"]);
    assert_eq!(stage.play.client.native_balance(recipient()).await.unwrap(), terms.amount_out);
    assert_eq!(stage.outbox.rows().len(), 1);
    assert!(matches!(stage.outbox.rows()[0].end, Some(OutgoingEnd::Succeeded(_))));
}

#[tokio::test]
async fn tending_asks_nobody_while_nothing_is_open() {
    let stage = Stage::new(10).await;
    let (filler, now) = (stage.filler(), Timestamp::now());
    filler.tend(now).await.unwrap();
    // Whatever is left by another process is found within half a minute.
    let terms = stage.play.order("left");
    stage.play.chain.drop_next(1);
    stage.filler().carry("fill", &Deed::Fill { terms, through: None }, now).await.unwrap();
    let pooled = async || {
        stage.play.client.nonce(roles().fillers[0].hot.address, causeway_evm::BlockTag::Latest).await.unwrap()
    };
    filler.tend(now + SignedDuration::from_secs(29)).await.unwrap();
    stage.play.chain.mine(2, 1).await.unwrap();
    assert_eq!(pooled().await, 0, "nobody looked");
    filler.tend(now + SignedDuration::from_secs(30)).await.unwrap();
    stage.play.chain.mine(2, 1).await.unwrap();
    assert_eq!(pooled().await, 1);
}

#[tokio::test]
async fn the_chain_itself_tells_what_became_of_an_order() {
    let stage = Stage::new(10).await;
    let terms = stage.play.order("truth");
    let filler = stage.filler();
    let told = async || {
        let truth = filler.truth(&terms).await.unwrap();
        (truth.escrow, truth.is_filled)
    };
    assert_eq!(told().await, (EscrowState::Unknown, false));
    stage.play.open(&terms).await;
    assert_eq!(told().await, (EscrowState::Open, false));
    stage.see_through(&filler, "fill:1", &Deed::Fill { terms, through: None }).await;
    assert_eq!(told().await, (EscrowState::Open, true));
    let claim = Deed::Claim { terms, filled_at: 0, fill_ref: B256::ZERO, signatures: Vec::new() };
    stage.see_through(&filler, "claim:1", &claim).await;
    assert_eq!(told().await, (EscrowState::Claimed, true));
    assert!(filler.truth(&terms).await.unwrap().is_settled);
    // Each chain speaks of its own side alone.
    let from_elsewhere = Terms { origin_chain_id: 1, ..terms };
    let truth = filler.truth(&from_elsewhere).await.unwrap();
    assert_eq!((truth.escrow, truth.is_filled), (EscrowState::Unknown, false));
}

#[tokio::test]
async fn what_an_older_outbox_does_not_know_is_waited_for_until_it_stands() {
    let mut stage = Stage::new(10).await;
    let terms = stage.play.order("forgotten");
    stage.play.open(&terms).await;
    stage.play.chain.pause();
    let fill = Deed::Fill { terms, through: None };
    stage.filler().carry("fill:1", &fill, Timestamp::now()).await.unwrap();
    let whole = stage.filler();
    // The store is put back from a copy, while the delivery waits in the pool.
    stage.outbox = Arc::default();
    let behind = stage.filler();
    let truth = behind.truth(&terms).await.unwrap();
    assert_eq!((truth.is_filled, truth.is_settled), (false, false), "it may still come");
    stage.play.chain.mine(1, 1).await.unwrap();
    let truth = behind.truth(&terms).await.unwrap();
    assert_eq!((truth.is_filled, truth.is_settled), (true, false), "it may still go");
    stage.play.chain.mine(5, 1).await.unwrap();
    assert!(behind.truth(&terms).await.unwrap().is_settled);
    assert!(whole.truth(&terms).await.unwrap().is_settled, "whose outbox knows all waits for nothing");
}
