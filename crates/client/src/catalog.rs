use causeway_wire::{Autocomplete, Chain, Data, Page, Suggestion, Token};

use crate::decimals::check_tokens;
use crate::url::Query;
use crate::{Client, Error};

/// Filter and page of a token list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenQuery {
    /// Part of a name or symbol, or an address.
    pub q: Option<String>,
    /// Only these chains; all where empty.
    pub chain_ids: Vec<u64>,
    /// 20 by default, at most 1000.
    pub limit: Option<u32>,
    /// The `cursor` of the previous page.
    pub cursor: Option<u64>,
}

/// The balances of an address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Balances {
    /// Tokens with `extensions.balance` in raw units; zero balances are omitted.
    pub tokens: Vec<Token>,
    /// Chains that did not answer; their balances are missing.
    pub unavailable_chains: Vec<u64>,
}

impl Client {
    /// Every supported chain, ordered by id.
    pub async fn chains(&self) -> Result<Vec<Chain>, Error> {
        self.get(self.base.join(&["v1", "chains"])).await?.json()
    }

    /// A chain's icon as SVG.
    pub async fn chain_icon(&self, chain_id: u64) -> Result<String, Error> {
        self.get(self.base.join(&["v1", "chain", &chain_id.to_string(), "icon"])).await?.svg()
    }

    /// A page of the token catalog, well-known tokens first.
    pub async fn tokens(&self, query: &TokenQuery) -> Result<Page<Token>, Error> {
        let url = Query::default()
            .with("q", query.q.as_deref())
            .list("chainIds", &query.chain_ids)
            .with("limit", query.limit)
            .with("cursor", query.cursor)
            .append_to(self.base.join(&["v1", "tokens"]));
        let page: Page<Token> = self.get(url).await?.json()?;
        check_tokens(&page.data)?;
        Ok(page)
    }

    /// Finds tokens by name, symbol or address, typos forgiven, best first.
    pub async fn search_tokens(&self, q: &str, chain_ids: &[u64]) -> Result<Vec<Token>, Error> {
        let query = Query::default().with("q", Some(q)).list("chainIds", chain_ids);
        let found: Data<Token> =
            self.get(query.append_to(self.base.join(&["v1", "tokens", "search"]))).await?.json()?;
        check_tokens(&found.data)?;
        Ok(found.data)
    }

    /// The well-known tokens.
    pub async fn top_tokens(&self, chain_ids: &[u64]) -> Result<Vec<Token>, Error> {
        let query = Query::default().list("chainIds", chain_ids);
        let tokens: Vec<Token> =
            self.get(query.append_to(self.base.join(&["v1", "tokens", "top"]))).await?.json()?;
        check_tokens(&tokens)?;
        Ok(tokens)
    }

    /// The balances of an address in every token of the catalog, on all chains.
    pub async fn balances(&self, address: &str, chain_ids: &[u64]) -> Result<Balances, Error> {
        let query = Query::default().list("chainIds", chain_ids);
        let answer =
            self.get(query.append_to(self.base.join(&["v1", "tokens", "balances", address]))).await?;
        let unavailable =
            answer.headers.get("x-partial-chains").and_then(|value| value.to_str().ok()).unwrap_or_default();
        let unavailable_chains = unavailable.split(',').filter_map(|id| id.trim().parse().ok()).collect();
        let tokens: Vec<Token> = answer.json()?;
        check_tokens(&tokens)?;
        Ok(Balances { tokens, unavailable_chains })
    }

    /// Parses partial input, such as `100 usdc on base`, and suggests completions.
    pub async fn autocomplete(
        &self,
        keyword: &str,
        chain_ids: &[u64],
        limit: Option<u32>,
    ) -> Result<Autocomplete, Error> {
        let query = Query::default().list("chainIds", chain_ids).with("limit", limit);
        self.get(query.append_to(self.base.join(&["v1", "tokens", "autocomplete", keyword]))).await?.json()
    }

    /// Example inputs for autocomplete.
    pub async fn suggestions(&self) -> Result<Vec<Suggestion>, Error> {
        let url = self.base.join(&["v1", "tokens", "autocomplete", "suggestions"]);
        let suggestions: Data<Suggestion> = self.get(url).await?.json()?;
        Ok(suggestions.data)
    }
}
