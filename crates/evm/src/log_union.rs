use alloy_primitives::Address;

use crate::blocks::{Block, Log, block_logs_call, is_log_of, is_log_within, range_logs_call};
use crate::client::EvmClient;
use crate::error::CallError;
use crate::rpc::Call;

// A log is a hint: one endpoint may leave logs out, and may invent some. So the logs of all endpoints are read, and what
// they mean is compared with the contracts' state.

impl EvmClient {
    /// The logs of these contracts in each of the blocks that any endpoint shows. At least half must answer.
    pub(crate) async fn block_logs_of_all(
        &self,
        addresses: &[Address],
        blocks: &[Block],
    ) -> Result<Vec<Vec<Log>>, CallError> {
        let calls: Vec<Call> = blocks.iter().map(|block| block_logs_call(addresses, block)).collect();
        let mut asked: Vec<Vec<Result<Vec<Log>, CallError>>> =
            self.each_of(&calls).await.into_iter().map(|(_, answers)| answers).collect();
        let union = |block: &Block| {
            let answers = asked.iter_mut().filter(|answers| !answers.is_empty()).map(|answers| {
                let logs = answers.remove(0)?;
                let ours = logs.iter().all(|log| is_log_of(log, addresses, block));
                ours.then_some(logs).ok_or_else(|| self.invalid_response("logs of another block or contract"))
            });
            self.union(answers.collect())
        };
        blocks.iter().map(union).collect()
    }

    /// The same from block `from` to block `to`, both included, in chain order.
    pub(crate) async fn range_logs_of_all(
        &self,
        addresses: &[Address],
        from: u64,
        to: u64,
    ) -> Result<Vec<Log>, CallError> {
        let asked = self.each::<Vec<Log>>(&range_logs_call(addresses, from, to)).await;
        let mut answers = Vec::new();
        for (_, answer) in asked {
            match answer {
                // The range is made smaller for all.
                Err(error) if error.wants_smaller_range() => return Err(error),
                Ok(logs) if logs.iter().all(|log| is_log_within(log, addresses, from, to)) => {
                    answers.push(Ok(logs));
                }
                Ok(_) => {
                    answers.push(Err(self.invalid_response("logs outside the range or of other contracts")));
                }
                Err(error) => answers.push(Err(error)),
            }
        }
        let mut logs = self.union(answers)?;
        logs.sort_by_key(|log| (log.block_number, log.index));
        Ok(logs)
    }

    fn union(&self, answers: Vec<Result<Vec<Log>, CallError>>) -> Result<Vec<Log>, CallError> {
        let asked = answers.len();
        let (mut answered, mut fault) = (Vec::new(), None);
        for answer in answers {
            match answer {
                Ok(logs) => answered.push(logs),
                Err(error) => fault = Some(error),
            }
        }
        if answered.is_empty() || answered.len().saturating_mul(2) < asked {
            return Err(fault.unwrap_or_else(|| self.invalid_response("no endpoint returned the logs")));
        }
        Ok(merge(&answered))
    }
}

/// Every log once. Where two differ in the same place, the one that more endpoints show counts.
fn merge(answers: &[Vec<Log>]) -> Vec<Log> {
    let mut counted: Vec<(&Log, usize)> = Vec::new();
    for log in answers.iter().flatten() {
        match counted.iter_mut().find(|(known, _)| *known == log) {
            Some((_, count)) => *count += 1,
            None => counted.push((log, 1)),
        }
    }
    let place = |log: &Log| (log.block_hash, log.index);
    let is_outvoted = |(log, count): &(&Log, usize)| {
        let others = counted.iter().filter(|(other, _)| place(other) == place(log) && other != log);
        others.into_iter().any(|(_, more)| more > count)
    };
    counted.iter().filter(|counted| !is_outvoted(counted)).map(|(log, _)| (*log).clone()).collect()
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{B256, Bytes};

    use super::*;

    fn log(index: u64, data: u8) -> Log {
        Log {
            address: Address::repeat_byte(1),
            topics: Vec::new(),
            data: Bytes::copy_from_slice(&[data]),
            block_hash: B256::repeat_byte(2),
            block_number: 5,
            transaction_hash: B256::repeat_byte(3),
            index,
            removed: false,
        }
    }

    #[test]
    fn rule_27_an_endpoint_can_neither_hide_a_log_nor_alter_one_that_others_show() {
        let (one, other, altered) = (log(0, 1), log(1, 1), log(1, 9));
        assert_eq!(merge(&[vec![], vec![one.clone(), other.clone()]]), [one.clone(), other.clone()]);
        let merged =
            merge(&[vec![one.clone(), altered], vec![one.clone(), other.clone()], vec![other.clone()]]);
        assert_eq!(merged, [one, other]);
    }
}
