//! Who paid to a deposit address.

use std::collections::HashSet;

use alloy_primitives::{Address as EvmAddress, B256, U64, U256};
use causeway_domain::ports::KnownPayers;
use causeway_domain::{Address, RawAmount};
use causeway_jsonrpc_client::prevailing;
use serde::Deserialize;
use serde_json::{Value, json};

use super::watch::{EvmAddressWatch, Sent, is_transfer};
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

/// A payment that an endpoint shows, and whose transaction is not looked at yet.
struct Payment {
    tx: B256,
    /// Of a token: from whose balance it came.
    from: Option<EvmAddress>,
    /// Of a token: the place of its transfer among the logs of the block.
    log: Option<u64>,
    amount: U256,
}

/// What an endpoint says of a payment's transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    signer: EvmAddress,
    /// Whether the transaction succeeded and made this payment.
    has_paid: bool,
}

#[derive(Deserialize)]
struct Signed {
    from: EvmAddress,
    /// 1 on success.
    status: U64,
    logs: Vec<Log>,
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
                    |sent: Sent| Payment { tx: sent.hash, from: None, log: None, amount: sent.value };
                payments.extend(sent.into_iter().map(payment));
            } else {
                let transfers = self.transfers(to, token, range, |_| false).await?;
                payments.extend(transfers.iter().map(transfer));
            }
            if payments.len() >= MAX_PAYMENTS || sum(&payments) >= amount {
                break;
            }
        }
        // A node may list the same payment twice.
        let mut known = HashSet::new();
        payments.retain(|payment| !payment.amount.is_zero() && known.insert((payment.tx, payment.log)));
        payments.truncate(MAX_PAYMENTS);
        self.signers((to, token), &payments).await
    }

    /// Payments in transactions that are not found, or that failed, are nobody's; so are those that too few endpoints show
    /// (rule 27): one alone could name a listed wallet, or another one in its place.
    async fn signers(
        &self,
        (to, token): (EvmAddress, EvmAddress),
        payments: &[Payment],
    ) -> Result<KnownPayers, CallError> {
        let client = self.client();
        let (mut wallets, mut amount) = (Vec::new(), U256::ZERO);
        for part in payments.chunks((client.config().pool.max_batch_calls.get() / 2).max(1)) {
            let calls: Vec<Call> = part.iter().flat_map(|payment| calls(payment.tx)).collect();
            let asked = client.ask_all::<Value>(&calls).await;
            for (place, payment) in part.iter().enumerate() {
                let mut fault = None;
                let seen: Vec<_> = asked
                    .iter()
                    .map(|one| {
                        let mut answers = one.answers.iter().skip(place * 2);
                        let mut next = || match answers.next()? {
                            Ok(answer) => Some(answer),
                            Err(error) => {
                                fault = Some(error.clone());
                                None
                            }
                        };
                        let seen = next().zip(next()).and_then(|both| payment.seen((to, token), both));
                        (one.trusted, seen)
                    })
                    .collect();
                match (prevailing(client.quorum(), seen), fault) {
                    (Some(Seen { signer, has_paid: true }), _) => {
                        wallets.extend(std::iter::once(signer).chain(payment.from).map(Address::Evm));
                        amount = amount.saturating_add(payment.amount);
                    }
                    (None, Some(error)) => return Err(error),
                    (Some(Seen { has_paid: false, .. }) | None, _) => {
                        let (chain, tx) = (client.chain_id(), payment.tx);
                        tracing::warn!(%chain, %tx, "too few endpoints show a payment alike");
                    }
                }
            }
        }
        Ok(KnownPayers { wallets, amount: RawAmount::new(amount) })
    }
}

fn calls(tx: B256) -> [Call; 2] {
    ["eth_getTransactionReceipt", "eth_getTransactionByHash"].map(|method| Call::new(method, json!([tx])))
}

impl Payment {
    /// What an endpoint says of it, by the receipt and the transaction; nothing where it does not know them.
    fn seen(&self, (to, token): (EvmAddress, EvmAddress), (receipt, sent): (&Value, &Value)) -> Option<Seen> {
        let receipt = Signed::deserialize(receipt).ok()?;
        let has_paid = match self.log {
            Some(index) => receipt.logs.iter().any(|log| {
                log.index == index && is_transfer(log, to, token) && {
                    let shown = transfer(log);
                    (shown.tx, shown.from, shown.amount) == (self.tx, self.from, self.amount)
                }
            }),
            None => Sent::deserialize(sent).is_ok_and(|sent| sent.pays(to) && sent.value == self.amount),
        };
        Some(Seen { signer: receipt.from, has_paid: has_paid && receipt.status.to::<u64>() == 1 })
    }
}

fn transfer(log: &Log) -> Payment {
    let from = log.topics.get(1).map(|word| EvmAddress::from_word(*word));
    let amount = U256::try_from_be_slice(&log.data).unwrap_or_default();
    Payment { tx: log.transaction_hash, from, log: Some(log.index), amount }
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
