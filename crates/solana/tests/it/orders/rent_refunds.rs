use alloy_primitives::B256;
use causeway_domain::ports::{ActionError, ChainAction, RentReader as _, RentState, TxSender as _};
use causeway_domain::{Address as AnyAddress, IntentTerms, RentedAccount};
use causeway_solana::orders::SolanaRentReader;
use jiff::Timestamp;
use solana_address::Address;
use solana_signer::Signer as _;

use super::following::read;
use super::{OrderFixture, recipient};
use crate::sandbox_chain::{PROGRAM, USDC, user};

fn paid_by(payer: Address) -> RentState {
    RentState::Closable { payer: AnyAddress::Solana(payer.to_bytes()) }
}

impl OrderFixture {
    /// The rent state of the order account and the fill marker in the newest final slot.
    async fn rents(&self, terms: &IntentTerms) -> Vec<RentState> {
        let rents =
            SolanaRentReader::new(self.sandbox.rpc.clone(), std::slice::from_ref(&self.sandbox.deployment));
        let newest = self.sandbox.rpc.final_slot().await.unwrap();
        rents.rents(&RentedAccount::ALL.map(|account| (*terms, account)), newest).await.unwrap()
    }

    async fn set_time(&self, time: u64) {
        self.sandbox.chain.set_time(i64::try_from(time).unwrap()).await.unwrap();
        self.sandbox.finalize().await;
    }
}

#[tokio::test]
async fn rule_18_the_rent_of_an_order_goes_to_its_payer_whoever_closes_it() {
    let fixture = OrderFixture::new().await;
    for (number, input) in [None, Some(USDC)].into_iter().enumerate() {
        let name = |action: &str| format!("{action}:{number}");
        let terms = fixture.terms(input).await;
        assert_eq!(fixture.rents(&terms).await, [RentState::Closed; 2]);
        fixture.open(&terms).await;
        assert_eq!(fixture.rents(&terms).await, [RentState::InUse, RentState::Closed]);
        fixture.assert_succeeds(&fixture.filler(), &name("waive"), &ChainAction::Refund { terms }).await;
        let payer = user().pubkey();
        assert_eq!(fixture.rents(&terms).await, [paid_by(payer), RentState::Closed]);

        let close = ChainAction::CloseOrder { terms, payer: AnyAddress::Solana(payer.to_bytes()) };
        let refused = fixture.relayer().send(&name("early"), &close, Timestamp::now()).await;
        assert!(matches!(&refused, Err(ActionError::WouldFail(_))), "{refused:?}");
        fixture.set_time(terms.open_deadline + 1).await;
        let (had, order) = (fixture.lamports(payer).await, PROGRAM.order(terms.id()));
        let vault = if input.is_some() { fixture.lamports(PROGRAM.vault(terms.id())).await } else { 0 };
        let rent = fixture.lamports(order).await + vault;
        assert!(rent > 5_000_000);
        fixture.assert_succeeds(&fixture.relayer(), &name("close"), &close).await;
        assert_eq!(fixture.lamports(payer).await - had, rent);
        fixture.sandbox.finalize().await;
        assert_eq!(fixture.rents(&terms).await, [RentState::Closed; 2]);
        // Somebody else, or another process, closed it first.
        let again = fixture.relayer().send(&name("again"), &close, Timestamp::now()).await;
        assert!(matches!(&again, Err(ActionError::WouldFail(_))), "{again:?}");
    }
}

#[tokio::test]
async fn rule_18_the_rent_of_a_fill_goes_to_the_filler_and_closed_orders_are_still_reported() {
    let fixture = OrderFixture::new().await;
    let terms = fixture.terms_within_solana(None, None).await;
    fixture.open(&terms).await;
    let filler = fixture.filler();
    fixture.assert_succeeds(&filler, "fill:1", &ChainAction::Fill { terms, through: None }).await;
    let claim = ChainAction::Claim { terms, filled_at: 0, fill_ref: B256::ZERO, signatures: Vec::new() };
    fixture.assert_succeeds(&filler, "claim:1", &claim).await;
    let (_, before, _) = read(&fixture, &mut fixture.follower(None)).await;
    let AnyAddress::Solana(hot) = filler.account() else { panic!("not a Solana address") };
    assert_eq!(fixture.rents(&terms).await, [paid_by(user().pubkey()), paid_by(hot.into())]);

    let close = ChainAction::CloseFill { terms, payer: filler.account() };
    fixture.set_time(terms.refund_at + 1).await;
    let (had, marker) = (fixture.lamports(hot.into()).await, PROGRAM.fill_marker(terms.id()));
    let rent = fixture.lamports(marker).await;
    fixture.assert_succeeds(&filler, "close-fill:1", &close).await;
    let gained = fixture.lamports(hot.into()).await - had;
    assert!(
        rent > 1_000_000 && gained < rent && gained > rent - 100_000,
        "{gained} of {rent}, without the fee"
    );
    let close = ChainAction::CloseOrder { terms, payer: AnyAddress::Solana(user().pubkey().to_bytes()) };
    fixture.assert_succeeds(&fixture.relayer(), "close-order:1", &close).await;
    fixture.sandbox.finalize().await;
    assert_eq!(fixture.rents(&terms).await, [RentState::Closed; 2]);

    // A follower from the beginning, as after losing the store, reports the same facts at the same places.
    let (_, after, _) = read(&fixture, &mut fixture.follower(None)).await;
    let summary = |facts: Vec<causeway_domain::Fact>| -> Vec<_> {
        facts.into_iter().map(|fact| (fact.intent_id, fact.kind, fact.place.tx, fact.place.index)).collect()
    };
    assert_eq!(after.len(), 3);
    assert_eq!(summary(after), summary(before));
    assert_eq!(fixture.lamports(recipient()).await, 7_000_000);
}

#[tokio::test]
async fn foreign_lamports_at_an_order_address_are_not_rent() {
    let fixture = OrderFixture::new().await;
    let terms = fixture.terms(None).await;
    fixture.sandbox.chain.airdrop(PROGRAM.order(terms.id()), 3_000_000).await.unwrap();
    fixture.sandbox.finalize().await;
    assert_eq!(fixture.rents(&terms).await, [RentState::Closed; 2]);
    let elsewhere = IntentTerms { escrow: B256::repeat_byte(1), ..terms };
    assert_eq!(fixture.rents(&elsewhere).await, [RentState::Closed; 2]);
}
