use causeway_domain::ports::{ChainError, Visible};
use causeway_domain::{ChainId, Family, Order};
use jiff::Timestamp;

use super::{SubmitDeposit, SubmitError, Submitted};

impl SubmitDeposit {
    /// Takes a hash on trust unless the chain shows what it is. A deposit that was made is never refused for being late.
    pub(super) async fn take_hash(
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
        let look = self.look_at(&order, &tx, doubtful).await?;
        let is_this = look == Visible::ThisDeposit;
        let order = self
            .change_naming(order, now, taken, |order, may_name| {
                if is_known(order, &tx) || (is_this && !may_name && order.announced) {
                    return Ok(None);
                }
                match &look {
                    // The chain knows better than whoever was told of it before: a deposit may be sent again with a higher fee.
                    Visible::ThisDeposit => {}
                    _ if !may_name => return Err(SubmitError::Duplicate),
                    _ if order.deposit_tx().is_some() => {
                        return Err(SubmitError::Conflict { order: order.id.clone() });
                    }
                    Visible::Other(words) => return Err(SubmitError::NotThis(words.clone())),
                    Visible::NotYet => {}
                }
                if may_name {
                    order.told_tx = Some(tx.clone());
                }
                order.announced = true;
                Ok(Some(format!("The deposit was told to be {tx}.")))
            })
            .await?;
        Ok(Submitted { order: order.id, tx })
    }

    /// What the transaction turns out to be. A chain that does not answer has not shown it, unless the answer is needed to
    /// judge between two.
    async fn look_at(&self, order: &Order, tx: &str, needed: bool) -> Result<Visible, SubmitError> {
        let unseen = |error: ChainError| {
            tracing::warn!(order = order.id.as_str(), %error, "a told deposit could not be looked at");
            Visible::NotYet
        };
        match self.desk(order)?.look_at(&order.terms, tx).await {
            Err(error) if needed => Err(error.into()),
            seen => Ok(seen.unwrap_or_else(unseen)),
        }
    }
}

/// Whether the order was told of this transaction, or the chain showed it.
fn is_known(order: &Order, tx: &str) -> bool {
    order.told_tx.as_deref() == Some(tx) || order.evidence.deposit.as_ref().is_some_and(|seen| seen.tx == tx)
}

/// A transaction's name as it is compared and kept.
pub(super) fn canonical(chain: ChainId, hash: &str) -> Result<String, SubmitError> {
    let (name, expected) = match chain.family() {
        Family::Evm => (evm_hash(hash), "0x followed by 64 hex digits"),
        Family::Solana => (solana_signature(hash), "its signature: 64 bytes in base58"),
    };
    name.ok_or(SubmitError::MalformedHash { chain, expected })
}

fn evm_hash(text: &str) -> Option<String> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?;
    let fits = digits.len() == 64 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    fits.then(|| format!("0x{}", digits.to_ascii_lowercase()))
}

fn solana_signature(text: &str) -> Option<String> {
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() && !matches!(byte, b'0' | b'O' | b'I' | b'l');
    ((64..=88).contains(&text.len()) && text.bytes().all(is_digit)).then(|| text.to_owned())
}
