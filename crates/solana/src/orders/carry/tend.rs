use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use alloy_primitives::B256;
use causeway_domain::SOLANA_CHAIN_ID;
use causeway_domain::ports::{DeedError, OutgoingEnd};
use jiff::{SignedDuration, Timestamp};

use super::SolanaCarrier;
use crate::orders::stored;
use crate::{Decision, SignedTransaction, decide};

/// How often the outbox is looked at although nothing of ours is open: another process may have left something.
const LOOK_AGAIN: SignedDuration = SignedDuration::from_secs(30);

impl SolanaCarrier {
    /// Whether the outbox is worth a look.
    pub(super) fn is_due(&self, now: Timestamp) -> bool {
        let mut looked_at = self.looked_at.lock().unwrap_or_else(PoisonError::into_inner);
        let long_ago = looked_at.is_none_or(|at| now.duration_since(at).abs() >= LOOK_AGAIN);
        let due = self.maybe_open.swap(false, Ordering::SeqCst) || long_ago;
        if due {
            *looked_at = Some(now);
        }
        due
    }

    /// Looks after all that is on its way, and tells whether anything still is.
    pub(super) async fn look_after(&self) -> Result<bool, DeedError> {
        let _tending = self.tending.lock().await;
        let open = self.outbox.open(SOLANA_CHAIN_ID, self.owner()).await?;
        let newest = open.iter().filter_map(|one| Some((one.nonce, one.attempts.last()?)));
        let sent: Vec<(u64, SignedTransaction)> = newest
            .map(|(nonce, attempt)| Ok((nonce, stored::read(attempt)?)))
            .collect::<Result<_, DeedError>>()?;
        let hashes: Vec<B256> = sent.iter().map(|(_, signed)| stored::digest(signed)).collect();
        self.watched().retain(|hash, _| hashes.contains(hash));
        if sent.is_empty() {
            return Ok(false);
        }
        let asked: Vec<_> = {
            let watched = self.watched();
            let absences = |hash: &B256| watched.get(hash).copied().unwrap_or_default().absences;
            hashes.iter().zip(&sent).map(|(hash, (_, signed))| (signed.signature(), absences(hash))).collect()
        };
        let mut is_open = false;
        for (((nonce, signed), hash), seen) in
            sent.iter().zip(hashes).zip(self.rpc.observe_all(&asked).await?)
        {
            let decision = decide(signed.last_valid_block_height, &seen);
            self.watched().entry(hash).or_default().absences = seen.absences_after(&decision);
            is_open |= !self.follow_up(*nonce, signed, hash, decision).await?;
        }
        Ok(is_open)
    }

    /// Does what was decided about one transaction, and tells whether it is over.
    async fn follow_up(
        &self,
        nonce: u64,
        signed: &SignedTransaction,
        hash: B256,
        decision: Decision,
    ) -> Result<bool, DeedError> {
        let signature = signed.signature();
        let end = match decision {
            Decision::Landed { .. } => OutgoingEnd::Succeeded(hash),
            Decision::Failed { words, .. } => {
                tracing::warn!(%signature, words, "a transaction failed on the chain");
                OutgoingEnd::Reverted(hash)
            }
            Decision::Expired => {
                // It can never land, so the purpose is free: whoever wants the deed done has it signed anew.
                tracing::info!(%signature, "a transaction never landed and never will");
                OutgoingEnd::Superseded
            }
            Decision::Wait | Decision::LookAgain => return Ok(false),
            Decision::SendAgain => {
                let sent = self.watched().get(&hash).and_then(|watched| watched.sent);
                if sent.is_none_or(|sent| sent.elapsed() >= self.rpc.config().look_every) {
                    self.broadcast(signed).await;
                }
                return Ok(false);
            }
        };
        self.outbox.end(SOLANA_CHAIN_ID, self.owner(), nonce, end).await?;
        Ok(true)
    }
}
