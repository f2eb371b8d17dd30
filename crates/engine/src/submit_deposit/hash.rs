use causeway_domain::ports::{ChainError, DepositTxStatus};
use causeway_domain::{Address, ChainId, DepositMethod, Family, Order};
use jiff::Timestamp;

use super::{SubmitDeposit, SubmitError, Submitted};

impl SubmitDeposit {
    /// Accepts a hash on trust unless the chain shows the transaction. A deposit that was made is never rejected as late.
    pub(super) async fn accept_hash(
        &self,
        order: Order,
        hash: &str,
        now: Timestamp,
    ) -> Result<Submitted, SubmitError> {
        let tx = canonical(order.from.chain(), hash)?;
        if is_known(&order, &tx) {
            return Ok(Submitted { order: order.id, tx });
        }
        let taken = self.is_taken(&order, &tx).await?;
        let doubtful = taken || order.deposit_tx().is_some();
        let status = self.find_tx(&order, &tx, doubtful).await?;
        let is_this = status == DepositTxStatus::Matches;
        let order = self
            .change_with_tx(order, now, taken, |order, may_set_tx| {
                if is_known(order, &tx) || (is_this && !may_set_tx && order.announced) {
                    return Ok(None);
                }
                match &status {
                    // The chain overrides an earlier submission: a deposit may be sent again with a higher fee.
                    DepositTxStatus::Matches => {}
                    _ if !may_set_tx => return Err(SubmitError::Duplicate),
                    _ if order.deposit_tx().is_some() => {
                        return Err(SubmitError::Conflict { order: order.id.clone() });
                    }
                    DepositTxStatus::Mismatch(reason) => return Err(SubmitError::NotThis(reason.clone())),
                    DepositTxStatus::NotFound => {}
                }
                if may_set_tx {
                    order.submitted_tx = Some(tx.clone());
                }
                order.announced = true;
                if order.provider.is_some() {
                    // Only its worker looks for it: no contract of ours tells of it.
                    order.due_at = Some(now);
                }
                Ok(Some(format!("The deposit was submitted as {tx}.")))
            })
            .await?;
        Ok(Submitted { order: order.id, tx })
    }

    /// What the chain shows of the transaction. An unreachable chain counts as not visible yet, unless `needed` to decide
    /// between two transactions.
    async fn find_tx(&self, order: &Order, tx: &str, needed: bool) -> Result<DepositTxStatus, SubmitError> {
        let unseen = |error: ChainError| {
            tracing::warn!(order = order.id.as_str(), %error, "checking a submitted deposit failed");
            DepositTxStatus::NotFound
        };
        let checked = match &order.provider {
            Some(provider) if order.method == DepositMethod::Transfer => {
                self.find_transfer(order, provider.target, tx).await
            }
            Some(_) => match self.sender(order) {
                Ok(sender) => sender.check_tx(order, tx).await,
                Err(_) => Ok(DepositTxStatus::NotFound),
            },
            None => self.sender(order)?.check_tx(order, tx).await,
        };
        match checked {
            Err(error) if needed => Err(error.into()),
            seen => Ok(seen.unwrap_or_else(unseen)),
        }
    }
}

impl SubmitDeposit {
    /// Whether a final block shows that the transaction pays the provider's address of the order.
    async fn find_transfer(
        &self,
        order: &Order,
        address: Address,
        tx: &str,
    ) -> Result<DepositTxStatus, ChainError> {
        let Some(watch) = self.liquidity.payouts(order.from.chain()) else {
            return Ok(DepositTxStatus::NotFound);
        };
        let paid = watch.payouts(tx, order.from, address).await?;
        Ok(if paid.is_empty() { DepositTxStatus::NotFound } else { DepositTxStatus::Matches })
    }
}

/// Whether this transaction was submitted for the order, or the chain showed it.
fn is_known(order: &Order, tx: &str) -> bool {
    order.submitted_tx.as_deref() == Some(tx)
        || order.evidence.deposit.as_ref().is_some_and(|seen| seen.tx == tx)
}

/// The normalized form of a transaction hash.
pub(super) fn canonical(chain: ChainId, hash: &str) -> Result<String, SubmitError> {
    let (name, expected) = match chain.family() {
        Family::Evm => (evm_hash(hash), "0x followed by 64 hex digits"),
        Family::Solana => (solana_signature(hash), "its signature: 64 bytes in base58"),
        Family::Bitcoin | Family::Tron => (plain_hash(hash), "64 hex digits"),
    };
    name.ok_or(SubmitError::MalformedHash { chain, expected })
}

fn evm_hash(text: &str) -> Option<String> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    let fits = digits.len() == 64 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    fits.then(|| format!("0x{}", digits.to_ascii_lowercase()))
}

fn plain_hash(text: &str) -> Option<String> {
    let fits = text.len() == 64 && text.bytes().all(|digit| digit.is_ascii_hexdigit());
    fits.then(|| text.to_ascii_lowercase())
}

fn solana_signature(text: &str) -> Option<String> {
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() && !matches!(byte, b'0' | b'O' | b'I' | b'l');
    ((64..=88).contains(&text.len()) && text.bytes().all(is_digit)).then(|| text.to_owned())
}
