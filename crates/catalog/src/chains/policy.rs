use causeway_domain::{
    Address, ChainPolicy, EvmPolicy, Family, FinalityPolicy, FinalityRule, FinalityTag, UsdAmount,
};
use serde::Deserialize;

/// `[chain.policy]`, which every chain has.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PolicyColumns {
    deposit_seconds: u32,
    fill_seconds: u32,
    order_cap_usd: NumberOrNone,
}

/// `[chain.evm]`, which every EVM chain has.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EvmColumns {
    small_deposits: FinalityColumn,
    attestations: FinalityColumn,
    large_amounts: FinalityColumn,
    fallback_depth: NumberOrNone,
    send_depth: u64,
    max_fee_gwei: u32,
    min_tip_wei: u64,
    gas_factor: u8,
    permit2: String,
    multicall3: String,
    zksync_vm: bool,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(untagged, expecting = "expected a number of blocks, \"safe\" or \"finalized\"")]
enum FinalityColumn {
    Depth(u64),
    Tag(TagColumn),
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum TagColumn {
    Safe,
    Finalized,
}

/// An absent column is an error, so "none" is written out.
#[derive(Clone, Copy, Deserialize)]
#[serde(untagged, expecting = "expected a whole number or \"none\"")]
enum NumberOrNone {
    Number(u64),
    None(NoneColumn),
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum NoneColumn {
    None,
}

impl NumberOrNone {
    const fn number(self) -> Option<u64> {
        match self {
            Self::Number(number) => Some(number),
            Self::None(NoneColumn::None) => None,
        }
    }
}

const GWEI: u128 = 1_000_000_000;

/// The policy from its columns; the error says what is wrong with them.
pub(super) fn read_policy(
    family: Family,
    policy: &PolicyColumns,
    evm: Option<&EvmColumns>,
) -> Result<ChainPolicy, String> {
    let evm = match (family, evm) {
        (Family::Evm, Some(evm)) => Some(evm.read()?),
        (Family::Solana | Family::Bitcoin | Family::Tron, None) => None,
        (Family::Evm, None) => return Err("an EVM chain needs the table `evm`".to_owned()),
        (_, Some(_)) => return Err("only EVM chains have the table `evm`".to_owned()),
    };
    let order_cap = policy.order_cap_usd.number().map(dollars).transpose()?;
    if order_cap.is_none() && evm.is_some_and(|evm| is_depth(evm.finality.large_amounts)) {
        return Err("`order_cap_usd` cannot be none where finality is block depth alone".to_owned());
    }
    let &PolicyColumns { deposit_seconds, fill_seconds, .. } = policy;
    Ok(ChainPolicy { deposit_seconds, fill_seconds, order_cap, evm })
}

fn dollars(dollars: u64) -> Result<UsdAmount, String> {
    dollars.to_string().parse().map_err(|error| format!("`order_cap_usd`: {error}"))
}

const fn is_depth(rule: FinalityRule) -> bool {
    matches!(rule, FinalityRule::Depth(_))
}

impl EvmColumns {
    fn read(&self) -> Result<EvmPolicy, String> {
        let fallback_depth = self.fallback_depth.number();
        let rule = |column| match column {
            FinalityColumn::Depth(depth) => FinalityRule::Depth(depth),
            FinalityColumn::Tag(TagColumn::Safe) => {
                FinalityRule::Tag { tag: FinalityTag::Safe, fallback_depth }
            }
            FinalityColumn::Tag(TagColumn::Finalized) => {
                FinalityRule::Tag { tag: FinalityTag::Finalized, fallback_depth }
            }
        };
        let address = |column: &str, text: &str| match Address::parse(Family::Evm, text) {
            Ok(Address::Evm(address)) => Ok(address),
            Ok(_) => Err(format!("`{column}` is not an EVM address")),
            Err(error) => Err(format!("`{column}`: {error}")),
        };
        if self.gas_factor == 0 {
            return Err("`gas_factor` is at least 1".to_owned());
        }
        Ok(EvmPolicy {
            finality: FinalityPolicy {
                small_deposits: rule(self.small_deposits),
                attestations: rule(self.attestations),
                large_amounts: rule(self.large_amounts),
            },
            send_depth: self.send_depth,
            max_fee_per_gas: u128::from(self.max_fee_gwei) * GWEI,
            min_priority_fee: self.min_tip_wei.into(),
            gas_factor: self.gas_factor,
            permit2: address("permit2", &self.permit2)?,
            multicall3: address("multicall3", &self.multicall3)?,
            zksync_vm: self.zksync_vm,
        })
    }
}
