use causeway_domain::ports::StoreError;
use causeway_domain::{CustodyNotice, ProviderOrder, ProviderTerms, Slippage};
use serde::{Deserialize, Serialize};

use super::{Plain, address, corrupt, json, parse_with, text};

const COLUMN: &str = "orders.provider";

/// What an order says of the provider that settles it, as the JSON in its row.
#[derive(Serialize, Deserialize)]
struct ProviderRecord {
    tool: String,
    slippage: u32,
    held_by: String,
    refunds: String,
    target: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    spender: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    word: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    named_deposit: Option<String>,
}

pub(super) fn provider_text(provider: &ProviderOrder) -> String {
    json(&ProviderRecord {
        tool: text(&provider.terms.tool),
        slippage: provider.terms.slippage.millionths(),
        held_by: text(&provider.notice.held_by),
        refunds: text(&provider.notice.refunds),
        target: Plain(provider.target).to_string(),
        spender: provider.spender.map(|spender| Plain(spender).to_string()),
        word: provider.word.as_deref().map(text),
        named_deposit: provider.named_deposit.as_deref().map(text),
    })
}

pub(super) fn read_provider(json: &str) -> Result<ProviderOrder, StoreError> {
    let record: ProviderRecord = serde_json::from_str(json).map_err(|_| corrupt(COLUMN, json))?;
    let slippage = |_: &str| Slippage::from_millionths(record.slippage);
    let slippage = parse_with(COLUMN, &record.slippage.to_string(), slippage)?;
    Ok(ProviderOrder {
        terms: ProviderTerms { tool: record.tool, slippage },
        notice: CustodyNotice { held_by: record.held_by, refunds: record.refunds },
        target: address(COLUMN, &record.target)?,
        spender: record.spender.map(|text| address(COLUMN, &text)).transpose()?,
        word: record.word,
        named_deposit: record.named_deposit,
        joined: None,
    })
}

#[cfg(test)]
mod tests {
    use causeway_domain::{Address, BitcoinAddress};
    use proptest::prelude::*;

    use super::*;

    prop_compose! {
        fn any_provider()(
            tool in "[a-zA-Z]{1,64}",
            slippage in 0..=500_000_u32,
            texts in ("[^\0]{0,40}", "[^\0]{0,40}"),
            target in any::<[u8; 20]>(),
            on_bitcoin in any::<bool>(),
            named_deposit in prop::option::of("[0-9a-f]{64}"),
            spender in prop::option::of(any::<[u8; 20]>()),
            word in prop::option::of("[A-Z_]{1,80}"),
        ) -> ProviderOrder {
            ProviderOrder {
                terms: ProviderTerms { tool, slippage: Slippage::from_millionths(slippage).unwrap() },
                notice: CustodyNotice { held_by: texts.0, refunds: texts.1 },
                target: if on_bitcoin {
                    Address::Bitcoin(BitcoinAddress::WitnessKeyHash(target))
                } else {
                    Address::Evm(target.into())
                },
                named_deposit,
                joined: None,
                spender: spender.map(|bytes| Address::Evm(bytes.into())),
                word,
            }
        }
    }

    proptest! {
        #[test]
        fn a_provider_reads_back(provider in any_provider()) {
            prop_assert_eq!(read_provider(&provider_text(&provider)).unwrap(), provider);
        }

        #[test]
        fn any_text_is_read_or_refused_without_panic(text in "\\PC{0,60}") {
            let _ = read_provider(&text);
        }
    }
}
