//! The conformance suite that a filler runs against its own server: every rule of the protocol that is observable from outside.
//! Nothing that it sends can cost money: the deadlines of its orders have long passed.

mod orders;
mod probe;
mod quotes;
mod report;
mod signing;

use causeway_domain::ports::FillerAsk;
use causeway_domain::{Address, Ask, DepositMethod, RawAmount, Token, TradeType};

use super::{RemoteError, Secret};
pub use report::{Finding, Report};

use probe::Probe;

/// What a filler is checked with.
#[derive(Clone, Debug)]
pub struct CheckConfig {
    /// The filler's base URL.
    pub url: String,
    pub secret: Secret,
    /// A pair that the filler serves, and an amount of `from` that it accepts.
    pub from: Token,
    pub to: Token,
    pub amount: RawAmount,
    /// An address on the chain of `from`, and one on the chain of `to`.
    pub payer: Address,
    pub recipient: Address,
}

impl CheckConfig {
    fn ask(&self) -> FillerAsk {
        let ask = Ask {
            trade_type: TradeType::ExactInput,
            from: self.from.id,
            to: self.to.id,
            amount: self.amount,
            from_address: self.payer,
            recipient: self.recipient,
            refund_to: self.payer,
            slippage: None,
            deposit_methods: vec![DepositMethod::ContractCall],
            referral: None,
            deposit_window: None,
        };
        FillerAsk { ask, from: self.from.clone().into(), to: self.to.clone().into() }
    }
}

/// Runs the suite. The report lists each rule, whether the filler follows it, and what to change.
pub async fn check(config: CheckConfig) -> Result<Report, RemoteError> {
    let probe = Probe::new(&config)?;
    let mut report = Report::default();
    if let Err(problem) = probe.reach().await {
        let remedy =
            "start the server at this address, and let this machine reach it; nothing else was checked";
        report.add("can be reached", remedy, Err(problem));
        return Ok(report);
    }
    quotes::check(&probe, &config, &mut report).await;
    signing::check(&probe, &config, &mut report).await;
    orders::check(&probe, &config, &mut report).await;
    Ok(report)
}
