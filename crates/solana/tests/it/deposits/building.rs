use alloy_primitives::U256;
use causeway_domain::ports::{DepositBuilder as _, DepositError, PermitKind};
use causeway_domain::{Address as AnyAddress, IntentTerms};
use causeway_sandbox::solana::Account;
use causeway_solana::program::OrderAccount;
use causeway_solana::{MAX_TRANSACTION_BYTES, TOKEN_PROGRAM};
use solana_address::Address;
use solana_message::VersionedMessage;
use solana_signer::Signer as _;

use super::*;
use crate::sandbox_chain::{AMOUNT, PROGRAM, SOL, USDC, usdc_of, user};

const BUDGET: Address = Address::from_str_const("ComputeBudget111111111111111111111111111111");
const MEMO: Address = Address::from_str_const("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr");
/// The rent-exempt minimums of an order account, its vault and a wallet.
const ORDER_RENT: u64 = (808 + 128) * 6_960;
const VAULT_RENT: u64 = (165 + 128) * 6_960;
const WALLET_RENT: u64 = 128 * 6_960;

#[tokio::test]
async fn deposit_is_one_transaction_that_only_the_payer_signs_and_the_chain_accepts() {
    let sandbox = SandboxChain::start().await;
    let builder = builder(&sandbox);
    for input in [None, Some(USDC)] {
        let terms = sandbox.terms(input).await;
        let wire = built(&builder, &terms).await;
        assert!(wire.len() <= MAX_TRANSACTION_BYTES, "{}", wire.len());
        assert_eq!((wire[0], &wire[1..65]), (1, &[0; 64][..]), "one signature, to be made");
        let message = wincode::deserialize::<VersionedMessage>(&wire[65..]).unwrap();
        let VersionedMessage::V0(message) = message else { panic!("{message:?}") };
        assert_eq!(message.account_keys[0], user().pubkey());
        let programs: Vec<Address> = message
            .instructions
            .iter()
            .map(|one| message.account_keys[usize::from(one.program_id_index)])
            .collect();
        assert_eq!(programs, [BUDGET, BUDGET, PROGRAM.id, MEMO]);
        assert_eq!(message.instructions[3].data, terms.id().to_string().into_bytes());

        builder.broadcast(&signed(&wire, &user())).await.unwrap();
        sandbox.finalize().await;
        let kept = sandbox.chain.account(PROGRAM.order(terms.id())).await.unwrap().unwrap();
        assert_eq!(OrderAccount::parse(&kept.data).unwrap().terms, terms);
        let error = builder.actions(&terms).await.unwrap_err();
        assert!(error.to_string().contains("opened before"), "{error}");
    }
}

#[tokio::test]
async fn builder_names_the_program_and_its_epoch() {
    let sandbox = SandboxChain::start().await;
    let builder = builder(&sandbox);
    assert_eq!(builder.epoch().await.unwrap(), 1);
    assert_eq!(
        (builder.escrow(), builder.settler(), builder.min_grace()),
        (sandbox.deployment.program, builder.escrow(), 60)
    );
    let terms = sandbox.terms(None).await;
    let address = AnyAddress::Solana(PROGRAM.deposit(terms.id()).to_bytes());
    assert_eq!(builder.address_for(terms.id()), Some(address));
    assert!(matches!(builder.permit(PermitKind::Permit2, &terms).await, Err(DepositError::NotOffered)));
    assert!(builder.check_permit(PermitKind::Authorization, &terms, &[1]).await.is_err());
}

#[tokio::test]
async fn building_again_gives_a_fresh_blockhash() {
    let sandbox = SandboxChain::start().await;
    let builder = builder(&sandbox);
    let terms = sandbox.terms(Some(USDC)).await;
    let first = built(&builder, &terms).await;
    sandbox.finalize().await;
    assert_ne!(built(&builder, &terms).await, first);
}

/// The error for a payer whose wallet holds this many lamports.
async fn with_lamports(sandbox: &SandboxChain, terms: &IntentTerms, lamports: u64) -> Option<DepositError> {
    let wallet = Account { lamports, ..Account::default() };
    sandbox.chain.set_account(user().pubkey(), (lamports > 0).then_some(wallet)).await.unwrap();
    sandbox.finalize().await;
    builder(sandbox).actions(terms).await.err()
}

