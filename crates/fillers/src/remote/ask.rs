use causeway_domain::ports::FillerAsk;
use causeway_domain::{DepositMethod, Token, TradeType};

use super::protocol::{AskedReferral, AskedToken, QuoteAsk, Trade};

/// The body of a quote call, with the deposit methods that are available and accepted.
pub(super) fn build_quote_ask(ask: &FillerAsk, methods: &[DepositMethod]) -> QuoteAsk {
    let FillerAsk { ask, from, to } = ask;
    QuoteAsk {
        trade_type: match ask.trade_type {
            TradeType::ExactInput => Trade::ExactInput,
            TradeType::ExactOutput => Trade::ExactOutput,
        },
        from: asked_token(from),
        to: asked_token(to),
        amount: ask.amount.to_string(),
        from_address: ask.from_address.to_string(),
        recipient: ask.recipient.to_string(),
        slippage_millionths: ask.tolerance().millionths(),
        deposit_methods: methods.iter().map(|method| method.as_str().to_owned()).collect(),
        referral: ask.referral.map(|referral| AskedReferral {
            referrer: referral.referrer.to_string(),
            fee_bps: referral.fee_bps(),
        }),
    }
}

fn asked_token(token: &Token) -> AskedToken {
    AskedToken {
        chain_id: token.id.chain().get(),
        token: token.id.address().to_string(),
        symbol: token.symbol.clone(),
        decimals: token.decimals,
    }
}

/// The chain's deposit methods that the payer accepts.
pub(super) fn requested_methods(ask: &FillerAsk, offered: &[DepositMethod]) -> Vec<DepositMethod> {
    let requested_methods = &ask.ask.deposit_methods;
    offered
        .iter()
        .copied()
        .filter(|method| requested_methods.is_empty() || requested_methods.contains(method))
        .collect()
}
