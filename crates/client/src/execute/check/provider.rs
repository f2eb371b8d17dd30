use alloy_primitives::{Address, B256, U256};
use causeway_wire::{Approval, QuoteAsk, WalletApproval};

use super::super::plan::{Plan, SendTransaction, WalletAction};
use super::super::request::{chain_id_param, read_transaction};
use super::terms::{Call, selector};
use super::transactions::{MAX_APPROVALS, check_address, check_call, check_value};
use super::{mismatch, number, word};
use crate::EvmTransaction;
use crate::answers::{ProviderDeposit, RouteQuote};
use crate::token_identifier::SOLANA_CHAIN_ID;

mod solana;

/// What a payment to a provider may do, from the request alone.
struct Allowed {
    payer: Address,
    token: Address,
    amount: U256,
    target: Address,
    spender: Option<Address>,
}

/// Checks a payment to the contracts of a provider, which settles the swap: every contract is one that the caller trusts, and
/// nothing but the input is spent or allowed. What the contract then does is the provider's word.
pub(in super::super) fn plan_provider(
    ask: &QuoteAsk,
    quote: &RouteQuote,
    deposit: &ProviderDeposit,
    trusted: &[String],
) -> Result<Plan, String> {
    check_output(quote, deposit)?;
    if ask.from_chain_id == SOLANA_CHAIN_ID {
        return solana::plan_call(ask, deposit, trusted);
    }
    let trusted: Vec<Address> = trusted.iter().filter_map(|text| text.parse().ok()).collect();
    let pinned = |what: &str, text: &str| {
        let address = text.parse::<Address>().ok().filter(|address| trusted.contains(address));
        address.ok_or_else(|| mismatch(what, text, "a contract that is trusted for this provider"))
    };
    let amount = number(&quote.amount_in).ok_or_else(|| mismatch("input", &quote.amount_in, "a number"))?;
    let address = |text: &str| word(text).map(Address::from_word);
    let invalid = |what: &str, text: &str| mismatch(what, text, "an EVM address");
    let allowed = Allowed {
        payer: address(&ask.from_address).ok_or_else(|| invalid("payer", &ask.from_address))?,
        token: address(&ask.from_token).ok_or_else(|| invalid("input token", &ask.from_token))?,
        amount,
        target: pinned("provider's contract", &deposit.target)?,
        spender: deposit.spender.as_deref().map(|text| pinned("spender", text)).transpose()?,
    };
    let (mut actions, mut deposits, mut others) = (Vec::new(), 0, 0);
    for approval in &deposit.approvals {
        let Approval::Eip1193(approval) = approval else {
            return Err(
                "The response has a Solana transaction, which this provider's payment does not need."
                    .to_owned(),
            );
        };
        if let Some(send) = plan_send(ask, &allowed, approval)? {
            deposits += usize::from(send.deposit);
            others += usize::from(!send.deposit);
            actions.push(WalletAction::Send(send));
        }
    }
    if deposits != 1 {
        return Err(format!("The response has {deposits} deposits, expected 1."));
    }
    let most = if allowed.token.is_zero() { 0 } else { MAX_APPROVALS };
    if others > most {
        return Err(format!("The response has {others} approvals, expected at most {most}."));
    }
    Ok(Plan { actions, permits: Vec::new() })
}

fn check_output(quote: &RouteQuote, deposit: &ProviderDeposit) -> Result<(), String> {
    let promised = quote.min_amount_out.as_ref().unwrap_or(&quote.amount_out);
    let least = number(promised).unwrap_or(U256::MAX);
    let out = deposit.min_amount_out.as_deref().and_then(number);
    if out.is_none_or(|out| out < least) {
        let out = deposit.min_amount_out.as_deref().unwrap_or("missing");
        return Err(mismatch("output", out, format!("at least {promised}")));
    }
    Ok(())
}

fn plan_send(
    ask: &QuoteAsk,
    allowed: &Allowed,
    approval: &WalletApproval,
) -> Result<Option<SendTransaction>, String> {
    let (method, params) = (approval.request.method.as_str(), &approval.request.params);
    if !matches!(method, "wallet_switchEthereumChain" | "eth_sendTransaction") {
        return Err(format!("The deposit requests {method} from the wallet, which a swap does not need."));
    }
    let chain = chain_id_param(params);
    if chain != Some(ask.from_chain_id) {
        let chain = chain.map_or_else(|| "missing".to_owned(), |chain| chain.to_string());
        return Err(mismatch("transaction's chain", chain, ask.from_chain_id));
    }
    if method == "wallet_switchEthereumChain" {
        return Ok(None);
    }
    let (from, transaction) = read_transaction(params)?;
    check_address("transaction's payer", from, allowed.payer)?;
    let deposit = approval.deposit == Some(true);
    if deposit {
        check_address("deposit's contract", transaction.to, allowed.target)?;
        let value = if allowed.token.is_zero() { allowed.amount } else { U256::ZERO };
        check_value("deposit", transaction.value, value)?;
    } else {
        check_allowance(allowed, &transaction)?;
    }
    let wait = approval.wait_for_receipt == Some(true);
    Ok(Some(SendTransaction { transaction, deposit, wait }))
}

