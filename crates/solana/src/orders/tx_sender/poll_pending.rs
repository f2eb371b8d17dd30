use std::sync::atomic::Ordering;

use alloy_primitives::{B256, U256};
use causeway_domain::SOLANA_CHAIN_ID;
use causeway_domain::ports::{ActionError, FinalTransaction, Outgoing, OutgoingEnd};
use jiff::{SignedDuration, Timestamp};
use solana_signature::Signature;

use super::SolanaTxSender;
use crate::orders::outbox_attempt;
use crate::{Decision, SignedTransaction, decide};

/// How often the outbox is read although nothing is in flight: another process may have left a transaction.
const IDLE_POLL_INTERVAL: SignedDuration = SignedDuration::from_secs(30);

impl SolanaTxSender {
    /// Whether the outbox must be read now.
    pub(super) fn is_due(&self, now: Timestamp) -> bool {
        let mut last_polled = self.last_polled.lock();
        let long_ago = last_polled.is_none_or(|at| now.duration_since(at).abs() >= IDLE_POLL_INTERVAL);
        let due = self.may_have_pending.swap(false, Ordering::SeqCst) || long_ago;
        if due {
            *last_polled = Some(now);
        }
        due
    }

    /// Polls every open transaction; returns whether any is still open.
    pub(super) async fn poll_open_transactions(&self) -> Result<bool, ActionError> {
        let _polling = self.polling.lock().await;
        let open = self.outbox.open(SOLANA_CHAIN_ID, self.owner()).await?;
        let newest = open.iter().filter_map(|one| Some((one, one.attempts.last()?)));
        let sent: Vec<(&Outgoing, SignedTransaction)> = newest
            .map(|(outgoing, attempt)| Ok((outgoing, outbox_attempt::decode(attempt)?)))
            .collect::<Result<_, ActionError>>()?;
        let hashes: Vec<B256> = sent.iter().map(|(_, signed)| outbox_attempt::hash(signed)).collect();
        self.in_flight.lock().retain(|hash, _| hashes.contains(hash));
        if sent.is_empty() {
            return Ok(false);
        }
        let queries: Vec<_> = {
            let in_flight = self.in_flight.lock();
            let absences = |hash: &B256| in_flight.get(hash).copied().unwrap_or_default().absences;
            hashes.iter().zip(&sent).map(|(hash, (_, signed))| (signed.signature(), absences(hash))).collect()
        };
        let mut is_open = false;
        for (((outgoing, signed), hash), observation) in
            sent.iter().zip(hashes).zip(self.rpc.observe_all(&queries).await?)
        {
            let decision = decide(signed.last_valid_block_height, &observation);
            self.in_flight.lock().entry(hash).or_default().absences = observation.absences_after(&decision);
            is_open |= !self.apply_decision(outgoing, signed, hash, decision).await?;
        }
        Ok(is_open)
    }

    /// Applies the decision about one transaction; returns whether it has ended.
    async fn apply_decision(
        &self,
        outgoing: &Outgoing,
        signed: &SignedTransaction,
        hash: B256,
        decision: Decision,
    ) -> Result<bool, ActionError> {
        let signature = signed.signature();
        let end = match decision {
            Decision::Landed { .. } => OutgoingEnd::Succeeded(hash),
            Decision::Failed { reason, .. } => {
                if !self.rpc.is_agreed_failure(&signature).await {
                    return Ok(false);
                }
                tracing::warn!(%signature, reason, "transaction failed");
                OutgoingEnd::Reverted(hash)
            }
            Decision::Expired => {
                let last_valid = signed.last_valid_block_height;
                if !self.rpc.is_agreed_absence(&signature, last_valid).await {
                    return Ok(false);
                }
                // It can never land, so the purpose is free and the action can be signed again.
                tracing::info!(%signature, "transaction expired");
                OutgoingEnd::Superseded
            }
            Decision::Wait | Decision::CheckAgain => return Ok(false),
            Decision::Resend => {
                let sent = self.in_flight.lock().get(&hash).and_then(|in_flight| in_flight.last_sent);
                if sent.is_none_or(|sent| sent.elapsed() >= self.rpc.config().poll_interval) {
                    self.broadcast(signed).await;
                }
                return Ok(false);
            }
        };
        let is_first = self.outbox.end(SOLANA_CHAIN_ID, self.owner(), outgoing.nonce, end).await?;
        if is_first && matches!(end, OutgoingEnd::Succeeded(_)) {
            self.tell_fee(outgoing, &signature).await;
        }
        Ok(true)
    }

    /// A fee that cannot be read is not reported: it is a figure for people, and nothing waits for it.
    async fn tell_fee(&self, outgoing: &Outgoing, signature: &Signature) {
        let Some(observer) = &self.fee_observer else { return };
        match self.rpc.fee_paid(signature).await {
            Ok(Some(fee)) => {
                let purpose = outgoing.purpose.clone();
                let transaction = FinalTransaction { chain: SOLANA_CHAIN_ID, purpose, fee: U256::from(fee) };
                observer.transaction_final(&transaction).await;
            }
            Ok(None) => tracing::debug!(%signature, "fee of the transaction not found"),
            Err(error) => tracing::debug!(%signature, %error, "fee of the transaction not read"),
        }
    }
}
