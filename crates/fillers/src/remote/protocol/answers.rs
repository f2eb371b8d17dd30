//! Helpers for fillers in Rust.

use std::time::Duration;

use causeway_domain::ports::Refusal;
use causeway_domain::{Address, ChainId, RawAmount, TokenId};
use jiff::{SignedDuration, Timestamp};

use super::{AskedToken, OfferBody, OrderAnswer, QuoteAnswer, QuoteAsk, RefusalBody, TokenRef, Verdict};

impl AskedToken {
    /// The token; `None` if its chain or address is unknown.
    pub fn id(&self) -> Option<TokenId> {
        TokenId::of_any_case(ChainId::new(self.chain_id)?, &self.token).ok()
    }

    fn echo(&self) -> TokenRef {
        TokenRef { chain_id: self.chain_id, token: self.token.clone() }
    }
}

impl QuoteAsk {
    /// An offer for this ask with a price valid for `valid_for`; one account refunds and is paid.
    pub fn offer(
        &self,
        amount_in: RawAmount,
        amount_out: RawAmount,
        account: Address,
        valid_for: Duration,
    ) -> OfferBody {
        let now = Timestamp::now();
        let until = SignedDuration::try_from(valid_for).ok().and_then(|time| now.checked_add(time).ok());
        OfferBody {
            from: self.from.echo(),
            to: self.to.echo(),
            amount_in: amount_in.to_string(),
            amount_out: amount_out.to_string(),
            min_amount_out: None,
            valid_before: until.unwrap_or(now).to_string(),
            expected_duration_seconds: 10,
            filler: account.to_string(),
            payee: account.to_string(),
            deposit_methods: None,
            fees: Vec::new(),
        }
    }
}

impl From<Refusal> for RefusalBody {
    fn from(refusal: Refusal) -> Self {
        let body = |code: &str| Self { code: code.to_owned(), minimum: None, maximum: None, reason: None };
        match refusal {
            Refusal::TooSmall { minimum } => Self { minimum: Some(minimum.to_string()), ..body("TooSmall") },
            Refusal::TooLarge { maximum } => Self { maximum: Some(maximum.to_string()), ..body("TooLarge") },
            Refusal::NoInventory => body("NoInventory"),
            Refusal::PairNotServed => body("PairNotServed"),
            Refusal::NoPrice => body("NoPrice"),
            Refusal::NoDepositMethod => body("NoDepositMethod"),
            Refusal::Other(reason) => Self { reason: Some(reason), ..body("Other") },
        }
    }
}

impl From<Result<OfferBody, Refusal>> for QuoteAnswer {
    fn from(answer: Result<OfferBody, Refusal>) -> Self {
        match answer {
            Ok(offer) => Self { offers: vec![offer], refusal: None },
            Err(refusal) => Self { offers: Vec::new(), refusal: Some(refusal.into()) },
        }
    }
}

impl OrderAnswer {
    pub const fn accepted() -> Self {
        Self { status: Verdict::Accepted, reason: None }
    }

    /// With a reason for the order's owner.
    pub fn declined(reason: &str) -> Self {
        Self { status: Verdict::Declined, reason: Some(reason.to_owned()) }
    }
}
