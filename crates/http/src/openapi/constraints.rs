//! What the parsers of requests demand beyond types: ranges, patterns, formats, and which field depends on which.
//!
//! A document that says less lets generated clients send what is refused. `tests/api` sends what the document allows and
//! what it forbids.

use causeway_domain::fiat::FiatCurrency;
use causeway_domain::{BITCOIN_CHAIN_ID, SOLANA_CHAIN_ID, TRON_CHAIN_ID};
use serde_json::{Map, Value, json};
use utoipa::openapi::path::Parameter;
use utoipa::openapi::schema::Object;
use utoipa::openapi::{OpenApi as Document, RefOr, Schema};

use super::operations;
use crate::page;

/// The largest integer that a JSON number represents exactly.
const MAX_INTEGER: u64 = (1 << 53) - 1;
/// Positive raw units. The largest amounts have 78 digits; every amount of 77 digits fits.
const AMOUNT: &str = "^[1-9][0-9]{0,76}$";
const EVM_ADDRESS: &str = "^0[xX][0-9a-fA-F]{40}$";
const SOLANA_ADDRESS: &str = "^[1-9A-HJ-NP-Za-km-z]{32,44}$";
/// Of any family; in mixed case an EVM address has its EIP-55 checksum.
const ADDRESS: &str = "^(0[xX][0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{25,44}|[bB][cC]1[02-9a-zA-Z]{11,87})$";
/// Of a chain that swaps only begin on.
const SOURCE_ADDRESS: &str = "^([13T][1-9A-HJ-NP-Za-km-z]{24,34}|[bB][cC]1[02-9a-zA-Z]{11,87})$";
/// A transaction that was submitted: also a hash of Bitcoin or Tron.
const SUBMITTED: &str = "^(0[xX][0-9a-fA-F]{64}|[1-9A-HJ-NP-Za-km-z]{64,88}|[0-9a-fA-F]{64})$";
/// A hash of an EVM chain or a signature of Solana.
const TRANSACTION: &str = "^(0[xX][0-9a-fA-F]{64}|[1-9A-HJ-NP-Za-km-z]{64,88})$";
const ORDER_ID: &str = "^[0-9a-f]{32,64}$";
const PROVIDER: &str = "^[A-Za-z0-9_-]{1,64}$";
/// At least one character that is no space.
const FILLED: &str = "[^\\s]";

/// Adds the constraints to the parameters and to the schemas of request bodies.
pub(super) fn add(document: &mut Document) {
    for operation in operations(document) {
        let id = operation.operation_id.as_deref().unwrap_or_default();
        for parameter in operation.parameters.iter_mut().flatten() {
            if let RefOr::T(parameter) = parameter {
                add_to_parameter(id, parameter);
            }
        }
    }
    let Some(components) = &mut document.components else { return };
    for (name, constraints) in schemas() {
        if let Some(RefOr::T(Schema::Object(schema))) = components.schemas.get_mut(name) {
            add_to_object(schema, constraints);
        }
    }
}

/// Replaces the schema of a parameter whose name has constraints; a name means the same in every operation,
/// except for what is searched.
fn add_to_parameter(operation: &str, parameter: &mut Parameter) {
    let own = (operation == "search_orders" && parameter.name == "q").then(search_term);
    let Some(schema) = own.or_else(|| parameter_schema(&parameter.name)) else { return };
    let mut edited = serde_json::to_value(&*parameter).unwrap_or_default();
    if schema["type"] == "array" {
        (edited["style"], edited["explode"]) = ("form".into(), false.into());
        let is_number = schema["items"]["type"] == "integer";
        let item = |text: &str| {
            let number = text.parse::<u64>().ok().filter(|_| is_number);
            number.map_or_else(|| text.into(), Value::from)
        };
        if let Some(example) = edited["example"].as_str() {
            edited["example"] = example.split(',').map(item).collect();
        }
    }
    edited["schema"] = schema;
    if let Ok(edited) = serde_json::from_value(edited) {
        *parameter = edited;
    }
}

