//! Who paid to a deposit address.

use alloy_primitives::{Address as EvmAddress, B256, U64, U256};
use causeway_domain::ports::KnownPayers;
use causeway_domain::{Address, RawAmount};
use serde::Deserialize;
use serde_json::json;

use super::watch::EvmAddressWatch;
use crate::blocks::Log;
use crate::error::CallError;
use crate::rpc::Call;

/// How many blocks are searched for transfers of a token, and how many at once.
const TOKEN_BLOCKS: u64 = 50_000;
const TOKEN_BLOCKS_AT_ONCE: u64 = 2_000;
/// The same for a native coin, whose blocks are read in full.
const COIN_BLOCKS: u64 = 256;
const COIN_BLOCKS_AT_ONCE: u64 = 8;
/// How many payments are looked at: anybody may send many small ones.
const MAX_PAYMENTS: usize = 64;

/// A payment whose transaction is not looked at yet.
struct Payment {
    tx: B256,
    /// Of a token: from whose balance it came.
    from: Option<EvmAddress>,
    amount: U256,
}

#[derive(Deserialize)]
struct Signed {
    from: EvmAddress,
    /// 1 on success.
    status: U64,
}

fn sum(payments: &[Payment]) -> U256 {
    payments.iter().fold(U256::ZERO, |sum, payment| sum.saturating_add(payment.amount))
}

/// The ranges of `at_once` blocks up to `until`, the newest first.
fn ranges(until: u64, blocks: u64, at_once: u64) -> impl Iterator<Item = (u64, u64)> {
    (0..blocks / at_once).map_while(move |step| {
        let last = until.checked_sub(step * at_once)?;
        Some((last.saturating_sub(at_once - 1), last))
    })
}

impl EvmAddressWatch {
    pub(super) async fn payers_of(
        &self,
        to: EvmAddress,
        token: EvmAddress,
        until: u64,
        amount: U256,
    ) -> Result<KnownPayers, CallError> {
        let is_coin = token.is_zero();
        let (blocks, at_once) =
            if is_coin { (COIN_BLOCKS, COIN_BLOCKS_AT_ONCE) } else { (TOKEN_BLOCKS, TOKEN_BLOCKS_AT_ONCE) };
        let mut payments = Vec::new();
        for range in ranges(until, blocks, at_once) {
            if is_coin {
                let sent = self.payments_of_coins(to, range).await?;
                let payment =
                    |sent: super::watch::Sent| Payment { tx: sent.hash, from: None, amount: sent.value };
                payments.extend(sent.into_iter().map(payment));
            } else {
                let transfers = self.transfers(to, token, range, |_| false).await?;
                payments.extend(transfers.iter().map(transfer));
            }
            if payments.len() >= MAX_PAYMENTS || sum(&payments) >= amount {
                break;
            }
        }
        payments.retain(|payment| !payment.amount.is_zero());
        payments.truncate(MAX_PAYMENTS);
        self.signers(&payments).await
    }

    /// Payments in transactions that are not found, or that failed, are nobody's.
    async fn signers(&self, payments: &[Payment]) -> Result<KnownPayers, CallError> {
        let receipt = |payment: &Payment| Call::new("eth_getTransactionReceipt", json!([payment.tx]));
        let calls: Vec<Call> = payments.iter().map(receipt).collect();
        let (mut wallets, mut amount) = (Vec::new(), U256::ZERO);
        for (payment, receipt) in payments.iter().zip(self.client().batch::<Option<Signed>>(&calls).await) {
            let Some(receipt) = receipt?.filter(|receipt| receipt.status.to::<u64>() == 1) else { continue };
            wallets.extend(std::iter::once(receipt.from).chain(payment.from).map(Address::Evm));
            amount = amount.saturating_add(payment.amount);
        }
        Ok(KnownPayers { wallets, amount: RawAmount::new(amount) })
    }
}

fn transfer(log: &Log) -> Payment {
    let from = log.topics.get(1).map(|word| EvmAddress::from_word(*word));
    let amount = U256::try_from_be_slice(&log.data).unwrap_or_default();
    Payment { tx: log.transaction_hash, from, amount }
}

#[cfg(test)]
mod tests {
    use super::ranges;

    #[test]
    fn ranges_go_backwards_without_gaps_and_end_at_the_first_block() {
        assert_eq!(ranges(100, 24, 8).collect::<Vec<_>>(), [(93, 100), (85, 92), (77, 84)]);
        assert_eq!(ranges(9, 256, 8).collect::<Vec<_>>(), [(2, 9), (0, 1)]);
        assert_eq!(ranges(0, 256, 8).collect::<Vec<_>>(), [(0, 0)]);
    }
}
