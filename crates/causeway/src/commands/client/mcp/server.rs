use std::sync::Arc;

use causeway_client::TokenQuery;
use causeway_client::wire::{BuildAsk, FiatOrderAsk, FiatQuoteAsk};
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, Implementation, ServerCapabilities, ServerConfig};
use rmcp::schemars::JsonSchema;
use rmcp::service::{Peer, RoleServer};
use rmcp::{ErrorData, ServerHandler, schemars, tool, tool_handler, tool_router};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::failure::Failure;
use super::super::pair::{Pair, resolve_swap};
use super::super::parse::{Purchase, parse_purchase};
use super::super::quote::placeholder_payer;
use super::super::units;
use super::agent::Agent;
use super::swap::{SwapPlan, failure_json};

const INSTRUCTIONS: &str = "\
Causeway swaps tokens within and across chains. Name tokens as SYMBOL@chain, such as USDC@base. \
Call `quote` before `swap` and choose the bound of the swap from its `minAmountOut`. \
`swap` signs with the user's key within the user's limits; a refusal by the limits is final, so do not split or retry it. \
An order that exists continues without you; `track` shows how it ended.";

/// The tools, for one client.
#[derive(Clone)]
pub(super) struct ToolServer {
    agent: Arc<Agent>,
    tool_router: ToolRouter<Self>,
}

