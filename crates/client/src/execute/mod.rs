mod check;
mod deposit;
mod message;
mod plan;
mod request;

use std::collections::BTreeMap;
use std::fmt;

use causeway_wire::{BuildAnswer, BuildAsk, Order, QuoteAnswer, QuoteAsk, Route, SubmitAnswer, SubmitAsk};

use crate::{Client, Error, Pace, Wallet, WalletError};

pub use check::check_transfer;

/// How `execute` deposits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DepositWay {
    /// The wallet sends the deposit and pays its gas.
    #[default]
    ContractCall,
    /// The wallet signs a permit, and the service brings it to the chain.
    Permit2,
}

impl DepositWay {
    /// As the contract spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ContractCall => "CONTRACT_CALL",
            Self::Permit2 => "PERMIT2",
        }
    }
}

/// How `execute` is to go about it.
pub struct ExecuteOptions {
    way: DepositWay,
    pace: Pace,
    escrows: BTreeMap<u64, String>,
    accept: Box<dyn Fn(&Route) -> bool + Send + Sync>,
}

impl ExecuteOptions {
    /// Deposits this way.
    #[must_use]
    pub const fn depositing_by(mut self, way: DepositWay) -> Self {
        self.way = way;
        self
    }

    /// Looks at the order this often.
    #[must_use]
    pub const fn at_pace(mut self, pace: Pace) -> Self {
        self.pace = pace;
        self
    }

    /// Deposits from this chain go into this escrow and no other, whatever the service says; and once one is named, from chains
    /// that are not named none go at all. Without it the service is believed about where its escrows are.
    #[must_use]
    pub fn trusting_escrow(mut self, chain_id: u64, escrow: &str) -> Self {
        self.escrows.insert(chain_id, escrow.to_owned());
        self
    }

    /// Takes the best route that `accept` likes, and none if it likes none.
    #[must_use]
    pub fn accepting(mut self, accept: impl Fn(&Route) -> bool + Send + Sync + 'static) -> Self {
        self.accept = Box::new(accept);
        self
    }
}

/// The best route, by contract call, at the usual pace.
impl Default for ExecuteOptions {
    fn default() -> Self {
        Self {
            way: DepositWay::default(),
            pace: Pace::default(),
            escrows: BTreeMap::new(),
            accept: Box::new(|_| true),
        }
    }
}

impl fmt::Debug for ExecuteOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExecuteOptions")
            .field("way", &self.way)
            .field("pace", &self.pace)
            .field("escrows", &self.escrows)
            .finish_non_exhaustive()
    }
}

/// What `execute` has just done; keep what a crash must not lose.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Step<'a> {
    Quoted(&'a QuoteAnswer),
    Chosen(&'a Route),
    /// Nothing is signed yet; the answer holds what will be, in words and as terms.
    Built(&'a BuildAnswer),
    /// A transaction is on its way to the source chain; with `deposit`, the money is.
    Sent {
        tx_hash: &'a str,
        deposit: bool,
    },
    /// A transaction for Solana is signed, and the service is about to send it: with it, the money moves.
    Signed {
        tx_hash: &'a str,
    },
    /// The order can be followed by its id from now on.
    Submitted(&'a SubmitAnswer),
    /// The order has another status.
    Order(&'a Order),
}

impl Client {
    /// A whole swap: quote, choose, build, sign in order, submit, and follow the order until it is filled.
    ///
    /// An order that ends otherwise is [`Error::OrderFailed`]. Before anything is signed the route and the deposit are held
    /// against the request, down to the bytes of each transaction and permit. An abort never interrupts the sending of a
    /// transaction; one that was sent moves its order whether or not anybody waits, and `on_step` was told its hash.
    pub async fn execute<W: Wallet>(
        &self,
        ask: &QuoteAsk,
        wallet: &W,
        options: &ExecuteOptions,
        mut on_step: impl FnMut(Step<'_>) + Send,
    ) -> Result<Order, Error> {
        let payer = wallet.address();
        if check::word(&ask.from_address).is_none_or(|asked| check::word(&payer) != Some(asked)) {
            return Err(WalletError::OtherAddress { asked: ask.from_address.clone(), wallet: payer }.into());
        }
        let way = options.way.as_str();
        let quote =
            self.quote(&QuoteAsk { deposit_methods: Some(vec![way.to_owned()]), ..ask.clone() }).await?;
        on_step(Step::Quoted(&quote));
        let takes = |route: &&Route| {
            route.deposit_methods.iter().any(|method| method == way) && (options.accept)(route)
        };
        let route = quote.routes.iter().find(takes).ok_or(Error::NoRoute)?;
        on_step(Step::Chosen(route));
        check::check_route(ask, &route.quote).map_err(Error::unlike)?;
        let built = self.build_deposit(&build_ask(&quote, route, ask, way)).await?;
        let plan = check::plan_deposit(ask, &route.quote, options.way, &built, &options.escrows)
            .map_err(Error::unlike)?;
        on_step(Step::Built(&built));
        let proof = self.deposit(wallet, &plan, &mut on_step).await?;
        let told = SubmitAsk {
            quote_id: quote.quote_id.clone(),
            route_id: route.route_id.clone(),
            tx_hash: proof.tx_hash,
            signed_transaction: proof.signed_transaction,
            signature: proof.signature,
        };
        let submitted = self.submit_for_good(&told, options.pace).await?;
        on_step(Step::Submitted(&submitted));
        let order =
            self.track_order(&submitted.order_id, options.pace, |order| on_step(Step::Order(order))).await?;
        if order.status == "filled" { Ok(order) } else { Err(Error::OrderFailed(Box::new(order))) }
    }

    /// The money is on its way, and telling twice does no harm: what may pass is waited out.
    async fn submit_for_good(&self, ask: &SubmitAsk, pace: Pace) -> Result<SubmitAnswer, Error> {
        loop {
            match self.submit_deposit(ask).await {
                Err(error) if error.is_transient() => self.pause(pace.after(&error)).await?,
                answered => return answered,
            }
        }
    }
}

fn build_ask(quote: &QuoteAnswer, route: &Route, ask: &QuoteAsk, way: &str) -> BuildAsk {
    BuildAsk {
        quote_id: quote.quote_id.clone(),
        route_id: route.route_id.clone(),
        from: ask.from_address.clone(),
        recipient: ask.recipient.clone(),
        refund_to: ask.refund_to.clone(),
        deposit_method: Some(way.to_owned()),
    }
}
