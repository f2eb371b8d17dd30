mod evm;
mod solana;

use super::plan::WalletAction;
use crate::Wallet;

pub(super) use evm::EvmPayment;
pub(super) use solana::SolanaSwap;

/// How much of a reason is shown, in characters.
const MAX_REASON: usize = 200;

/// What a provider's transaction may do, which a simulation shows right before it is signed.
#[derive(Debug)]
pub(super) struct Effects {
    pub(super) payment: Payment,
    /// The contract or program that is called, as errors name it.
    pub(super) contract: String,
    /// Whether the service's word is taken for it where the wallet cannot simulate.
    pub(super) is_trusted: bool,
}

#[derive(Debug)]
pub(super) enum Payment {
    Evm(EvmPayment),
    Solana(SolanaSwap),
}

impl Effects {
    /// Simulates what is left to sign at the wallet's own endpoint, and compares what it does with the request.
    pub(super) async fn check<W: Wallet>(&self, wallet: &W, left: &[WalletAction]) -> Result<(), String> {
        let is_simulated = match &self.payment {
            Payment::Evm(payment) => payment.check(wallet, left).await?,
            Payment::Solana(swap) => swap.check(wallet, left).await?,
        };
        if is_simulated || self.is_trusted {
            return Ok(());
        }
        let contract = &self.contract;
        Err(format!(
            "The wallet cannot simulate the deposit, so what it does is the service's word: trust {contract} with `effects` \
             unchecked to take it."
        ))
    }
}

fn would_fail(reason: &str) -> String {
    format!("The deposit would fail: {reason}.")
}

/// The beginning of a text of a chain, without what a terminal could take for more than text.
fn printable(bytes: &[u8]) -> String {
    let shown = |byte: &u8| if matches!(byte, b' '..=b'~') { char::from(*byte) } else { '?' };
    bytes.iter().take(MAX_REASON).map(shown).collect()
}