impl ToolServer {
    pub(super) fn new(agent: Agent) -> Self {
        let mut tool_router = Self::tool_router();
        if !agent.can_sign() {
            tool_router.remove_route("swap");
        }
        Self { agent: Arc::new(agent), tool_router }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct TokensParameters {
    /// A name, symbol or address; typos are tolerated.
    query: String,
    /// Chains by name or id; all if empty.
    #[serde(default)]
    chains: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct BalancesParameters {
    /// An address of an EVM chain or of Solana.
    address: String,
    /// Chains by name or id; all if empty.
    #[serde(default)]
    chains: Vec<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct QuoteParameters {
    /// Such as `25 USDC@base ETH@arbitrum` to pay exactly 25 USDC, or `USDC@base 0.01 ETH@arbitrum` to receive exactly 0.01 ETH.
    swap: String,
    /// The payer; defaults to the agent's own address. Without either the quote is only informative.
    payer: Option<String>,
    /// The recipient; defaults to the payer.
    recipient: Option<String>,
    /// The slippage tolerance as a fraction: 0.005 is half a percent.
    slippage_tolerance: Option<f64>,
    /// How many seconds after its price has expired the deposit may still be made, 600 to 86400; defaults to ten minutes. For
    /// wallets whose owners sign later. The price holds no longer: a later deposit is filled if the swap still pays for itself.
    #[serde(alias = "depositWithin")]
    deposit_within: Option<u32>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct BuildParameters {
    /// The `quoteId` of a quote.
    quote_id: String,
    /// The `routeId` of one of its routes.
    route_id: String,
    /// The payer of the quote.
    payer: String,
    /// `CONTRACT_CALL`, `PERMIT2`, `AUTHORIZATION`, `PERMIT` or `TRANSFER`; defaults to the route's first method.
    deposit_method: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct SwapParameters {
    /// As in `quote`, such as `25 USDC@base ETH@arbitrum`.
    swap: String,
    /// For an exact input: the least output to accept, as a decimal amount of the output token.
    at_least: Option<String>,
    /// For an exact output: the most input to pay, as a decimal amount of the input token.
    at_most: Option<String>,
    /// The recipient; defaults to the payer, which is the agent's own address.
    recipient: Option<String>,
    /// As in `quote`.
    #[serde(alias = "depositWithin")]
    deposit_within: Option<u32>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct TrackParameters {
    /// The id of an order, or of a purchase.
    order_id: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct BuyParameters {
    /// Such as `50 EUR USDC@base` to pay 50 EUR, or `EUR 100 USDC@base` to receive exactly 100 USDC.
    purchase: String,
    /// The recipient of the crypto.
    recipient: String,
    /// The country of the payer, such as DE or US-NY.
    country: Option<String>,
}

#[tool_router]
impl ToolServer {
    /// Lists the chains with their ids and native currencies.
    #[tool(annotations(read_only_hint = true))]
    async fn chains(&self) -> Result<CallToolResult, ErrorData> {
        answer(async { Ok(json!({ "chains": self.agent.client.chains().await? })) }.await)
    }

    /// Finds tokens by name, symbol or address, with prices. `isRiskToken` marks imitations of well-known tokens.
    #[tool(annotations(read_only_hint = true))]
    async fn tokens(
        &self,
        Parameters(asked): Parameters<TokensParameters>,
    ) -> Result<CallToolResult, ErrorData> {
        answer(self.find_tokens(asked).await)
    }

    /// Lists what an address holds, with prices.
    #[tool(annotations(read_only_hint = true))]
    async fn balances(
        &self,
        Parameters(asked): Parameters<BalancesParameters>,
    ) -> Result<CallToolResult, ErrorData> {
        answer(self.find_balances(asked).await)
    }

    /// Requests a quote. Routes come best first, with amounts in raw units of their tokens, fees and expiry. Nothing is signed.
    #[tool(annotations(read_only_hint = true))]
    async fn quote(
        &self,
        Parameters(asked): Parameters<QuoteParameters>,
    ) -> Result<CallToolResult, ErrorData> {
        answer(self.request_quote(asked).await)
    }

    /// Builds the deposit of a route for a wallet of the user: unsigned transactions, typed data or a transfer address.
    #[tool(annotations(read_only_hint = true))]
    async fn build(
        &self,
        Parameters(asked): Parameters<BuildParameters>,
    ) -> Result<CallToolResult, ErrorData> {
        answer(self.build_deposit(asked).await)
    }

    /// Swaps with the user's key, within the user's limits, and waits until the order is filled.
    #[tool(annotations(destructive_hint = true, idempotent_hint = false))]
    async fn swap(
        &self,
        Parameters(asked): Parameters<SwapParameters>,
        peer: Peer<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let swapped = async {
            let plan = self.plan_swap(asked).await?;
            self.agent.swap(&plan, &peer).await
        };
        answer(swapped.await)
    }

    /// Shows an order or a purchase with its status and transactions.
    #[tool(annotations(read_only_hint = true))]
    async fn track(
        &self,
        Parameters(asked): Parameters<TrackParameters>,
    ) -> Result<CallToolResult, ErrorData> {
        answer(self.find_order(&asked.order_id).await)
    }

    /// Creates a purchase of crypto with fiat. The user pays on the page at `wrapperUrl`; nothing is charged before.
    #[tool(annotations(destructive_hint = false))]
    async fn buy(&self, Parameters(asked): Parameters<BuyParameters>) -> Result<CallToolResult, ErrorData> {
        answer(self.create_purchase(asked).await)
    }
}

#[tool_handler(router = self.tool_router)]
impl ServerHandler for ToolServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("causeway", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }
}

impl ToolServer {
    async fn find_tokens(&self, asked: TokensParameters) -> Result<Value, Failure> {
        let chain_ids = self.agent.directory.chain_ids(&asked.chains)?;
        let found = if asked.query.trim().is_empty() {
            let query = TokenQuery { q: None, chain_ids, limit: Some(50), cursor: None };
            self.agent.client.tokens(&query).await?.data
        } else {
            self.agent.client.search_tokens(&asked.query, &chain_ids).await?
        };
        Ok(json!({ "tokens": found }))
    }

    async fn find_balances(&self, asked: BalancesParameters) -> Result<Value, Failure> {
        let chain_ids = self.agent.directory.chain_ids(&asked.chains)?;
        let held = self.agent.client.balances(&asked.address, &chain_ids).await?;
        Ok(json!({ "tokens": held.tokens, "unavailableChains": held.unavailable_chains }))
    }

    async fn resolve(&self, swap: &str) -> Result<Pair, Failure> {
        resolve_swap(&[swap.to_owned()], &self.agent.client, &self.agent.directory).await
    }

    async fn request_quote(&self, asked: QuoteParameters) -> Result<Value, Failure> {
        let pair = self.resolve(&asked.swap).await?;
        let own = |chain_id| self.agent.address_on(chain_id);
        let placeholder = |chain_id| placeholder_payer(self.agent.is_solana(chain_id)).to_owned();
        let (from, to) = (pair.give.chain_id, pair.get.chain_id);
        let payer = asked.payer.or_else(|| own(from)).unwrap_or_else(|| placeholder(from));
        let mut ask = pair.ask(&payer);
        ask.slippage_tolerance = asked.slippage_tolerance;
        ask.deposit_within = asked.deposit_within;
        ask.recipient = asked.recipient;
        // An address of one family cannot be paid on a chain of the other.
        if ask.recipient.is_none() && self.agent.is_solana(from) != self.agent.is_solana(to) {
            ask.recipient = own(to).or_else(|| Some(placeholder(to)));
        }
        let quote = self.agent.client.quote(&ask).await?;
        Ok(json!({ "payer": payer, "fromToken": pair.give, "toToken": pair.get, "quote": quote }))
    }

    async fn build_deposit(&self, asked: BuildParameters) -> Result<Value, Failure> {
        let ask = BuildAsk {
            quote_id: asked.quote_id,
            route_id: asked.route_id,
            from: asked.payer,
            recipient: None,
            refund_to: None,
            deposit_method: asked.deposit_method,
        };
        Ok(json!({ "deposit": self.agent.client.build_deposit(&ask).await? }))
    }

    async fn plan_swap(&self, asked: SwapParameters) -> Result<SwapPlan, Failure> {
        let pair = self.resolve(&asked.swap).await?;
        let bound = match (pair.exact_output, asked.at_least, asked.at_most) {
            (false, Some(least), None) => units::to_raw(&least, pair.get.decimals),
            (true, None, Some(most)) => units::to_raw(&most, pair.give.decimals),
            (false, ..) => {
                Err("an exact input needs `at_least`, the least output to accept, and no `at_most`"
                    .to_owned())
            }
            (true, ..) => {
                Err("an exact output needs `at_most`, the most input to pay, and no `at_least`".to_owned())
            }
        };
        let bound = bound.map_err(Failure::Usage)?;
        let no_key = |chain_id| {
            Failure::usage(format!("this agent has no key for {}", self.agent.directory.name(chain_id)))
        };
        let payer = self.agent.address_on(pair.give.chain_id).ok_or_else(|| no_key(pair.give.chain_id))?;
        let recipient = match asked.recipient {
            Some(recipient) => recipient,
            None => self.agent.address_on(pair.get.chain_id).ok_or_else(|| {
                Failure::usage(format!(
                    "name the recipient on {}",
                    self.agent.directory.name(pair.get.chain_id)
                ))
            })?,
        };
        Ok(SwapPlan { pair, payer, recipient, bound, deposit_within: asked.deposit_within })
    }

    async fn find_order(&self, order_id: &str) -> Result<Value, Failure> {
        match self.agent.client.order(order_id).await {
            Ok(order) => Ok(json!({ "order": order })),
            Err(error) if error.details().is_some_and(|details| details.status == 404) => {
                Ok(json!({ "purchase": self.agent.client.fiat_order(order_id).await? }))
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn create_purchase(&self, asked: BuyParameters) -> Result<Value, Failure> {
        let Purchase { currency, amount, target, exact_output } =
            parse_purchase(&[asked.purchase]).map_err(Failure::Usage)?;
        let token = self.agent.directory.token(&self.agent.client, &target).await?;
        let crypto_amount = exact_output.then(|| units::to_raw(&amount, token.decimals)).transpose();
        let ask = FiatQuoteAsk {
            fiat_currency: currency,
            fiat_amount: (!exact_output).then_some(amount),
            crypto_amount: crypto_amount.map_err(Failure::Usage)?,
            to_chain_id: Some(token.chain_id),
            to_token: Some(token.address),
            recipient: Some(asked.recipient.clone()),
            country: asked.country,
            ..FiatQuoteAsk::default()
        };
        let answer = self.agent.client.fiat_quote(&ask).await?;
        let Some(quote) = answer.quotes.first() else {
            let reasons: Vec<_> =
                answer.errors.iter().map(|error| format!("{}: {}", error.provider, error.message)).collect();
            return Err(Failure::NoOffer(format!("no provider sells that: {}", reasons.join("; "))));
        };
        let order = FiatOrderAsk {
            quote_id: quote.quote_id.clone(),
            author: Some(asked.recipient),
            ..FiatOrderAsk::default()
        };
        let order = self.agent.client.create_fiat_order(&order).await?;
        Ok(json!({ "quote": quote, "order": order }))
    }
}

/// A failure is an answer that the model reads, not an error of the protocol.
fn answer(result: Result<impl Serialize, Failure>) -> Result<CallToolResult, ErrorData> {
    let internal = |error: serde_json::Error| ErrorData::internal_error(error.to_string(), None);
    Ok(match result {
        Ok(value) => CallToolResult::structured(serde_json::to_value(value).map_err(internal)?),
        Err(failure) => CallToolResult::structured_error(failure_json(&failure)),
    })
}
