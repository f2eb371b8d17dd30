use causeway_domain::ports::FillerAsk;
use causeway_domain::{DepositMethod, Token, TradeType};

use super::protocol::{AskedReferral, AskedToken, QuoteAsk, Trade};

/// An ask as it goes to a filler, with the deposit methods that are to be had and wanted.
pub(super) fn write_ask(ask: &FillerAsk, methods: &[DepositMethod]) -> QuoteAsk {
    let FillerAsk { ask, from, to } = ask;
    QuoteAsk {
        trade_type: match ask.trade_type {
            TradeType::ExactInput => Trade::ExactInput,
            TradeType::ExactOutput => Trade::ExactOutput,
        },
        from: asked(from),
        to: asked(to),
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

fn asked(token: &Token) -> AskedToken {
    AskedToken {
        chain_id: token.id.chain().get(),
        token: token.id.address().to_string(),
        symbol: token.symbol.clone(),
        decimals: token.decimals,
    }
}

/// Those of the chain's deposit methods that the payer wants.
pub(super) fn wanted(ask: &FillerAsk, offered: &[DepositMethod]) -> Vec<DepositMethod> {
    let wanted = &ask.ask.deposit_methods;
    offered.iter().copied().filter(|method| wanted.is_empty() || wanted.contains(method)).collect()
}