/// Merges `properties` into those of the schema; what depends on what has no typed form and is added as it is.
fn add_to_object(schema: &mut Object, constraints: Value) {
    let Value::Object(mut constraints) = constraints else { return };
    if let Some(Value::Object(fields)) = constraints.remove("properties") {
        for (field, patch) in fields {
            let Some(property) = schema.properties.get_mut(&field) else { continue };
            let mut merged = serde_json::to_value(&*property).unwrap_or_default();
            merge(&mut merged, patch);
            if let Ok(merged) = serde_json::from_value(merged) {
                *property = merged;
            }
        }
    }
    schema.extensions.get_or_insert_default().extend(constraints);
}

fn chain_id() -> Value {
    json!({ "type": "integer", "format": "int64", "minimum": 1, "maximum": MAX_INTEGER })
}

/// A transaction, an address, or the id of an order.
fn search_term() -> Value {
    let pattern = format!("({TRANSACTION}|{ADDRESS}|{ORDER_ID})");
    json!({ "type": "string", "format": "search-term", "pattern": pattern })
}

fn parameter_schema(name: &str) -> Option<Value> {
    let text = |pattern: &str| json!({ "type": "string", "pattern": pattern });
    Some(match name {
        // Above the maximum it is clamped.
        "limit" => json!({ "type": "integer", "minimum": 1 }),
        "cursor" | "Last-Event-ID" => {
            json!({ "type": "integer", "format": "int64", "minimum": 0, "maximum": MAX_INTEGER })
        }
        "chainId" | "fromChainId" | "toChainId" => chain_id(),
        "chainIds" => json!({ "type": "array", "items": chain_id() }),
        "orderIds" => json!({ "type": "array", "items": text(ORDER_ID), "maxItems": page::MAX }),
        "orderId" => text(ORDER_ID),
        "intentId" => text("^0[xX][0-9a-fA-F]{64}$"),
        "address" | "author" => json!({ "type": "string", "format": "address", "pattern": ADDRESS }),
        "txHash" => json!({ "type": "string", "format": "transaction-id", "pattern": TRANSACTION }),
        "name" => text("^[A-Za-z0-9._-]{1,64}$"),
        "provider" => text(PROVIDER),
        "keyword" => json!({ "type": "string", "minLength": 1, "maxLength": 256 }),
        "q" => json!({ "type": "string", "maxLength": 256, "pattern": "^[^\\x00-\\x1f\\x7f-\\x9f]*$" }),
        "mode" => json!({ "type": "string", "enum": ["stream"] }),
        "status" => json!({
            "type": "string",
            "enum": ["created", "pending", "processing", "completed", "failed", "canceled", "expired"],
        }),
        "content" => json!({ "type": "string", "maxLength": 2048, "pattern": FILLED }),
        // Whatever is no number means the default.
        "size" => json!({ "type": ["integer", "string"] }),
        "theme" => json!({ "type": "string", "enum": ["light", "dark", ""] }),
        "margin" => json!({ "type": "integer", "format": "int32", "minimum": 0, "maximum": 16 }),
        "amount" | "recipient" | "caip2" | "token" => {
            json!({ "type": "string", "maxLength": 2048, "pattern": FILLED })
        }
        "decimals" => json!({ "type": "integer", "format": "int32", "minimum": 0, "maximum": 36 }),
        _ => return None,
    })
}

