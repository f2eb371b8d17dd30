#![doc = include_str!("../README.md")]

mod build_deposit;
mod count_fills;
mod deliver_webhooks;
pub mod fiat;
mod fillers;
mod follow_chain;
mod hands;
mod intent_book;
mod keep_retention;
mod marks;
mod pauses;
mod read_balances;
mod recover;
mod registry;
mod reputation;
mod request_quote;
mod return_rent;
mod review_orders;
mod screening;
mod story_keys;
mod striped;
mod submit_deposit;
mod tend_carriers;
mod turns;
mod watch_addresses;
mod watch_orders;
mod work_orders;
mod worth;

pub use build_deposit::{
    BuildDeposit, BuildError, BuildParts, BuildRequest, Built, BuiltDeposit, OrderTiming,
};
pub use count_fills::{CountFills, Fills, FillsByFiller};
pub use deliver_webhooks::{
    DeliverParts, DeliverWebhooks, Describe, EndpointReport, NewEndpoint, WEBHOOK_PATIENCE, WantedEndpoint,
    WebhookDesk, WebhookDeskError,
};
pub use fillers::{
    BreakerPolicy, BreakerState, FillerHealth, FillerLatency, FillerNameError, FillerReport, Fillers,
    NoOffer, QuoteOptions, Unfilled,
};
pub use follow_chain::{FollowParts, follow_chain};
pub use hands::Hands;
pub use intent_book::{BookParts, keep_intent_book};
pub use keep_retention::{RetentionPolicy, keep_retention};
pub use marks::Marks;
pub use pauses::{OperatePauses, PauseError, Pauses};
pub use read_balances::{Balances, ReadBalances};
pub use recover::{
    Adopt, AdoptParts, Adopted, ChainRead, KnownFiller, RecoverChain, RecoverError, RecoverNews,
    RecoverParts, Recovered, recover,
};
pub use registry::{ListedFiller, MadeFiller, MakeFiller, Registry, RegistryError, RegistryParts};
pub use reputation::{KeepReputation, Standing, Standings};
pub use request_quote::{QuoteError, QuoteRequest, RequestQuote, Routes, is_one_click, rank_routes};
pub use return_rent::{RentParts, return_rent};
pub use review_orders::{OrderStory, ReviewOrders, ReviewParts, StuckOrder, Wait};
pub use screening::{Screening, ScreeningError};
pub use submit_deposit::{Proof, SubmitDeposit, SubmitError, SubmitParts, SubmitRequest, Submitted};
pub use tend_carriers::tend_carriers;
pub use turns::Turns;
pub use watch_addresses::{WatchAddresses, WatchPolicy};
pub use watch_orders::{OrderInterest, WatchOrders};
pub use work_orders::{WorkOrders, WorkParts};
