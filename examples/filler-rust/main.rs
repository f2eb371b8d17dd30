//! A complete filler for dollar tokens on EVM chains: quotes, fills, claims. README.md lists what production needs.

use std::{collections::HashMap, io::Write as _, sync::Arc, time::Duration};

use alloy_primitives::{Address as EvmAddress, B256, Bytes, U256};
use alloy_sol_types::{SolCall, sol};
use anyhow::{Context as _, ensure};
use causeway_client::{Client, EvmTransaction, LocalWallet, Wallet as _, wire};
use causeway_domain::{Address, ChainId, IntentTerms, RawAmount, TokenId, ports::Refusal};
use causeway_evm::contracts::{Escrow, Order, Settler};
use causeway_fillers::remote::protocol::{OfferBody, OrderAnswer, OrderNotice, QuoteAnswer, QuoteAsk, Trade};
use causeway_fillers::remote::{Secret, server};

sol! { function approve(address spender, uint256 amount) external returns (bool); }
const SERVED: [u64; 4] = [1, 10, 8453, 42_161]; // Ethereum, OP Mainnet, Base and Arbitrum One

struct Filler {
    service: Client,
    wallet: LocalWallet,
    /// One fill at a time: concurrent fills of one token would overwrite the allowance.
    filling: tokio::sync::Mutex<()>,
    account: EvmAddress,
    spread_millionths: u64,
    /// One dollar in raw units, by dollar token.
    dollars: HashMap<TokenId, U256>,
    /// The escrow and the settler, the same on all chains. It uses no others.
    contracts: [B256; 2],
}

impl server::FillerHandler for Filler {
    fn quote(&self, ask: &QuoteAsk) -> QuoteAnswer {
        self.offer(ask).into()
    }

    fn order(self: &Arc<Self>, notice: OrderNotice, terms: IntentTerms) -> OrderAnswer {
        if let Some(reason) = self.rejection(&terms) {
            return OrderAnswer::declined(reason);
        }
        let filler = Arc::clone(self);
        tokio::spawn(async move {
            let done = filler.fill_and_claim(&terms).await;
            let _ = writeln!(std::io::stderr(), "order {}: {done:?}", notice.order_id);
        });
        OrderAnswer::accepted()
    }
}

impl Filler {
    fn offer(&self, ask: &QuoteAsk) -> Result<OfferBody, Refusal> {
        let (from, to) = ask.from.id().zip(ask.to.id()).ok_or(Refusal::PairNotServed)?;
        let (one, _) = self.dollars.get(&from).zip(self.dollars.get(&to)).ok_or(Refusal::PairNotServed)?;
        let [minimum, maximum] = [*one, one * U256::from(10_000)].map(RawAmount::new);
        let amount: RawAmount = ask.amount.parse().map_err(|_| Refusal::NoPrice)?;
        match amount {
            _ if ask.trade_type == Trade::ExactOutput => return Err(Refusal::Other("inputs only".into())),
            _ if amount < minimum => return Err(Refusal::TooSmall { minimum }),
            _ if amount > maximum => return Err(Refusal::TooLarge { maximum }),
            _ => {}
        }
        let bps = U256::from(ask.referral.as_ref().map_or(0, |referral| referral.fee_bps));
        let own = amount.get() - amount.get() * bps / U256::from(10_000);
        let out = self.price(from, to, own).ok_or(Refusal::NoPrice)?;
        Ok(ask.offer(amount, RawAmount::new(out), Address::Evm(self.account), Duration::from_secs(30)))
    }

    fn price(&self, from: TokenId, to: TokenId, amount: U256) -> Option<U256> {
        let part = amount.checked_mul(U256::from(1_000_000_u64.checked_sub(self.spread_millionths)?))?;
        let out = (part / U256::from(1_000_000)).checked_mul(*self.dollars.get(&to)?)?;
        out.checked_div(*self.dollars.get(&from)?)
    }