/// An allowance of exactly the input for the pinned spender, or of nothing.
fn check_allowance(allowed: &Allowed, transaction: &EvmTransaction) -> Result<(), String> {
    check_address("approval's token", transaction.to, allowed.token)?;
    let spender = allowed.spender.ok_or("The response has an approval without a spender.")?;
    let approve = |amount: U256| Call {
        selector: selector("approve(address,uint256)"),
        words: vec![("spender", spender.into_word()), ("amount", B256::from(amount))],
    };
    if *transaction.data != *approve(U256::ZERO).bytes() {
        check_call("approval", &transaction.data, &approve(allowed.amount))?;
    }
    check_value("approval", transaction.value, U256::ZERO)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const PAYER: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
    const TOKEN: &str = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
    const TARGET: &str = "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE";
    const OTHER: &str = "0x000000000000000000000000000000000000dEaD";

    fn ask() -> QuoteAsk {
        QuoteAsk {
            trade_type: "EXACT_INPUT".to_owned(),
            from_chain_id: 8453,
            from_token: TOKEN.to_owned(),
            to_chain_id: 42_161,
            to_token: OTHER.to_owned(),
            amount: "25".to_owned(),
            from_address: PAYER.to_owned(),
            ..QuoteAsk::default()
        }
    }

    fn quote() -> RouteQuote {
        serde_json::from_value(json!({
            "amountIn": "25", "amountOut": "20", "minAmountOut": "19", "expectedDurationSeconds": 4,
        }))
        .unwrap()
    }

    fn approve(spender: &str, amount: u64) -> String {
        let spender = spender.trim_start_matches("0x").to_lowercase();
        format!("0x095ea7b3{spender:0>64}{amount:064x}")
    }

    fn send(to: &str, data: &str, value: &str, deposit: bool) -> Value {
        let params = json!([{ "from": PAYER, "to": to, "data": data, "value": value, "chainId": "0x2105" }]);
        json!({
            "type": "eip1193_request", "request": { "method": "eth_sendTransaction", "params": params },
            "deposit": deposit,
        })
    }

    fn built(approval: &Value, call: &Value) -> Value {
        json!({
            "kind": "PROVIDER_CALL", "approvals": [approval, call], "orderId": "1", "settlement": "provider",
            "provider": "lifi", "tool": "across", "target": TARGET, "spender": TARGET, "minAmountOut": "19",
            "heldBy": "", "refunds": "", "summary": [],
        })
    }

    fn good() -> Value {
        built(&send(TOKEN, &approve(TARGET, 25), "0x0", false), &send(TARGET, "0xabcd", "0x0", true))
    }

    fn plan(built: &Value, trusted: &[&str]) -> Result<usize, String> {
        let deposit: ProviderDeposit = serde_json::from_value(built.clone()).unwrap();
        let trusted: Vec<String> = trusted.iter().map(|&text| text.to_owned()).collect();
        plan_provider(&ask(), &quote(), &deposit, &trusted).map(|plan| plan.actions.len())
    }

    #[test]
    fn a_payment_to_pinned_contracts_is_planned() {
        assert_eq!(plan(&good(), &[TARGET]), Ok(2));
    }

    #[test]
    fn a_payment_that_differs_from_the_request_is_refused_in_words() {
        let call = || send(TARGET, "0xabcd", "0x0", true);
        let allow = || send(TOKEN, &approve(TARGET, 25), "0x0", false);
        for (built, word) in [
            (built(&allow(), &send(OTHER, "0xabcd", "0x0", true)), "deposit's contract"),
            (built(&allow(), &send(TARGET, "0xabcd", "0x1", true)), "deposit's value"),
            (built(&send(TOKEN, &approve(TARGET, 26), "0x0", false), &call()), "approval's amount"),
            (built(&send(TOKEN, &approve(OTHER, 25), "0x0", false), &call()), "approval's spender"),
            (built(&send(OTHER, &approve(TARGET, 25), "0x0", false), &call()), "approval's token"),
            (built(&allow(), &send(TARGET, "0xabcd", "0x0", false)), "approval's token"),
        ] {
            let error = plan(&built, &[TARGET]).unwrap_err();
            assert!(error.contains(word), "{word}: {error}");
        }
        let mut short = good();
        short["minAmountOut"] = json!("18");
        assert!(plan(&short, &[TARGET]).unwrap_err().contains("output"));
        let mut spender = good();
        spender["spender"] = json!(OTHER);
        assert!(plan(&spender, &[TARGET]).unwrap_err().contains("spender"));
    }

    #[test]
    fn contracts_that_nobody_trusts_get_nothing() {
        assert!(plan(&good(), &[]).unwrap_err().contains("trusted"));
        assert!(plan(&good(), &[OTHER]).unwrap_err().contains("trusted"));
    }
}
