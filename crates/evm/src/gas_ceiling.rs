//! The most gas that each kind of our transactions may take (rule 25): twice the most expensive case of the contracts' gas
//! snapshots. What needs more is refused before anything is signed, so that nobody can make us pay for their own code.

/// The largest transaction that Ethereum takes (EIP-7825). No chain that we serve has a lower limit for a transaction or a block.
pub(crate) const MAX_TX_GAS: u64 = 1 << 24;

pub(crate) const OPEN_FOR: u64 = 2 * 123_377;
pub(crate) const SWEEP: u64 = 2 * 162_043;
pub(crate) const FORWARD: u64 = 2 * 169_007;
pub(crate) const RETURN: u64 = 2 * 107_571;
pub(crate) const FILL_NATIVE: u64 = 2 * 88_463;
pub(crate) const FILL_TOKEN: u64 = 2 * 84_661;
pub(crate) const FILL_VAULT: u64 = 2 * 168_339;
pub(crate) const REFUND: u64 = 2 * 50_061;
const CLAIM: u64 = 2 * 80_692;
const REFUND_UNFILLED: u64 = 2 * 71_211;

// The snapshots have no case for these.
/// An allowance of a token behind a proxy.
pub(crate) const APPROVE: u64 = 120_000;
/// A plain transfer of native coin, to a deposit address at most.
pub(crate) const PAY_NATIVE: u64 = 2 * 25_000;
/// A transfer of a token costs no more than a fill in it.
pub(crate) const PAY_TOKEN: u64 = FILL_TOKEN;
/// The call, and one entry of the intent book.
const RECORD_BASE: u64 = 60_000;
const RECORD_ENTRY: u64 = 120_000;

/// The snapshots of claims have this many signatures; each one more costs a recovery and its data.
const SNAPSHOT_SIGNATURES: usize = 2;
const SIGNATURE: u64 = 2 * 8_000;

pub(crate) fn claim(signatures: usize) -> u64 {
    CLAIM.saturating_add(more_signatures(signatures))
}

/// A batch shares the call and the signatures, and pays each payee once; its referrers are paid one by one.
pub(crate) fn claim_batch(orders: usize, signatures: usize) -> u64 {
    CLAIM.saturating_mul(number(orders)).saturating_add(more_signatures(signatures))
}

pub(crate) fn refund_unfilled(signatures: usize) -> u64 {
    REFUND_UNFILLED.saturating_add(more_signatures(signatures))
}

pub(crate) fn record(entries: usize) -> u64 {
    RECORD_ENTRY.saturating_mul(number(entries)).saturating_add(RECORD_BASE)
}

fn more_signatures(signatures: usize) -> u64 {
    SIGNATURE.saturating_mul(number(signatures.saturating_sub(SNAPSHOT_SIGNATURES)))
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// The gas limits of one transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GasLimits {
    /// What the contract requires, whatever the estimate is.
    pub min: u64,
    /// The ceiling on a chain that meters gas as Ethereum does.
    pub max: u64,
}

impl GasLimits {
    pub(crate) const fn up_to(max: u64) -> Self {
        Self { min: 0, max }
    }

    /// The ceiling on a chain that takes up to `factor` times as much gas as Ethereum for the same call.
    pub(crate) fn ceiling(self, factor: u8) -> u64 {
        self.max.saturating_mul(factor.max(1).into()).max(self.min).min(MAX_TX_GAS)
    }
}

impl Default for GasLimits {
    /// Only the limit of the chain.
    fn default() -> Self {
        Self::up_to(MAX_TX_GAS)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn snapshots() -> BTreeMap<String, u64> {
        let mut all = BTreeMap::new();
        for text in [
            include_str!("../../../contracts/evm/snapshots/settlement.json"),
            include_str!("../../../contracts/evm/snapshots/deposit.json"),
        ] {
            let file: BTreeMap<String, String> = serde_json::from_str(text).unwrap();
            all.extend(file.into_iter().map(|(name, gas)| (name, gas.parse().unwrap())));
        }
        all
    }

    #[test]
    fn rule_25_ceilings_are_twice_the_dearest_snapshot_of_their_kind() {
        let snapshots = snapshots();
        let dearest = |kinds: &[&str]| {
            let of_kind = |name: &str| kinds.iter().any(|kind| name.starts_with(kind));
            let dearest = snapshots.iter().filter(|(name, _)| of_kind(name)).map(|(_, gas)| gas).max();
            *dearest.unwrap_or_else(|| panic!("no snapshot of {kinds:?}"))
        };
        for (kinds, ceiling) in [
            (["openFor", "openWith"].as_slice(), OPEN_FOR),
            (&["sweep"], SWEEP),
            (&["jump"], FORWARD),
            (&["giveBack"], RETURN),
            (&["fill, native"], FILL_NATIVE),
            (&["fill, ERC-20"], FILL_TOKEN),
            (&["fill, ERC-4626"], FILL_VAULT),
            (&["refund, "], REFUND),
            (&["claim, "], claim(2)),
            (&["refund unfilled"], refund_unfilled(2)),
        ] {
            assert_eq!(ceiling, 2 * dearest(kinds), "{kinds:?}");
        }
    }

    #[test]
    fn rule_25_no_ceiling_exceeds_the_limit_of_a_chain() {
        assert_eq!(GasLimits::up_to(FILL_NATIVE).ceiling(1), FILL_NATIVE);
        assert_eq!(GasLimits::up_to(FILL_NATIVE).ceiling(20), 20 * FILL_NATIVE);
        assert_eq!(GasLimits::up_to(FILL_NATIVE).ceiling(255), MAX_TX_GAS);
        assert_eq!(GasLimits { min: 500_000, max: RETURN }.ceiling(1), 500_000);
        assert_eq!(GasLimits { min: u64::MAX, max: u64::MAX }.ceiling(0), MAX_TX_GAS);
        assert_eq!(claim(usize::MAX), u64::MAX);
        assert!(claim(5) > claim(2) && record(3) > record(1));
    }
}
