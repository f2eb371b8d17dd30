use causeway_client::Method;
use clap::Args;
use serde_json::Value;

use super::client::directory::Directory;
use super::client::table::Table;
use super::client::units;
use super::operator::{OperatorArgs, run_operator_command};
use crate::boot::config::Config;

#[derive(Clone, Debug, Args)]
pub(crate) struct ListArgs {
    /// Only orders of this status, such as published or refunded
    #[arg(long)]
    status: Option<String>,

    /// Only orders that are paid on this chain
    #[arg(long, value_name = "CHAIN")]
    from: Option<String>,

    /// Only orders that are delivered on this chain
    #[arg(long, value_name = "CHAIN")]
    to: Option<String>,

    /// How many
    #[arg(long, value_name = "COUNT", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100))]
    limit: u32,

    /// The orders after those of the page that printed this
    #[arg(long)]
    cursor: Option<String>,

    #[command(flatten)]
    service: OperatorArgs,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct FindArgs {
    /// What the orders belong to
    #[arg(value_name = "ID, ADDRESS OR TRANSACTION")]
    text: String,

    #[command(flatten)]
    service: OperatorArgs,
}

/// Lists all orders that the filters leave.
pub(super) fn list(args: &ListArgs, config: &Config) -> anyhow::Result<()> {
    run_operator_command(&args.service, config, |client| async move {
        let directory = client.directory().await?;
        let chain = |name: &Option<String>| {
            name.as_ref().map(|name| directory.chain(name).map(|chain| chain.id.to_string())).transpose()
        };
        let mut query = vec![("limit", args.limit.to_string())];
        let filters = [
            ("status", args.status.clone()),
            ("fromChainId", chain(&args.from)?),
            ("toChainId", chain(&args.to)?),
            ("cursor", args.cursor.clone()),
        ];
        query.extend(filters.into_iter().filter_map(|(name, value)| Some((name, value?))));
        let answer = client.get(&["orders"], &query).await?;
        client.print(&answer, |answer| format_orders(answer, &directory))
    })
}

/// Lists the orders that belong to a text.
pub(super) fn find(args: &FindArgs, config: &Config) -> anyhow::Result<()> {
    run_operator_command(&args.service, config, |client| async move {
        let directory = client.directory().await?;
        let (path, query) = (["v1", "orders", "search"], [("q", args.text.clone())]);
        let answer = client.client.call(Method::GET, &path, &query, None).await?;
        client.print(&answer, |answer| format_orders(answer, &directory))
    })
}

fn format_orders(answer: &Value, directory: &Directory) -> String {
    let mut table = Table::new(&["order", "status", ">pays", "on", ">receives", "on", "filler", "created"]);
    for order in answer["data"].as_array().into_iter().flatten() {
        let text = |name: &str| order[name].as_str().unwrap_or_default().to_owned();
        let chain = |name: &str| directory.name(order[name].as_u64().unwrap_or_default());
        table.row([
            text("id"),
            text("status"),
            amount(&order["srcAmount"], &order["fromTokenMeta"], &order["fromToken"]),
            chain("fromChainId"),
            amount(&order["destAmount"], &order["toTokenMeta"], &order["toToken"]),
            chain("toChainId"),
            order["providerStatus"]["provider"].as_str().unwrap_or_default().to_owned(),
            text("createdAt"),
        ]);
    }
    if table.is_empty() {
        return "no such orders".to_owned();
    }
    match answer["cursor"].as_u64() {
        Some(cursor) => format!("{table}more: --cursor {cursor}"),
        None => table.to_string(),
    }
}

/// In human units with the symbol; in raw units of the address, if the token is unknown.
fn amount(raw: &Value, meta: &Value, token: &Value) -> String {
    let raw = raw.as_str().unwrap_or_default();
    let decimals = meta["decimals"].as_u64().and_then(|decimals| u8::try_from(decimals).ok());
    match (decimals, meta["symbol"].as_str()) {
        (Some(decimals), Some(symbol)) => format!("{} {symbol}", units::format_amount(raw, decimals)),
        _ => format!("{raw} of {}", token.as_str().unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn orders_are_listed_with_symbols_and_the_next_page() {
        let answer = json!({
            "data": [{
                "id": "0f", "status": "filled", "fromChainId": 1, "toChainId": 10, "fromToken": "0xa", "toToken": "0xb",
                "srcAmount": "2500000", "destAmount": "7", "fromTokenMeta": { "symbol": "USDC", "decimals": 6 },
                "toTokenMeta": null, "providerStatus": { "provider": "north" }, "createdAt": "2026-11-16T00:00:00Z",
            }],
            "cursor": 41,
        });
        let shown = format_orders(&answer, &Directory::default());
        for part in ["2.5 USDC  chain 1", "7 of 0xb  chain 10", "north", "more: --cursor 41"] {
            assert!(shown.contains(part), "{part} is missing in\n{shown}");
        }
        assert_eq!(
            format_orders(&json!({ "data": [], "cursor": null }), &Directory::default()),
            "no such orders"
        );
    }
}