/// The constraints of request bodies, to be merged into the schemas of these names.
fn schemas() -> [(&'static str, Value); 6] {
    let address = || json!({ "format": "address", "pattern": ADDRESS });
    [
        ("QuoteAsk", quote_ask()),
        ("BuildAsk", properties(&["from", "recipient", "refundTo"], &address())),
        ("SubmitAsk", submit_ask()),
        ("FiatAsset", json!({ "properties": { "chainId": chain_id() } })),
        ("FiatQuoteAsk", fiat_quote_ask()),
        ("FiatOrderAsk", fiat_order_ask(&address())),
    ]
}

fn quote_ask() -> Value {
    let is_solana = |chain: &str| json!({ "properties": { chain: { "const": SOLANA_CHAIN_ID.get() } }, "required": [chain] });
    let [from_solana, to_solana] = ["fromChainId", "toChainId"].map(is_solana);
    json!({
        "properties": {
            "fromChainId": chain_id(),
            "toChainId": chain_id(),
            "amount": { "pattern": AMOUNT },
            "slippageTolerance": { "minimum": 0, "maximum": 0.5 },
            "referrerFeeBps": { "minimum": 0, "maximum": 1000 },
            "depositWithin": { "minimum": 600, "maximum": 86_400 },
        },
        "allOf": [
            // Apart from the fields' own schemas, so that generated types stay strings.
            { "properties": {
                "tradeType": { "enum": ["EXACT_INPUT", "EXACT_OUTPUT"] },
                "depositMethods": { "items": { "enum": ["CONTRACT_CALL", "PERMIT2", "AUTHORIZATION", "PERMIT", "TRANSFER"] } },
            } },
            addresses_by_chain(&from_solana, &["fromToken", "fromAddress", "refundTo", "referrer"]),
            addresses_by_chain(&to_solana, &["toToken", "recipient"]),
            // A fee has a recipient.
            {
                "if": { "required": ["referrerFeeBps"], "properties": { "referrerFeeBps": { "type": "integer", "minimum": 1 } } },
                "then": given("referrer"),
            },
            // Whoever pays there may be an exchange, which takes nothing back.
            {
                "if": is_source(),
                "then": { "allOf": [given("recipient"), given("refundTo")] },
            },
            // The sender is no recipient on a chain of the other family.
            {
                "if": { "oneOf": [from_solana, to_solana] },
                "then": given("recipient"),
            },
        ],
    })
}

/// Exactly one proof.
fn submit_ask() -> Value {
    let proofs = ["txHash", "signedTransaction", "signature"];
    let only = |proof: &str| {
        let others = proofs.into_iter().filter(|other| *other != proof);
        only_one(proof, &others.collect::<Vec<_>>())
    };
    json!({
        "properties": {
            "txHash": { "format": "transaction-id", "pattern": SUBMITTED },
            "signedTransaction": {
                "format": "signed-transaction",
                "pattern": "^(0[xX]([0-9a-fA-F]{2})+|([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{4}))$",
            },
            "signature": { "pattern": "^0[xX]([0-9a-fA-F]{2})+$" },
        },
        "oneOf": proofs.map(only),
    })
}

fn fiat_quote_ask() -> Value {
    let codes = |digits: &[u8]| -> Vec<&str> {
        FiatCurrency::codes().filter(|(_, has)| digits.contains(has)).map(|(code, _)| code).collect()
    };
    let solana = SOLANA_CHAIN_ID.get();
    let mut by_chain = addresses_by_chain(
        &json!({ "anyOf": [
            { "required": ["toChainId"], "properties": { "toChainId": { "const": solana } } },
            {
                "required": ["outputAsset"],
                "properties": {
                    "outputAsset": { "type": "object", "required": ["chainId"], "properties": { "chainId": { "const": solana } } },
                },
            },
        ] }),
        &["toToken", "recipient", "walletAddress", "refundTo"],
    );
    for branch in ["then", "else"] {
        let address = by_chain[branch]["properties"]["toToken"].clone();
        by_chain[branch]["properties"]["outputAsset"] = json!({ "properties": { "address": address } });
    }
    json!({
        "properties": {
            "fiatAmount": { "pattern": "^([1-9][0-9]{0,11}([.][0-9]{1,3})?|0[.]([1-9][0-9]{0,2}|0[1-9][0-9]?|00[1-9]))$" },
            "cryptoAmount": { "pattern": AMOUNT },
            "toChainId": { "minimum": 1, "maximum": MAX_INTEGER },
            "provider": { "pattern": PROVIDER },
            "paymentMethod": { "pattern": PROVIDER },
            "slippageBps": { "minimum": 0, "maximum": 5000 },
            "country": { "pattern": "^[A-Z]{2}(-[A-Z0-9]{1,3})?$" },
        },
        "allOf": [
            { "properties": { "fiatCurrency": { "enum": codes(&[0, 2, 3]) } } },
            { "oneOf": [only_one("fiatAmount", &["cryptoAmount"]), only_one("cryptoAmount", &["fiatAmount"])] },
            { "oneOf": [only_one("recipient", &["walletAddress"]), only_one("walletAddress", &["recipient"])] },
            { "oneOf": [
                {
                    "required": ["toChainId", "toToken"],
                    "properties": {
                        "toChainId": { "type": "integer" }, "toToken": { "type": "string" }, "outputAsset": { "type": "null" },
                    },
                },
                {
                    "required": ["outputAsset"],
                    "properties": {
                        "outputAsset": { "type": "object" }, "toChainId": { "type": "null" }, "toToken": { "type": "null" },
                    },
                },
            ] },
            by_chain,
            // As many digits after the point as the currency has.
            {
                "if": { "properties": { "fiatCurrency": { "enum": codes(&[0]) } } },
                "then": { "properties": { "fiatAmount": { "pattern": "^[0-9]+$" } } },
            },
            {
                "if": { "properties": { "fiatCurrency": { "enum": codes(&[2]) } } },
                "then": { "properties": { "fiatAmount": { "pattern": "^[0-9]+([.][0-9]{1,2})?$" } } },
            },
        ],
    })
}

/// The author stands in its own field, in the metadata, or in both.
fn fiat_order_ask(address: &Value) -> Value {
    let mut author = address.clone();
    author["type"] = json!(["string", "null"]);
    json!({
        "properties": {
            "author": address,
            "refundTo": address,
            "routeId": { "pattern": "^[A-Za-z0-9._-]+$" },
        },
        "allOf": [{ "properties": { "metadata": { "properties": { "author": author } } } }],
        "anyOf": [
            given("author"),
            { "required": ["metadata"], "properties": { "metadata": {
                "type": "object", "required": ["author"], "properties": { "author": { "type": "string" } },
            } } },
        ],
    })
}

/// The fields are addresses of Solana if the condition holds, of a source-only chain if the source is one, and of EVM chains
/// otherwise.
fn addresses_by_chain(is_solana: &Value, fields: &[&str]) -> Value {
    let evm = json!({ "format": "evm-address", "pattern": EVM_ADDRESS });
    let solana = json!({ "format": "solana-address", "pattern": SOLANA_ADDRESS });
    let elsewhere = json!({ "format": "source-address", "pattern": SOURCE_ADDRESS });
    let is_source = is_source();
    let is_one = fields.contains(&"fromToken");
    let others = if is_one {
        json!({ "if": is_source, "then": properties(fields, &elsewhere), "else": properties(fields, &evm) })
    } else {
        properties(fields, &evm)
    };
    json!({ "if": is_solana, "then": properties(fields, &solana), "else": others })
}

/// Whether the swap begins on a chain that swaps only begin on.
fn is_source() -> Value {
    let ids = [BITCOIN_CHAIN_ID.get(), TRON_CHAIN_ID.get()];
    json!({ "properties": { "fromChainId": { "enum": ids } }, "required": ["fromChainId"] })
}

/// The field has a value.
fn given(field: &str) -> Value {
    json!({ "required": [field], "properties": { field: { "type": "string" } } })
}

/// The field has a value and the others have none; `null` is no value.
fn only_one(field: &str, others: &[&str]) -> Value {
    let mut only = properties(others, &json!({ "type": "null" }));
    merge(&mut only, given(field));
    only
}

fn properties(fields: &[&str], schema: &Value) -> Value {
    let fields: Map<String, Value> =
        fields.iter().map(|field| ((*field).to_owned(), schema.clone())).collect();
    json!({ "properties": fields })
}

/// Adds what the patch has; objects are merged, all else is replaced.
fn merge(into: &mut Value, patch: Value) {
    match (into, patch) {
        (Value::Object(into), Value::Object(patch)) => {
            for (key, value) in patch {
                merge(into.entry(key).or_insert(Value::Null), value);
            }
        }
        (into, patch) => *into = patch,
    }
}
