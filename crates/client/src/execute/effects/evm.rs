use std::iter;

use alloy_primitives::{Address, B256, Bytes, U256, hex};
use serde_json::{Value, json};

use super::super::check::{mismatch, selector};
use super::super::plan::WalletAction;
use super::{printable, would_fail};
use crate::{EvmTransaction, Wallet};

/// The code that a simulation has at the payer's address. Called by the payer, it makes the calls that it is given, one after the
/// other: each is a target, a value and a length of 32 bytes, and that many bytes. It returns of each whether it succeeded, a length,
/// and that many bytes. A single word in place of calls is an address, whose native coin it returns. Called by anybody else, it does
/// nothing, as an account.
const CODE: [u8; 96] = hex!(
    "333014600757005b36602010601b576000353160005260206000f35b6000805b806040013580826060018437600060008285856020013586355af1"
    "83523d83602001523d6000846040013e01606001903d0160400190803611601f57506000f3"
);
/// The selector of `Error(string)`, with which Solidity gives reasons, and where the text begins after it.
const ERROR: [u8; 4] = [0x08, 0xc3, 0x79, 0xa0];
const TEXT: usize = 64;
const WORD: usize = 32;

/// A payment to a provider's contract.
#[derive(Debug)]
pub(in super::super) struct EvmPayment {
    pub(in super::super) chain_id: u64,
    pub(in super::super) payer: Address,
    /// Zero is the native coin.
    pub(in super::super) token: Address,
    pub(in super::super) amount: U256,
    /// Who may have an allowance for it.
    pub(in super::super) spender: Address,
    /// The output token, its recipient and the least amount, where they are on the same chain.
    pub(in super::super) output: Option<(Address, Address, U256)>,
}

/// A call that is simulated.
#[derive(Clone)]
struct Step {
    to: Address,
    value: U256,
    data: Bytes,
}

struct Outcome {
    succeeds: bool,
    data: Vec<u8>,
}

impl EvmPayment {
    /// Compares what the transactions that are left do with the request: what leaves the payer, what reaches the recipient on the
    /// same chain, and what is still allowed then. `false` if the wallet cannot simulate.
    pub(super) async fn check<W: Wallet>(&self, wallet: &W, left: &[WalletAction]) -> Result<bool, String> {
        let sends = left.iter().filter_map(|action| match action {
            WalletAction::Send(send) => {
                let EvmTransaction { to, value, data, .. } = &send.transaction;
                Some(Step { to: *to, value: *value, data: data.clone() })
            }
            WalletAction::SignSolana(_) => None,
        });
        let sends: Vec<Step> = sends.collect();
        let Some((call, allowances)) = sends.split_last() else { return Ok(true) };
        let (reads, allowed) = (self.reads(), self.allowance());
        let steps: Vec<Step> = reads
            .iter()
            .chain(allowances)
            .chain(&allowed)
            .chain(iter::once(call))
            .chain(&reads)
            .chain(&allowed)
            .cloned()
            .collect();
        let Some(outcomes) = self.simulate(wallet, &steps).await else { return Ok(false) };
        let mut outcomes = outcomes.into_iter();
        let mut take = |count: usize| outcomes.by_ref().take(count).collect::<Vec<_>>();
        let (before, mut made) = (take(reads.len()), take(allowances.len()));
        let allowed_before = take(allowed.iter().len());
        made.extend(take(1));
        let (after, allowed_after) = (take(reads.len()), take(allowed.iter().len()));
        if let Some(failed) = made.iter().find(|outcome| !outcome.succeeds) {
            return Err(would_fail(&reason(&failed.data)));
        }
        let mut changes = Vec::new();
        for (read, (before, after)) in reads.iter().zip(before.iter().zip(&after)) {
            changes.push((number(read, before)?, number(read, after)?));
        }
        let spent = self.compare_balances(call.value, &changes)?;
        for (read, (before, after)) in allowed.iter().zip(allowed_before.iter().zip(&allowed_after)) {
            let (before, after) = (number(read, before)?, number(read, after)?);
            // An older allowance of more than the input may stay, and what was given for this call is used up by what it took.
            let most = if before > self.amount { before } else { before.saturating_sub(spent) };
            if after > most {
                return Err(mismatch("the allowance that it leaves", after, format!("at most {most}")));
            }
        }
        Ok(true)
    }

    /// What is read before and after: the payer's coin, the payer's input if it is a token, and the recipient's output.
    fn reads(&self) -> Vec<Step> {
        let balance = |token: Address, owner: Address| {
            let to = if token.is_zero() { self.payer } else { token };
            let function = if token.is_zero() { Vec::new() } else { selector("balanceOf(address)").to_vec() };
            let data = [function, owner.into_word().to_vec()].concat().into();
            Step { to, value: U256::ZERO, data }
        };
        let coin = balance(Address::ZERO, self.payer);
        let input = (!self.token.is_zero()).then(|| balance(self.token, self.payer));
        let output = self.output.map(|(token, recipient, _)| balance(token, recipient));
        iter::once(coin).chain(input).chain(output).collect()
    }

