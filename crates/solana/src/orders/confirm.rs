use causeway_domain::SOLANA_CHAIN_ID;
use causeway_domain::ports::ChainError;
use serde_json::{Value, json};

use super::escrow_transactions::{EscrowTransaction, read_transaction, transaction_call};
use crate::program::EscrowProgram;
use crate::rpc::Call;
use crate::{Commitment, SolanaRpc};

/// A node that is so many slots further can return a transaction, if there is one.
const RETURNED_AFTER: u64 = 16;
/// Nodes may have pruned older transactions, in slots.
const MAX_KEPT: u64 = 5_000;

/// What the endpoints say of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    Shown(EscrowTransaction),
    /// Enough endpoints that must have it do not.
    Invented,
    /// Too few say anything, or they contradict each other.
    Unclear,
}

/// What one endpoint says of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Word {
    Shows(EscrowTransaction),
    Denies,
}

/// The transactions as enough endpoints show them: one endpoint alone may invent some (rule 27). Those without events mean
/// nothing here. What is unclear is an error and is tried again; with `may_drop`, what was invented is dropped.
pub(super) async fn confirmed_transactions(
    rpc: &SolanaRpc,
    program: EscrowProgram,
    mut transactions: Vec<EscrowTransaction>,
    (newest, may_drop): (u64, bool),
) -> Result<Vec<EscrowTransaction>, ChainError> {
    let quorum = rpc.quorum().get();
    let with_events: Vec<&mut EscrowTransaction> =
        transactions.iter_mut().filter(|transaction| !transaction.events.is_empty()).collect();
    if quorum < 2 || with_events.is_empty() {
        return Ok(transactions);
    }
    let mut calls =
        vec![Call { method: "getSlot", params: json!([{ "commitment": Commitment::Finalized }]) }];
    calls.extend(with_events.iter().map(|one| transaction_call(&one.signature, Commitment::Finalized)));
    let asked = rpc.ask_all::<Value>(&calls).await;
    for (place, transaction) in with_events.into_iter().enumerate() {
        let words = asked.iter().map(|asked| {
            let answer = |place: usize| asked.answers.get(place)?.as_ref().ok();
            let reached = answer(0).and_then(Value::as_u64);
            let word = answer(place + 1).and_then(|answer| word(program, transaction, reached, answer));
            (asked.trusted, word)
        });
        let is_old = newest.saturating_sub(transaction.slot) > MAX_KEPT;
        let signature = transaction.signature;
        match verdict(quorum, is_old, words.collect()) {
            Verdict::Shown(shown) => *transaction = shown,
            Verdict::Invented if may_drop => {
                tracing::error!(%signature, "an endpoint of Solana invents a transaction");
                transaction.events.clear();
            }
            Verdict::Invented | Verdict::Unclear => {
                tracing::warn!(%signature, "too few endpoints of Solana show a transaction alike");
                return Err(ChainError::Unavailable(SOLANA_CHAIN_ID));
            }
        }
    }
    Ok(transactions)
}

/// What an endpoint that has finalized slot `reached` says by its answer; nothing where it may not know the transaction.
fn word(
    program: EscrowProgram,
    transaction: &EscrowTransaction,
    reached: Option<u64>,
    answer: &Value,
) -> Option<Word> {
    if !answer.is_null() {
        return read_transaction(program, transaction.signature, answer).map(Word::Shows);
    }
    let known_until = reached?.saturating_sub(RETURNED_AFTER);
    let is_kept = known_until.saturating_sub(transaction.slot) <= MAX_KEPT;
    (transaction.slot <= known_until && is_kept).then_some(Word::Denies)
}

/// The word of a trusted endpoint counts alone; so does the only word on a transaction that others may have pruned.
fn verdict(quorum: usize, is_old: bool, words: Vec<(bool, Option<Word>)>) -> Verdict {
    let mut counted: Vec<(Word, usize)> = Vec::new();
    for (trusted, word) in words {
        match (trusted, word) {
            (true, Some(Word::Shows(shown))) => return Verdict::Shown(shown),
            (_, Some(word)) => match counted.iter_mut().find(|(known, _)| is_same(known, &word)) {
                Some((_, count)) => *count += 1,
                None => counted.push((word, 1)),
            },
            (_, None) => {}
        }
    }
    counted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let next = counted.get(1).map_or(0, |(_, count)| *count);
    let needed = if is_old && next == 0 { 1 } else { quorum };
    match counted.into_iter().next() {
        Some((Word::Shows(shown), count)) if count >= needed && count > next => Verdict::Shown(shown),
        Some((Word::Denies, count)) if count >= quorum && count > next => Verdict::Invented,
        _ => Verdict::Unclear,
    }
}

/// Nodes need not know the time of a block.
fn is_same(one: &Word, other: &Word) -> bool {
    match (one, other) {
        (Word::Shows(one), Word::Shows(other)) => (one.slot, &one.events) == (other.slot, &other.events),
        (Word::Denies, Word::Denies) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use solana_address::Address;

    use super::*;
    use crate::program::{EscrowEvent, SANDBOX_PROGRAM};

    const PROGRAM: EscrowProgram = EscrowProgram::new(SANDBOX_PROGRAM);

    fn transaction(account: u8) -> EscrowTransaction {
        let order = Address::new_from_array([account; 32]);
        EscrowTransaction {
            signature: [7; 64].into(),
            slot: 100,
            time: None,
            events: vec![(0, EscrowEvent::Claimed { order })],
        }
    }

    fn said<const N: usize>(words: [Option<Word>; N], is_old: bool) -> Verdict {
        verdict(N.min(2), is_old, words.into_iter().map(|word| (false, word)).collect())
    }

    #[test]
    fn rule_27_a_transaction_counts_when_two_endpoints_show_it_alike() {
        let (told, other) = (Some(Word::Shows(transaction(1))), Some(Word::Shows(transaction(2))));
        let denies = Some(Word::Denies);
        let shown = Verdict::Shown(transaction(1));
        assert_eq!(said([told.clone(), told.clone()], false), shown);
        assert_eq!(said([other.clone(), told.clone(), told.clone()], false), shown);
        assert_eq!(said([denies.clone(), told.clone(), told.clone()], false), shown);
        assert_eq!(said([told.clone(), denies.clone(), denies.clone()], false), Verdict::Invented);
        for words in [[told.clone(), None], [told.clone(), denies], [told.clone(), other], [None, None]] {
            assert_eq!(said(words, false), Verdict::Unclear);
        }
        assert_eq!(said([told.clone(), None, None], true), shown, "the others may have pruned it");
        assert_eq!(verdict(2, false, vec![(true, told), (false, None)]), shown, "it is trusted");
    }

    #[test]
    fn a_node_that_may_not_know_a_transaction_denies_nothing() {
        let said = |reached: Option<u64>| word(PROGRAM, &transaction(1), reached, &Value::Null);
        assert_eq!(said(Some(100 + RETURNED_AFTER)), Some(Word::Denies));
        assert_eq!(said(Some(100 + RETURNED_AFTER + MAX_KEPT)), Some(Word::Denies));
        for reached in [None, Some(99), Some(99 + RETURNED_AFTER), Some(101 + RETURNED_AFTER + MAX_KEPT)] {
            assert_eq!(said(reached), None, "{reached:?}");
        }
    }
}
