use std::sync::Arc;

use alloy_primitives::{Address as EvmAddress, U256, address};
use causeway_domain::ports::{
    Answer, FillerAsk, FillerError, LiquidityProvider, Offer, ProviderAddress, ProviderAsk, ProviderDeposit,
    ProviderTransaction,
};
use causeway_domain::{Address, Ask, ChainId, RawAmount, SOLANA_CHAIN_ID, Token, TokenId, TradeType};
use causeway_fillers::providers::jupiter::{Jupiter, JupiterConfig};
use causeway_fillers::providers::lifi::{Lifi, LifiConfig};
use causeway_fillers::providers::oneclick::{OneClick, OneClickConfig};
use causeway_fillers::providers::relay::{Relay, RelayConfig};
use causeway_fillers::providers::standin::{
    JupiterStandIn, LifiStandIn, Mischief, OneClickStandIn, PlayMoney, RelayStandIn, ZeroxStandIn,
};
use causeway_fillers::providers::zerox::{Zerox, ZeroxConfig};
use causeway_fillers::providers::{PinnedContractsConfig, ProviderKey, ProviderSetupError};
use parking_lot::Mutex;
use serde_json::json;

use super::chain::PlayChain;

pub(super) const CONTRACT: EvmAddress = EvmAddress::repeat_byte(0xc0);
/// The same for Solana.
const PROGRAM: [u8; 32] = [0xc0; 32];
pub(super) const OTHER: EvmAddress = EvmAddress::repeat_byte(0xdd);
pub(super) const BASE: u64 = 8453;
pub(super) const ARBITRUM: u64 = 42_161;
const BASE_USDC: EvmAddress = address!("833589fCD6eDb6E08f4c7C32D4f71b54bdA02913");
const ARBITRUM_USDC: EvmAddress = address!("af88d065e77c8cC2239327C5EDb3A432268e5831");
const SOLANA_USDC: [u8; 32] = [0x11; 32];
const SOLANA_USDT: [u8; 32] = [0x12; 32];
const ARBITRUM_USDT: EvmAddress = address!("Fd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9");

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Lifi,
    Relay,
    OneClick,
    Zerox,
    Jupiter,
}

enum StandIn {
    Lifi(LifiStandIn),
    Relay(RelayStandIn),
    OneClick(OneClickStandIn),
    Zerox(ZeroxStandIn),
    Jupiter(JupiterStandIn),
}

/// What differs from a provider's usual configuration.
#[derive(Clone, Copy, Default)]
pub(super) struct Settings {
    pub(super) fee_bps: u16,
    pub(super) deadline_ms: Option<u64>,
}

/// A provider's adapter, its stand-in, and the chains that the stand-in looks at.
pub(super) struct Subject {
    pub(super) kind: Kind,
    pub(super) provider: Arc<dyn LiquidityProvider>,
    stand_in: StandIn,
    pub(super) chain: PlayChain,
    /// The address that was paid last.
    pub(super) paid: Mutex<Option<Address>>,
}

impl Subject {
    pub(super) async fn start(kind: Kind) -> Self {
        let chain = PlayChain::start().await;
        let money = Arc::new(PlayMoney::new().unwrap());
        money.connect(&chain.url);
        let tokens = [(BASE, BASE_USDC, 6, "USDC"), (ARBITRUM, ARBITRUM_USDC, 6, "USDC")];
        let stand_in = match kind {
            Kind::Lifi => StandIn::Lifi(LifiStandIn::start(CONTRACT, tokens, money).await.unwrap()),
            Kind::Relay => StandIn::Relay(RelayStandIn::start(CONTRACT, tokens, money).await.unwrap()),
            Kind::OneClick => StandIn::OneClick(OneClickStandIn::start(tokens, money).await.unwrap()),
            Kind::Zerox => {
                let tokens = [(ARBITRUM, ARBITRUM_USDC, 6, "USDC"), (ARBITRUM, ARBITRUM_USDT, 6, "USDT")];
                StandIn::Zerox(ZeroxStandIn::start(CONTRACT, tokens, money).await.unwrap())
            }
            Kind::Jupiter => {
                let (chain, tokens) =
                    (SOLANA_CHAIN_ID.get(), [(SOLANA_USDC, 6, "USDC"), (SOLANA_USDT, 6, "USDT")]);
                StandIn::Jupiter(JupiterStandIn::start(PROGRAM, chain, tokens, money).await.unwrap())
            }
        };
        let provider = adapter(&stand_in, Settings::default(), url(&stand_in)).unwrap();
        Self { kind, provider, stand_in, chain, paid: Mutex::default() }
    }

