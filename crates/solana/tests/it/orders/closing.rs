use alloy_primitives::B256;
use causeway_domain::ports::{Carrier as _, Deed, DeedError, RentReader as _, RentState};
use causeway_domain::{Address as AnyAddress, RentedAccount, Terms};
use causeway_solana::orders::SolanaRents;
use jiff::Timestamp;
use solana_address::Address;
use solana_signer::Signer as _;

use super::following::read;
use super::{Stage, recipient};
use crate::play::{PROGRAM, USDC, user};

fn paid_by(payer: Address) -> RentState {
    RentState::Over { payer: AnyAddress::Solana(payer.to_bytes()) }
}

impl Stage {
    /// How the account of an order and the record of its delivery stand in the newest final slot.
    async fn rents(&self, terms: &Terms) -> Vec<RentState> {
        let rents = SolanaRents::new(self.play.rpc.clone(), std::slice::from_ref(&self.play.deployment));
        let newest = self.play.rpc.final_slot().await.unwrap();
        rents.rents(&RentedAccount::ALL.map(|account| (*terms, account)), newest).await.unwrap()
    }

    async fn set_time(&self, time: u64) {
        self.play.chain.set_time(i64::try_from(time).unwrap()).await.unwrap();
        self.play.settle().await;
    }
}

#[tokio::test]
async fn rule_18_the_rent_of_an_order_goes_to_its_payer_whoever_closes_it() {
    let stage = Stage::new().await;
    for (number, input) in [None, Some(USDC)].into_iter().enumerate() {
        let name = |deed: &str| format!("{deed}:{number}");
        let terms = stage.terms(input).await;
        assert_eq!(stage.rents(&terms).await, [RentState::Gone; 2]);
        stage.open(&terms).await;
        assert_eq!(stage.rents(&terms).await, [RentState::InUse, RentState::Gone]);
        stage.succeeds(&stage.filler(), &name("waive"), &Deed::Refund { terms }).await;
        let payer = user().pubkey();
        assert_eq!(stage.rents(&terms).await, [paid_by(payer), RentState::Gone]);

        let close = Deed::CloseOrder { terms, payer: AnyAddress::Solana(payer.to_bytes()) };
        let refused = stage.relayer().carry(&name("early"), &close, Timestamp::now()).await;
        assert!(matches!(&refused, Err(DeedError::WouldFail(_))), "{refused:?}");
        stage.set_time(terms.open_deadline + 1).await;
        let (had, order) = (stage.lamports(payer).await, PROGRAM.order(terms.id()));
        let vault = if input.is_some() { stage.lamports(PROGRAM.vault(terms.id())).await } else { 0 };
        let rent = stage.lamports(order).await + vault;
        assert!(rent > 5_000_000);
        stage.succeeds(&stage.relayer(), &name("close"), &close).await;
        assert_eq!(stage.lamports(payer).await - had, rent);
        stage.play.settle().await;
        assert_eq!(stage.rents(&terms).await, [RentState::Gone; 2]);
        // Somebody was faster, or another process did it before.
        let again = stage.relayer().carry(&name("again"), &close, Timestamp::now()).await;
        assert!(matches!(&again, Err(DeedError::WouldFail(_))), "{again:?}");
    }
}

#[tokio::test]
async fn rule_18_the_rent_of_a_fill_goes_to_the_filler_and_all_of_the_order_is_told_afterwards() {
    let stage = Stage::new().await;
    let terms = stage.within(None, None).await;
    stage.open(&terms).await;
    let filler = stage.filler();
    stage.succeeds(&filler, "fill:1", &Deed::Fill { terms, through: None }).await;
    let claim = Deed::Claim { terms, filled_at: 0, fill_ref: B256::ZERO, signatures: Vec::new() };
    stage.succeeds(&filler, "claim:1", &claim).await;
    let (_, before, _) = read(&stage, &mut stage.follower(None)).await;
    let AnyAddress::Solana(hot) = filler.account() else { panic!("it has another kind of address") };
    assert_eq!(stage.rents(&terms).await, [paid_by(user().pubkey()), paid_by(hot.into())]);

    let close = Deed::CloseFill { terms, payer: filler.account() };
    stage.set_time(terms.refund_at + 1).await;
    let (had, marker) = (stage.lamports(hot.into()).await, PROGRAM.fill_marker(terms.id()));
    let rent = stage.lamports(marker).await;
    stage.succeeds(&filler, "close-fill:1", &close).await;
    let gained = stage.lamports(hot.into()).await - had;
    assert!(
        rent > 1_000_000 && gained < rent && gained > rent - 100_000,
        "{gained} of {rent}, without the fee"
    );
    let close = Deed::CloseOrder { terms, payer: AnyAddress::Solana(user().pubkey().to_bytes()) };
    stage.succeeds(&stage.relayer(), "close-order:1", &close).await;
    stage.play.settle().await;
    assert_eq!(stage.rents(&terms).await, [RentState::Gone; 2]);

    // Who follows the chain from the beginning, as after the loss of a store, is told the same in the same places.
    let (_, after, _) = read(&stage, &mut stage.follower(None)).await;
    let told = |facts: Vec<causeway_domain::Fact>| -> Vec<_> {
        facts.into_iter().map(|fact| (fact.intent, fact.kind, fact.place.tx, fact.place.index)).collect()
    };
    assert_eq!(after.len(), 3);
    assert_eq!(told(after), told(before));
    assert_eq!(stage.lamports(recipient()).await, 7_000_000);
}

#[tokio::test]
async fn what_a_stranger_put_at_an_orders_address_is_nobodys_rent() {
    let stage = Stage::new().await;
    let terms = stage.terms(None).await;
    stage.play.chain.airdrop(PROGRAM.order(terms.id()), 3_000_000).await.unwrap();
    stage.play.settle().await;
    assert_eq!(stage.rents(&terms).await, [RentState::Gone; 2]);
    let elsewhere = Terms { escrow: B256::repeat_byte(1), ..terms };
    assert_eq!(stage.rents(&elsewhere).await, [RentState::Gone; 2]);
}