    /// Checks everything by which it could lose: a late fill, another payee, unknown contracts, a worse price.
    fn rejection(&self, terms: &IntentTerms) -> Option<&'static str> {
        let address = |word| Address::Evm(EvmAddress::from_word(word));
        let token = |chain, word| TokenId::from_address(ChainId::new(chain)?, address(word));
        let to = token(terms.destination_chain_id, terms.output_token);
        let pair = token(terms.origin_chain_id, terms.input_token).zip(to);
        let own = terms.amount_in.saturating_sub(terms.referrer_fee);
        let offered = pair.and_then(|(from, to)| self.price(from, to, own)).unwrap_or_default();
        let (account, now) = (self.account.into_word(), jiff::Timestamp::now().as_second().unsigned_abs());
        let reasons = [
            (terms.fill_deadline < now + 60, "the fill deadline is too close"),
            ([terms.filler, terms.payee] != [account, account], "the filler or payee is another account"),
            ([terms.escrow, terms.settler] != self.contracts, "unknown contracts"),
            (terms.amount_out > offered, "the price is worse than the offer"),
        ];
        reasons.into_iter().find_map(|(applies, reason)| applies.then_some(reason))
    }

    async fn fill_and_claim(&self, terms: &IntentTerms) -> anyhow::Result<()> {
        let (origin, destination, id) = (terms.origin_chain_id, terms.destination_chain_id, terms.id());
        let IntentTerms { escrow, settler, output_token, .. } = *terms;
        let [escrow, settler, token] = [escrow, settler, output_token].map(EvmAddress::from_word);
        let call = Escrow::statusCall { orderId: id }.abi_encode();
        let status = self.wallet.call(origin, escrow, &call.into()).await?;
        ensure!(U256::from_be_slice(&status) == U256::from(1), "the escrow does not hold the deposit");
        let (data, none) = (terms.to_bytes().into(), Bytes::new());
        let fill = Settler::fillCall { orderId: id, originData: data, fillerData: none };
        let guard = self.filling.lock().await;
        self.send(destination, token, &approveCall { spender: settler, amount: terms.amount_out }).await?;
        self.send(destination, settler, &fill).await?;
        drop(guard);
        let signed = loop {
            // The attesters sign when the fill is in a final block.
            tokio::time::sleep(Duration::from_secs(1)).await;
            if let Ok(signed) = self.service.intent_attestations(&id.to_string()).await {
                break signed;
            }
        };
        let claim = Escrow::claimCall {
            order: Order::from(terms),
            filledAt: signed.filled_at.context("the attesters signed that it was not filled")?.parse()?,
            fillRef: signed.fill_ref.context("the fill reference is missing")?.parse()?,
            signatures: signed.signatures.iter().map(|text| text.parse()).collect::<Result<_, _>>()?,
        };
        self.send(origin, escrow, &claim).await
    }

    async fn send(&self, chain_id: u64, to: EvmAddress, call: &(impl SolCall + Sync)) -> anyhow::Result<()> {
        let (data, value, gas) = (call.abi_encode().into(), U256::ZERO, None);
        let sent = self.wallet.send(&EvmTransaction { chain_id, to, data, value, gas }).await?;
        Ok(self.wallet.wait_for_receipt(chain_id, &sent).await?)
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let env = |name: &str| std::env::var(name).with_context(|| format!("{name} is not set"));
    let service = Client::new(&env("CAUSEWAY_URL")?)?;
    let wallet = LocalWallet::connect_sandbox(&service, &env("FILLER_KEY")?).await?;
    let is_dollar = |token: &wire::Token| ["USDC", "USDT"].contains(&token.symbol.as_str());
    let tokens = service.top_tokens(&SERVED).await?.into_iter().filter(is_dollar);
    let one = |decimals: u8| U256::from(10).pow(U256::from(decimals));
    let wire::HubContracts { asset_reserves, gateway, .. } = service.hub_config().await?.contract;
    let escrow = asset_reserves.values().next().context("no escrow is deployed")?;
    let filler = Filler {
        account: wallet.address().parse()?,
        spread_millionths: env("FILLER_SPREAD").map_or(Ok(100), |spread| spread.parse())?,
        dollars: tokens.filter_map(|token| Some((token.id?.parse().ok()?, one(token.decimals)))).collect(),
        contracts: [escrow.parse::<EvmAddress>()?.into_word(), gateway.parse::<EvmAddress>()?.into_word()],
        service,
        wallet,
        filling: tokio::sync::Mutex::default(),
    };
    let listener = tokio::net::TcpListener::bind(env("FILLER_LISTEN")?).await?;
    writeln!(std::io::stdout(), "{} fills at http://{}", filler.account, listener.local_addr()?)?;
    let router = server::router(Secret::new(&env("FILLER_SECRET")?)?, Arc::new(filler));
    Ok(axum::serve(listener, router).await?)
}