    /// The same provider with other settings.
    pub(super) fn configure(&mut self, settings: Settings) {
        self.provider = adapter(&self.stand_in, settings, self.url()).unwrap();
    }

    /// The same provider behind another address.
    pub(super) fn move_to(&mut self, url: &str) {
        self.provider = adapter(&self.stand_in, Settings::default(), url).unwrap();
    }

    /// The address of the stand-in.
    pub(super) fn url(&self) -> &str {
        url(&self.stand_in)
    }

    pub(super) fn misbehave(&self, mischief: Mischief) {
        match &self.stand_in {
            StandIn::Lifi(stand_in) => stand_in.misbehave(mischief),
            StandIn::Relay(stand_in) => stand_in.misbehave(mischief),
            StandIn::OneClick(stand_in) => stand_in.misbehave(mischief),
            StandIn::Zerox(stand_in) => stand_in.misbehave(mischief),
            StandIn::Jupiter(stand_in) => stand_in.misbehave(mischief),
        }
    }

    /// How many quotes the stand-in was asked for.
    pub(super) fn quotes(&self) -> u64 {
        match &self.stand_in {
            StandIn::Lifi(stand_in) => stand_in.quotes(),
            StandIn::Relay(stand_in) => stand_in.quotes(),
            StandIn::OneClick(stand_in) => stand_in.quotes(),
            StandIn::Zerox(stand_in) => stand_in.quotes(),
            StandIn::Jupiter(stand_in) => stand_in.quotes(),
        }
    }

    pub(super) fn ask(&self) -> FillerAsk {
        usual_ask(self.kind)
    }

    /// What its calls go to.
    pub(super) fn contract(&self) -> Address {
        if matches!(self.kind, Kind::Jupiter) { Address::Solana(PROGRAM) } else { Address::Evm(CONTRACT) }
    }

    /// The chain of the input.
    pub(super) fn source(&self) -> u64 {
        self.ask().ask.from.chain().get()
    }

    pub(super) fn provider_ask(&self, offer: &Offer) -> ProviderAsk {
        let terms = offer.provider.as_ref().unwrap().terms.clone();
        let asked = ProviderAsk::to_quote(&self.ask().ask, &terms.tool);
        ProviderAsk { min_amount_out: offer.min_amount_out, slippage: terms.slippage, ..asked }
    }

    pub(super) async fn offer(&self) -> Offer {
        match self.provider.quote(&self.ask()).await.unwrap() {
            Answer::Offers(mut offers) => offers.remove(0),
            Answer::Refused(refusal) => panic!("refused: {refusal}"),
        }
    }

    pub(super) async fn refusal(&self, ask: &FillerAsk) -> String {
        match self.provider.quote(ask).await.unwrap() {
            Answer::Offers(_) => panic!("an offer"),
            Answer::Refused(refusal) => refusal.to_string(),
        }
    }

    /// The words of a quote that is the provider's fault.
    pub(super) async fn fault(&self, mischief: Mischief) -> String {
        self.misbehave(mischief);
        match self.provider.quote(&self.ask()).await {
            Err(FillerError::Nonsense(words)) => words,
            other => panic!("{mischief:?}: {other:?}"),
        }
    }

    /// The transactions that were named to it.
    pub(super) fn named(&self) -> Vec<(String, String)> {
        match &self.stand_in {
            StandIn::OneClick(stand_in) => stand_in.named(),
            _ => Vec::new(),
        }
    }

    /// The payer's transaction for a route.
    pub(super) async fn call(&self, ask: &ProviderAsk) -> Result<ProviderTransaction, FillerError> {
        match self.provider.deposit(ask).await? {
            ProviderDeposit::Call(transaction) => Ok(transaction),
            ProviderDeposit::Transfer(given) => panic!("a transfer to {}", given.address),
        }
    }

    /// The address to pay for a route.
    pub(super) async fn address(&self, ask: &ProviderAsk) -> Result<ProviderAddress, FillerError> {
        match self.provider.deposit(ask).await? {
            ProviderDeposit::Transfer(given) => Ok(given),
            ProviderDeposit::Call(call) => panic!("a call of {}", call.target),
        }
    }
}

fn url(stand_in: &StandIn) -> &str {
    match stand_in {
        StandIn::Lifi(stand_in) => &stand_in.url,
        StandIn::Relay(stand_in) => &stand_in.url,
        StandIn::OneClick(stand_in) => &stand_in.url,
        StandIn::Zerox(stand_in) => &stand_in.url,
        StandIn::Jupiter(stand_in) => &stand_in.url,
    }
}

