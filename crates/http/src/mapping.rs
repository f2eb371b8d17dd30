//! Domain types as the wire shows them.

use causeway_catalog::Listed;
use causeway_domain as domain;
use causeway_domain::ports::PriceFeed;
use causeway_wire as wire;

use crate::Options;

pub(crate) fn map_chain(chain: &domain::Chain, options: &Options) -> wire::Chain {
    let rpc = match &options.sandbox_rpc {
        // Whoever tries the service must not end up on the real chain.
        Some(base) => vec![format!("{base}/{}", chain.id)],
        None => chain.rpc.clone(),
    };
    wire::Chain {
        id: chain.id.get(),
        name: chain.name.clone(),
        r#type: chain.family().namespace().to_owned(),
        caip2: chain.id.caip2(),
        native_currency: wire::NativeCurrency {
            name: chain.native.name.clone(),
            symbol: chain.native.symbol.clone(),
            decimals: chain.native.decimals,
        },
        rpc_urls: wire::RpcUrls { default: wire::RpcEndpoints { http: rpc } },
        block_explorers: wire::BlockExplorers {
            default: wire::BlockExplorer {
                name: chain.explorer.name.clone(),
                url: chain.explorer.url.clone(),
            },
        },
        explorer_url: chain.explorer.url.clone(),
        icon: format!("{}/v1/chain/{}/icon", options.public_url, chain.id),
        deposit_methods: chain.deposit_methods.iter().map(|method| method.as_str().to_owned()).collect(),
        enabled: chain.enabled,
    }
}

/// A token with what the catalog and the price feed know of it.
pub(crate) fn map_token(listed: Listed<'_>, prices: &dyn PriceFeed) -> wire::Token {
    let token = listed.token;
    let price = prices.usd_price(&token.id).map(|price| wire::Price { usd: price.to_string() });
    let is_risk_token = listed.is_risk.then_some(true);
    let extensions = (price.is_some() || is_risk_token.is_some()).then(|| wire::TokenExtensions {
        price,
        is_risk_token,
        ..wire::TokenExtensions::default()
    });
    wire::Token {
        address: token.id.address().to_string(),
        chain_id: token.id.chain().get(),
        name: token.name.clone(),
        symbol: token.symbol.clone(),
        decimals: token.decimals,
        logo_uri: token.logo.clone(),
        platform: Some(token.id.chain().family().namespace().to_owned()),
        id: Some(token.id.to_string()),
        extensions,
    }
}
