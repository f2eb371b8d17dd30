use causeway_domain::fiat::{FiatAmount, FiatOrder, FiatStatus, Strategy, WantedAmount};
use causeway_domain::ports::{RampAsk, RampOffer};
use causeway_domain::{Address, FiatOrderId, FiatQuoteId, RowKeys, Token};
use jiff::{SignedDuration, Timestamp};

use super::{CheckError, failed};

/// The parameters of a check.
#[derive(Clone, Debug)]
pub struct CheckPlan {
    /// A token that it sells.
    pub asset: Token,
    /// An amount that it accepts.
    pub pays: FiatAmount,
    /// The delivery address, of whoever runs the check.
    pub wallet: Address,
    pub method: Option<String>,
    pub country: Option<String>,
}

impl CheckPlan {
    pub(super) fn ask(&self, amount: WantedAmount) -> RampAsk {
        RampAsk {
            currency: self.pays.currency,
            amount,
            asset: self.asset.clone(),
            wallet: Some(self.wallet),
            method: self.method.clone(),
            country: self.country.clone(),
        }
    }

    pub(super) fn pay(&self) -> RampAsk {
        self.ask(WantedAmount::Pay(self.pays))
    }

    /// An order as the service creates it from that offer.
    pub(super) fn order(&self, provider: &str, offer: &RampOffer) -> Result<FiatOrder, CheckError> {
        let (Ok(id), Ok(quote)) = (FiatOrderId::random(), FiatQuoteId::random()) else {
            return failed("the system has no randomness for an order id");
        };
        let now = Timestamp::now();
        let pay_by = now.checked_add(SignedDuration::from_mins(30)).unwrap_or(now);
        Ok(FiatOrder {
            id,
            key: RowKeys::new(0).next(now),
            quote,
            provider: provider.to_owned(),
            provider_order: None,
            status: FiatStatus::Created,
            author: self.wallet,
            recipient: self.wallet,
            refund_to: self.wallet,
            pays: offer.pays,
            target: self.asset.id,
            sold: self.asset.id,
            sold_amount: offer.delivers,
            expected: offer.delivers,
            least: offer.delivers,
            strategy: Strategy::Direct,
            widget_url: String::new(),
            origin: None,
            integrator: None,
            metadata: None,
            payout: None,
            output: None,
            fill_tx: None,
            failure: None,
            pay_by,
            due_at: None,
            created_at: now,
            updated_at: now,
            version: 0,
        })
    }
}