    fn allowance(&self) -> Option<Step> {
        let words = [self.payer, self.spender].map(|address| address.into_word()).concat();
        let data = [selector("allowance(address,address)").to_vec(), words].concat().into();
        (!self.token.is_zero()).then(|| Step { to: self.token, value: U256::ZERO, data })
    }

    /// Compares what was there before and after, in the order of `reads`. Returns how much of the input is spent.
    fn compare_balances(&self, value: U256, changes: &[(U256, U256)]) -> Result<U256, String> {
        let mut changes = changes.iter().copied();
        let spent = |change: Option<(U256, U256)>| {
            change.map_or(U256::ZERO, |(before, after)| before.saturating_sub(after))
        };
        let coin = spent(changes.next());
        if coin > value {
            return Err(mismatch("what it takes of the native coin", coin, format!("at most {value}")));
        }
        let input = if self.token.is_zero() { coin } else { spent(changes.next()) };
        if input > self.amount {
            let what = format!("what it takes of {:#x}", self.token);
            return Err(mismatch(&what, input, format!("at most {}", self.amount)));
        }
        if let (Some((_, recipient, least)), Some((before, after))) = (self.output, changes.next()) {
            let gained = after.saturating_sub(before);
            if gained < least {
                let lost = before.saturating_sub(after);
                let shown = if lost.is_zero() { gained.to_string() } else { format!("-{lost}") };
                return Err(mismatch(
                    &format!("what it pays {recipient:#x}"),
                    shown,
                    format!("at least {least}"),
                ));
            }
        }
        Ok(input)
    }

    /// The outcomes of all calls, or nothing if the wallet's endpoint cannot do that.
    async fn simulate<W: Wallet>(&self, wallet: &W, steps: &[Step]) -> Option<Vec<Outcome>> {
        let mut data = Vec::new();
        for Step { to, value, data: given } in steps {
            data.extend_from_slice(to.into_word().as_slice());
            data.extend_from_slice(&value.to_be_bytes::<WORD>());
            data.extend_from_slice(&U256::from(given.len()).to_be_bytes::<WORD>());
            data.extend_from_slice(given);
        }
        let payer = format!("{:#x}", self.payer);
        let call = json!({ "from": payer, "to": payer, "data": hex::encode_prefixed(data) });
        let mut accounts = serde_json::Map::new();
        accounts.insert(payer, json!({ "code": hex::encode_prefixed(CODE) }));
        let params = json!([call, "latest", Value::Object(accounts)]);
        let answer = wallet.read(self.chain_id, "eth_call", params).await.ok()?;
        read_outcomes(&hex::decode(answer.as_str()?).ok()?, steps.len())
    }
}

/// The outcomes of that many calls; nothing if there are others, as from an endpoint that ignores the code.
fn read_outcomes(mut bytes: &[u8], count: usize) -> Option<Vec<Outcome>> {
    let mut outcomes = Vec::new();
    while !bytes.is_empty() {
        let (succeeds, rest) = bytes.split_first_chunk::<WORD>()?;
        let (size, rest) = rest.split_first_chunk::<WORD>()?;
        let (data, rest) = rest.split_at_checked(U256::from_be_bytes(*size).try_into().ok()?)?;
        outcomes
            .push(Outcome { succeeds: B256::from(succeeds) == B256::with_last_byte(1), data: data.to_vec() });
        bytes = rest;
    }
    (outcomes.len() == count).then_some(outcomes)
}

/// The number that a read returned.
fn number(read: &Step, outcome: &Outcome) -> Result<U256, String> {
    let word = outcome.data.first_chunk::<WORD>().filter(|_| outcome.succeeds);
    let word = word.ok_or_else(|| would_fail(&format!("{:#x} cannot be read", read.to)))?;
    Ok(U256::from_be_bytes(*word))
}

/// What a call that failed says of it.
fn reason(data: &[u8]) -> String {
    if let Some(text) = data.strip_prefix(&ERROR).and_then(|words| words.get(WORD..)) {
        let size = text.first_chunk::<WORD>().map_or(U256::ZERO, |size| U256::from_be_bytes(*size));
        let text = text.get(TEXT - WORD..).unwrap_or_default();
        let text = printable(text.get(..size.saturating_to()).unwrap_or(text));
        let text = text.strip_suffix('.').unwrap_or(&text);
        if !text.is_empty() {
            return text.to_owned();
        }
    }
    match data.get(..4).unwrap_or(data) {
        [] => "the contract gives no reason".to_owned(),
        name => format!("error {}", hex::encode_prefixed(name)),
    }
}
