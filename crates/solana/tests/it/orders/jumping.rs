use causeway_domain::Jump;
use causeway_domain::ports::{DeedError, JumpDesk as _};
use causeway_solana::orders::SolanaJumpDesk;
use causeway_solana::program::OrderStatus;

use super::*;

/// Where the money goes back to: a wallet that has nothing yet.
const BACK: Address = Address::new_from_array([0xbb; 32]);

impl Stage {
    fn desk(&self) -> SolanaJumpDesk {
        SolanaJumpDesk::new(&self.play.deployment, &self.roles.maker.key.0).unwrap()
    }

    /// A jump with an order of it, at the least rate.
    async fn jump(&self, input: Option<Address>) -> (Jump, Terms) {
        let terms = Terms { refund_to: BACK.to_bytes().into(), ..self.terms(input).await };
        let jump = Jump {
            origin_chain_id: terms.origin_chain_id,
            escrow: terms.escrow,
            nonce: B256::repeat_byte(0x31),
            maker: self.desk().maker(),
            input_token: terms.input_token,
            refund_to: terms.refund_to,
            destination_chain_id: terms.destination_chain_id,
            output_token: terms.output_token,
            recipient: terms.recipient,
            rate_in: terms.amount_in,
            rate_out: terms.amount_out,
            expiry: terms.open_deadline,
        };
        (jump, Terms { user: self.desk().address_for(jump.id()).to_word(), ..terms })
    }

    fn opening(&self, jump: &Jump, terms: &Terms) -> Deed {
        let signature = self.desk().sign_open(jump.id(), terms.id()).unwrap();
        Deed::Jump { jump: Box::new(*jump), terms: *terms, signature }
    }
}

fn back(jump: &Jump, signature: Option<SignatureBytes>) -> Deed {
    let tokens = vec![AnyAddress::Solana(jump.input_token.0)];
    Deed::GiveBackJump { jump: Box::new(*jump), tokens, signature }
}

async fn refused(carrier: &SolanaCarrier, deed: &Deed) -> String {
    match carrier.carry("refused", deed, Timestamp::now()).await {
        Err(DeedError::WouldFail(words)) => words,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn rule_21_a_payout_in_tokens_opens_an_order_and_a_second_one_goes_back() {
    let stage = Stage::new().await;
    let (jump, terms) = stage.jump(Some(USDC)).await;
    let address = PROGRAM.jump_address(&jump);
    stage.play.chain.give_tokens(address, USDC, 5_000_000).await.unwrap();
    stage.play.settle().await;
    let relayer = stage.relayer();
    let less = Terms { amount_out: terms.amount_out - U256::ONE, ..terms };
    let words = refused(&relayer, &stage.opening(&jump, &less)).await;
    assert_eq!(words, "the rate is worse than what the jump's address was made for");
    stage.succeeds(&relayer, "jump:1", &stage.opening(&jump, &terms)).await;
    assert_eq!(stage.tokens(address).await, 0);
    let account = stage.play.chain.account(PROGRAM.order(terms.id())).await.unwrap().unwrap();
    let order = causeway_solana::program::OrderAccount::parse(&account.data).unwrap();
    assert_eq!((order.status, order.terms), (OrderStatus::Open, terms));

    stage.play.chain.give_tokens(address, USDC, 2_000_000).await.unwrap();
    stage.play.settle().await;
    let words = refused(&relayer, &back(&jump, None)).await;
    assert_eq!(words, "the deposit may still open its order, so it does not go back yet");
    let release = stage.desk().sign_release(jump.id()).unwrap();
    stage.succeeds(&relayer, "release:1", &back(&jump, Some(release))).await;
    assert_eq!(stage.tokens(BACK).await, 2_000_000, "in an account that was made for it");
}

#[tokio::test]
async fn rule_21_a_payout_in_sol_opens_an_order_and_what_is_over_goes_back() {
    let stage = Stage::new().await;
    let (jump, terms) = stage.jump(None).await;
    stage.play.chain.airdrop(PROGRAM.jump_address(&jump), 7_000_000).await.unwrap();
    stage.play.settle().await;
    stage.succeeds(&stage.relayer(), "jump:1", &stage.opening(&jump, &terms)).await;
    assert_eq!(stage.lamports(PROGRAM.jump_address(&jump)).await, 0);
    assert_eq!(stage.lamports(BACK).await, 2_000_000);
}

#[tokio::test]
async fn rule_21_past_the_expiry_all_goes_back_without_the_maker() {
    let stage = Stage::new().await;
    let (jump, terms) = stage.jump(Some(USDC)).await;
    let jump = Jump { expiry: stage.play.now().await, ..jump };
    stage.play.chain.give_tokens(PROGRAM.jump_address(&jump), USDC, 5_000_000).await.unwrap();
    while stage.play.now().await <= jump.expiry {
        stage.play.chain.advance(10).await.unwrap();
    }
    stage.play.settle().await;
    let terms = Terms { user: PROGRAM.jump_address(&jump).to_bytes().into(), ..terms };
    let words = refused(&stage.relayer(), &stage.opening(&jump, &terms)).await;
    assert_eq!(words, "the time of the jump's address is over");
    stage.succeeds(&stage.relayer(), "back:1", &back(&jump, None)).await;
    assert_eq!(stage.tokens(BACK).await, 5_000_000);
}
