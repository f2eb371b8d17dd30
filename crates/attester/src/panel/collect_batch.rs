use std::collections::{BTreeMap, BTreeSet, HashMap};

use alloy_primitives::{Address, B256};
use causeway_domain::ports::{AttestationRefusal, BatchRefusal, CollectBatchError};
use causeway_domain::{CollectedBatch, FilledOrder, IntentTerms, SignatureBytes, SignedBatch};
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;

use super::Panel;

impl Panel {
    /// A threshold of signatures over the same list, which names exactly these orders.
    pub(super) async fn collect_fills(
        &self,
        orders: &[IntentTerms],
    ) -> Result<CollectedBatch, CollectBatchError> {
        let mut requests: FuturesUnordered<_> = self
            .members
            .iter()
            .map(|(member, attester)| async move { (*member, attester.attest_batch(orders).await) })
            .collect();
        let mut lists: Vec<(Vec<FilledOrder>, BTreeMap<Address, SignatureBytes>)> = Vec::new();
        let mut refusals = Vec::new();
        while let Some((member, answer)) = requests.next().await {
            let (fills, signature) = match self.check_batch(member, orders, answer) {
                Ok(checked) => checked,
                Err(why) => {
                    refusals.push((member, why));
                    continue;
                }
            };
            let index = lists.iter().position(|(known, _)| *known == fills);
            let index = index.unwrap_or_else(|| {
                lists.push((fills, BTreeMap::new()));
                lists.len() - 1
            });
            let Some((fills, signatures)) = lists.get_mut(index) else { continue };
            signatures.insert(member, signature);
            if signatures.len() >= self.threshold.get() {
                // The map holds them in ascending order, as the registry requires.
                let signatures = signatures.values().copied().collect();
                return Ok(CollectedBatch { fills: std::mem::take(fills), signatures });
            }
        }
        let have = lists.iter().map(|(_, signatures)| signatures.len()).max().unwrap_or(0);
        let signed: usize = lists.iter().map(|(_, signatures)| signatures.len()).sum();
        let leave_out = leave_out(signed, self.threshold.get(), &refusals);
        refusals.sort_by_key(|(member, _)| *member);
        Err(CollectBatchError { have, need: self.threshold.get(), leave_out, answers: refusals })
    }

    /// Accepts an answer only if it names exactly these orders, with times that their deadlines allow, and the attester
    /// itself signed it.
    fn check_batch(
        &self,
        member: Address,
        orders: &[IntentTerms],
        answer: Result<SignedBatch, BatchRefusal>,
    ) -> Result<(Vec<FilledOrder>, SignatureBytes), BatchRefusal> {
        let SignedBatch { fills, signature, .. } = answer?;
        let nonsense = |reason: &str| Err(AttestationRefusal::Nonsense(reason.to_owned()).into());
        if fills.len() != orders.len()
            || fills.iter().zip(orders).any(|(fill, terms)| fill.order != terms.id())
        {
            return nonsense("it is about other orders");
        }
        let is_late = |(fill, terms): (&FilledOrder, &IntentTerms)| {
            fill.filled_at == 0 || fill.filled_at > terms.fill_deadline
        };
        if fills.iter().zip(orders).any(is_late) {
            return nonsense("a time in it lies on the wrong side of the fill deadline");
        }
        let signer = orders.first().and_then(|first| self.verifier.batch_signer(first, &fills, &signature));
        if signer != Some(member) {
            return nonsense("the signature is not its own");
        }
        Ok((fills, signature))
    }
}

/// The orders without which a threshold may sign: those that too few members sign for, or else all that any member refuses.
/// None where the members refuse the whole batch.
fn leave_out(signed: usize, threshold: usize, refusals: &[(Address, BatchRefusal)]) -> Vec<B256> {
    let lists = refusals.iter().filter_map(|(_, why)| match why {
        BatchRefusal::Orders(orders) => Some(orders),
        BatchRefusal::Whole(_) => None,
    });
    let (mut members, mut refused) = (signed, HashMap::<B256, usize>::new());
    for orders in lists {
        members += 1;
        let distinct: BTreeSet<_> = orders.iter().map(|(order, _)| *order).collect();
        for order in distinct {
            *refused.entry(order).or_default() += 1;
        }
    }
    if members < threshold {
        return Vec::new();
    }
    let too_few = |count: usize| members - count < threshold;
    let any = refused.values().any(|count| too_few(*count));
    refused.into_iter().filter(|(_, count)| !any || too_few(*count)).map(|(order, _)| order).collect()
}

#[cfg(test)]
mod tests;
