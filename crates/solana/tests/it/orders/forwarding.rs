use causeway_domain::ForwardingOrder;
use causeway_domain::ports::{ActionError, ForwardingSigner as _};
use causeway_solana::orders::SolanaForwardingSigner;
use causeway_solana::program::OrderStatus;

use super::*;

/// The refund address: a wallet without any account yet.
const REFUND_ADDRESS: Address = Address::new_from_array([0xbb; 32]);

impl OrderFixture {
    fn signer(&self) -> SolanaForwardingSigner {
        let maker = causeway_testing::FakeKey::new(self.roles.maker.key.0);
        SolanaForwardingSigner::new(&self.sandbox.deployment, std::sync::Arc::new(maker)).unwrap()
    }

    /// A forwarding order and terms of it, at the minimum rate.
    async fn forwarding_order(&self, input: Option<Address>) -> (ForwardingOrder, IntentTerms) {
        let terms = IntentTerms { refund_to: REFUND_ADDRESS.to_bytes().into(), ..self.terms(input).await };
        let jump = ForwardingOrder {
            origin_chain_id: terms.origin_chain_id,
            escrow: terms.escrow,
            nonce: B256::repeat_byte(0x31),
            maker: self.signer().maker(),
            input_token: terms.input_token,
            refund_to: terms.refund_to,
            destination_chain_id: terms.destination_chain_id,
            output_token: terms.output_token,
            recipient: terms.recipient,
            rate_in: terms.amount_in,
            rate_out: terms.amount_out,
            expiry: terms.open_deadline,
        };
        (jump, IntentTerms { user: self.signer().address_for(jump.id()).to_word(), ..terms })
    }

    fn open_action(&self, jump: &ForwardingOrder, terms: &IntentTerms) -> ChainAction {
        let signature = futures::executor::block_on(self.signer().sign_open(jump.id(), terms.id())).unwrap();
        ChainAction::OpenForwarding { forwarding: Box::new(*jump), terms: *terms, signature }
    }
}

fn return_action(jump: &ForwardingOrder, signature: Option<SignatureBytes>) -> ChainAction {
    let tokens = vec![AnyAddress::Solana(jump.input_token.0)];
    ChainAction::ReturnForwarding { forwarding: Box::new(*jump), tokens, signature }
}

async fn rejection(sender: &SolanaTxSender, action: &ChainAction) -> String {
    match sender.send("refused", action, Timestamp::now()).await {
        Err(ActionError::WouldFail(reason)) => reason,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn rule_21_a_payout_in_tokens_opens_an_order_and_a_second_one_is_returned() {
    let fixture = OrderFixture::new().await;
    let (jump, terms) = fixture.forwarding_order(Some(USDC)).await;
    let address = PROGRAM.jump_address(&jump);
    fixture.sandbox.chain.give_tokens(address, USDC, 5_000_000).await.unwrap();
    fixture.sandbox.finalize().await;
    let relayer = fixture.relayer();
    let less = IntentTerms { amount_out: terms.amount_out - U256::ONE, ..terms };
    let reason = rejection(&relayer, &fixture.open_action(&jump, &less)).await;
    assert_eq!(reason, "the rate is worse than the forwarding order allows");
    fixture.assert_succeeds(&relayer, "jump:1", &fixture.open_action(&jump, &terms)).await;
    assert_eq!(fixture.tokens(address).await, 0);
    let account = fixture.sandbox.chain.account(PROGRAM.order(terms.id())).await.unwrap().unwrap();
    let order = causeway_solana::program::OrderAccount::parse(&account.data).unwrap();
    assert_eq!((order.status, order.terms), (OrderStatus::Open, terms));

    fixture.sandbox.chain.give_tokens(address, USDC, 2_000_000).await.unwrap();
    fixture.sandbox.finalize().await;
    let reason = rejection(&relayer, &return_action(&jump, None)).await;
    assert_eq!(reason, "the deposit may still open its order, so it cannot be returned yet");
    let release = fixture.signer().sign_release(jump.id()).await.unwrap();
    fixture.assert_succeeds(&relayer, "release:1", &return_action(&jump, Some(release))).await;
    assert_eq!(fixture.tokens(REFUND_ADDRESS).await, 2_000_000, "in an account created for it");
}

#[tokio::test]
async fn rule_21_a_payout_in_sol_opens_an_order_and_the_surplus_is_returned() {
    let fixture = OrderFixture::new().await;
    let (jump, terms) = fixture.forwarding_order(None).await;
    fixture.sandbox.chain.airdrop(PROGRAM.jump_address(&jump), 7_000_000).await.unwrap();
    fixture.sandbox.finalize().await;
    fixture.assert_succeeds(&fixture.relayer(), "jump:1", &fixture.open_action(&jump, &terms)).await;
    assert_eq!(fixture.lamports(PROGRAM.jump_address(&jump)).await, 0);
    assert_eq!(fixture.lamports(REFUND_ADDRESS).await, 2_000_000);
}

#[tokio::test]
async fn rule_21_after_expiry_the_balance_is_returned_without_the_maker() {
    let fixture = OrderFixture::new().await;
    let (jump, terms) = fixture.forwarding_order(Some(USDC)).await;
    let jump = ForwardingOrder { expiry: fixture.sandbox.now().await, ..jump };
    fixture.sandbox.chain.give_tokens(PROGRAM.jump_address(&jump), USDC, 5_000_000).await.unwrap();
    while fixture.sandbox.now().await <= jump.expiry {
        fixture.sandbox.chain.advance(10).await.unwrap();
    }
    fixture.sandbox.finalize().await;
    let terms = IntentTerms { user: PROGRAM.jump_address(&jump).to_bytes().into(), ..terms };
    let reason = rejection(&fixture.relayer(), &fixture.open_action(&jump, &terms)).await;
    assert_eq!(reason, "the forwarding address has expired");
    fixture.assert_succeeds(&fixture.relayer(), "back:1", &return_action(&jump, None)).await;
    assert_eq!(fixture.tokens(REFUND_ADDRESS).await, 5_000_000);
}
