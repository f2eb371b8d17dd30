//! Mapping of domain types to wire types.

use alloy_primitives::{Address as EvmAddress, B256};
use causeway_catalog::Listed;
use causeway_domain as domain;
use causeway_domain::{Address, DepositMethod, Family};
use causeway_wire as wire;
use jiff::Timestamp;

use crate::App;

pub(crate) fn map_chain(chain: &domain::Chain, app: &App) -> wire::Chain {
    let options = &app.options;
    let rpc = match &options.sandbox_rpc {
        // Users of the sandbox must not reach the real chain.
        Some(base) => vec![format!("{base}/{}", chain.id)],
        None => chain.rpc.clone(),
    };
    let rpc = if chain.family().is_source_only() { Vec::new() } else { rpc };
    let explorer = explorer_of(chain, options);
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
        block_explorers: wire::BlockExplorers { default: explorer.clone() },
        explorer_url: explorer.url,
        icon: format!("{}/v1/chain/{}/icon", options.public_url, chain.id),
        deposit_methods: deposit_methods(chain, &app.deployments),
        enabled: chain.enabled,
    }
}

pub(crate) fn map_warning(warning: &domain::Warning) -> wire::Warning {
    wire::Warning {
        code: warning.code.as_str().to_owned(),
        severity: warning.severity.as_str().to_owned(),
        message: warning.message.clone(),
        field: warning.field.map(str::to_owned),
    }
}

/// The chain's explorer. Those of the real chains have never heard of a sandbox's transactions, so it has its own.
fn explorer_of(chain: &domain::Chain, options: &crate::Options) -> wire::BlockExplorer {
    let is_own = |rpc: &String| rpc.starts_with(&options.public_url) && !chain.family().is_source_only();
    if options.sandbox_rpc.as_ref().is_some_and(is_own) {
        let url = format!("{}/sandbox/explorer/{}", options.public_url, chain.id);
        return wire::BlockExplorer { name: "Sandbox explorer".to_owned(), url };
    }
    wire::BlockExplorer { name: chain.explorer.name.clone(), url: chain.explorer.url.clone() }
}

/// The deposit methods that our contracts on the chain support. Without any deployment, those of the catalog.
fn deposit_methods(chain: &domain::Chain, deployments: &[domain::Deployment]) -> Vec<String> {
    let deployment = deployments.iter().find(|deployment| deployment.chain == chain.id);
    let is_from_catalog = deployments.is_empty() || chain.family() != Family::Evm;
    let is_supported = |method: &&DepositMethod| match method {
        _ if is_from_catalog => true,
        DepositMethod::ContractCall => deployment.is_some(),
        DepositMethod::Permit2 => deployment.is_some_and(|deployment| deployment.permit2.is_some()),
        // It depends on the token, and a client that wants it asks for it.
        DepositMethod::Authorization | DepositMethod::Permit => false,
        DepositMethod::Transfer => deployment.is_some_and(|deployment| deployment.transfers),
    };
    chain.deposit_methods.iter().filter(is_supported).map(|method| method.as_str().to_owned()).collect()
}

/// Converts a 32-byte word of the terms to an address of the family.
pub(crate) fn word_to_address(word: B256, family: Family) -> Address {
    match family {
        Family::Evm => Address::Evm(EvmAddress::from_word(word)),
        Family::Solana => Address::Solana(word.0),
        // No contract of ours is there.
        Family::Bitcoin | Family::Tron => Address::native(family),
    }
}

/// Formats a block timestamp, in Unix seconds, for the wire.
pub(crate) fn chain_time(seconds: u64) -> String {
    let at = i64::try_from(seconds).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    at.unwrap_or(Timestamp::MAX).to_string()
}

/// The token's logo: that of a token list, or the one that we draw.
pub(crate) fn logo(token: &domain::Token, app: &App) -> String {
    let id = &token.id;
    let drawn = || format!("{}/v1/token/{}/{}/icon", app.options.public_url, id.chain(), id.address());
    token.logo.clone().unwrap_or_else(drawn)
}

/// Maps a token with its catalog data and price.
pub(crate) fn map_token(listed: Listed<'_>, app: &App) -> wire::Token {
    let token = listed.token;
    let price = app.prices.usd_price(&token.id).map(|price| wire::Price { usd: price.to_string() });
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
        logo_uri: Some(logo(token, app)),
        platform: Some(token.id.chain().family().namespace().to_owned()),
        id: Some(token.id.to_string()),
        extensions,
    }
}