fn numbers(error: Option<DepositError>) -> (&'static str, u64, u64) {
    let raw = |amount: causeway_domain::RawAmount| amount.get().to::<u64>();
    match error {
        Some(DepositError::Gas { has, needs }) => ("gas", raw(has), raw(needs)),
        Some(DepositError::Balance { has, needs }) => ("balance", raw(has), raw(needs)),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn insufficient_sol_is_reported_with_amounts() {
    let sandbox = SandboxChain::start().await;
    let sol = IntentTerms { amount_in: U256::from(2 * SOL), ..sandbox.terms(None).await };
    assert_eq!(numbers(with_lamports(&sandbox, &sol, SOL).await), ("balance", SOL, 2 * SOL));
    let (kind, has, needs) = numbers(with_lamports(&sandbox, &sol, 2 * SOL + ORDER_RENT).await);
    assert_eq!((kind, has), ("gas", 2 * SOL + ORDER_RENT));
    let least = 2 * SOL + ORDER_RENT + WALLET_RENT + 5_000;
    assert!((least..least + 1_000_000).contains(&needs), "{needs}");
    assert!(with_lamports(&sandbox, &sol, needs).await.is_none(), "the reported amount is enough");

    let token = sandbox.terms(Some(USDC)).await;
    let (kind, has, needs) = numbers(with_lamports(&sandbox, &token, 0).await);
    assert_eq!((kind, has), ("gas", 0));
    assert!(needs > ORDER_RENT + VAULT_RENT + WALLET_RENT, "{needs}");
    assert!(with_lamports(&sandbox, &token, needs).await.is_none());
}

#[tokio::test]
async fn rule_19_a_token_account_that_cannot_pay_is_refused_with_reason() {
    let sandbox = SandboxChain::start().await;
    let terms = sandbox.terms(Some(USDC)).await;
    let at = usdc_of(&user().pubkey());
    let whole = sandbox.chain.account(at).await.unwrap().unwrap();
    let error_after = async |change: &dyn Fn(&mut Account)| {
        let mut account = whole.clone();
        change(&mut account);
        sandbox.chain.set_account(at, (account.lamports > 0).then_some(account)).await.unwrap();
        sandbox.finalize().await;
        builder(&sandbox).actions(&terms).await.unwrap_err().to_string()
    };
    let reason = error_after(&|account| account.lamports = 0).await;
    assert!(reason.contains("has no token account of the token EPjF"), "{reason}");
    let reason = error_after(&|account| account.data[108] = 2).await;
    assert!(reason.contains("frozen"), "{reason}");
    let reason = error_after(&|account| account.data[32..64].fill(7)).await;
    assert!(reason.contains("it belongs to"), "{reason}");
    let reason = error_after(&|account| account.data[..32].fill(7)).await;
    assert!(reason.contains("it holds the token"), "{reason}");
    let reason = error_after(&|account| account.owner = [9; 32].into()).await;
    assert!(reason.contains("does not belong to the token's program"), "{reason}");
    let reason =
        error_after(&|account| account.data[64..72].copy_from_slice(&(AMOUNT - 1).to_le_bytes())).await;
    assert_eq!(reason, "the payer has 4999999 of the 5000000 raw units that the deposit takes");
}

#[tokio::test]
async fn rule_20_a_mint_that_is_not_allowed_is_refused_with_reason() {
    let sandbox = SandboxChain::start().await;
    let nothing = IntentTerms { input_token: [7; 32].into(), ..sandbox.terms(None).await };
    let error = builder(&sandbox).actions(&nothing).await.unwrap_err();
    assert!(error.to_string().ends_with("cannot be deposited: it is not on the chain"), "{error}");
    let mut mint = sandbox.chain.account(USDC).await.unwrap().unwrap();
    mint.owner = causeway_solana::TOKEN_2022_PROGRAM;
    mint.data.resize(165, 0);
    // A fee of each transfer.
    mint.data.extend([1, 1, 0, 108, 0]);
    mint.data.resize(mint.data.len() + 108, 0);
    mint.lamports = SOL;
    sandbox.chain.set_account(USDC, Some(mint)).await.unwrap();
    sandbox.finalize().await;
    let error = builder(&sandbox).actions(&sandbox.terms(Some(USDC)).await).await.unwrap_err();
    assert!(error.to_string().ends_with("it takes a fee of every transfer"), "{error}");
}

#[tokio::test]
async fn program_errors_are_reported_before_signing() {
    let sandbox = SandboxChain::start().await;
    let builder = builder(&sandbox);
    let terms = sandbox.terms(Some(USDC)).await;
    let late = IntentTerms { open_deadline: terms.open_deadline - 10_000, ..terms };
    let cases = [
        (late, "the time to open the order has passed"),
        (IntentTerms { epoch: 2, ..terms }, "not the current one"),
        (IntentTerms { payee: terms.escrow, ..terms }, "the escrow program itself"),
        (IntentTerms { origin_chain_id: 1, ..terms }, "belongs on chain 1"),
        (IntentTerms { escrow: [5; 32].into(), ..terms }, "for another program"),
        (IntentTerms { amount_in: U256::from(1) << 64, ..terms }, "does not fit into 64 bits"),
    ];
    for (terms, reason) in cases {
        let error = builder.actions(&terms).await.unwrap_err();
        assert!(matches!(&error, DepositError::WouldFail(why) if why.contains(reason)), "{error}");
    }
    let program = IntentTerms { user: TOKEN_PROGRAM.to_bytes().into(), ..terms };
    let error = builder.actions(&program).await.unwrap_err();
    assert!(error.to_string().contains("no wallet"), "{error}");
}