fn adapter(
    stand_in: &StandIn,
    settings: Settings,
    url: &str,
) -> Result<Arc<dyn LiquidityProvider>, ProviderSetupError> {
    let (url, all) = (url.to_owned(), Some(u32::MAX));
    let chain = if matches!(stand_in, StandIn::Zerox(_)) { ARBITRUM } else { BASE };
    let pins = json!({ "bundled": false, "pinned": [{ "chain": chain, "address": CONTRACT }] });
    let contracts: PinnedContractsConfig = serde_json::from_value(pins).unwrap();
    let fee_bps = settings.fee_bps;
    Ok(match stand_in {
        StandIn::Lifi(_) => {
            let usual = LifiConfig { quotes_in_two_hours: all, ..LifiConfig::default() };
            let deadline_ms = settings.deadline_ms.unwrap_or(30_000);
            Arc::new(Lifi::new(LifiConfig { url, fee_bps, deadline_ms, contracts, ..usual })?)
        }
        StandIn::Relay(_) => {
            let usual = RelayConfig { quotes_in_a_minute: all, ..RelayConfig::default() };
            let deadline_ms = settings.deadline_ms.unwrap_or(30_000);
            let fee_recipient = Some(EvmAddress::repeat_byte(0xfe));
            Arc::new(Relay::new(RelayConfig {
                url,
                fee_bps,
                fee_recipient,
                deadline_ms,
                contracts,
                ..usual
            })?)
        }
        StandIn::OneClick(_) => {
            let usual = OneClickConfig { quotes_in_a_minute: all, ..OneClickConfig::default() };
            let deadline_ms = settings.deadline_ms.unwrap_or(30_000);
            let fee_recipient = Some("operator.near".to_owned());
            Arc::new(OneClick::new(OneClickConfig { url, fee_bps, fee_recipient, deadline_ms, ..usual })?)
        }
        StandIn::Zerox(_) => {
            let usual = ZeroxConfig { quotes_in_a_second: all, ..ZeroxConfig::default() };
            let deadline_ms = settings.deadline_ms.unwrap_or(30_000);
            let fee_recipient = Some(EvmAddress::repeat_byte(0xfe));
            Arc::new(Zerox::new(ZeroxConfig {
                url,
                api_key: Some(ProviderKey::new("key".to_owned())),
                fee_bps,
                fee_recipient,
                deadline_ms,
                contracts,
                ..usual
            })?)
        }
        StandIn::Jupiter(_) => {
            let usual = JupiterConfig { quotes_in_a_minute: all, ..JupiterConfig::default() };
            let deadline_ms = settings.deadline_ms.unwrap_or(30_000);
            let program = Address::Solana(PROGRAM).to_string();
            Arc::new(Jupiter::new(JupiterConfig { url, program, deadline_ms, ..usual })?)
        }
    })
}

fn token(chain: u64, address: EvmAddress) -> Token {
    token_at(ChainId::new(chain).unwrap(), Address::Evm(address))
}

fn token_at(chain: ChainId, address: Address) -> Token {
    let id = TokenId::from_address(chain, address).unwrap();
    Token { id, symbol: "USDC".to_owned(), name: "USD Coin".to_owned(), decimals: 6, logo: None }
}

/// The usual ask: between two chains, or within one where the provider swaps there only.
fn usual_ask(kind: Kind) -> FillerAsk {
    let (from, to) = match kind {
        Kind::Zerox => (token(ARBITRUM, ARBITRUM_USDC), token(ARBITRUM, ARBITRUM_USDT)),
        Kind::Jupiter => {
            let on_solana = |mint| token_at(SOLANA_CHAIN_ID, Address::Solana(mint));
            (on_solana(SOLANA_USDC), on_solana(SOLANA_USDT))
        }
        Kind::Lifi | Kind::Relay | Kind::OneClick => (token(BASE, BASE_USDC), token(ARBITRUM, ARBITRUM_USDC)),
    };
    let (payer, recipient) = match kind {
        // It pays the payer only.
        Kind::Jupiter => (Address::Solana([3; 32]), Address::Solana([3; 32])),
        _ => (Address::Evm([3; 20].into()), Address::Evm([4; 20].into())),
    };
    let ask = Ask {
        trade_type: TradeType::ExactInput,
        from: from.id,
        to: to.id,
        amount: RawAmount::new(U256::from(25_000_000)),
        from_address: payer,
        recipient,
        refund_to: payer,
        slippage: None,
        deposit_methods: Vec::new(),
        referral: None,
        deposit_window: None,
    };
    FillerAsk { ask, from: Arc::new(from), to: Arc::new(to) }
}
