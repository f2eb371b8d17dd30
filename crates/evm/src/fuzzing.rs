//! What nodes answer and payers sign, with the rules that hold for all that is read. Compiled for fuzzing and for the test that
//! replays the committed inputs.

use std::sync::LazyLock;

use alloy_consensus::TxEnvelope;
use alloy_eips::eip2718::{Decodable2718 as _, Encodable2718 as _};
use alloy_primitives::{Address, B256, U256, keccak256};
use alloy_sol_types::{SolCall as _, SolEvent as _, SolValue as _};
use causeway_domain::{ChainId, Deployment, FactKind, IntentTerms};
use serde::de::DeserializeOwned;

use crate::contracts::{Escrow, Order, gasless_envelope, onchain_envelope};
use crate::deploy::DeploymentRecord;
use crate::fees::Fees;
use crate::orders::{KnownContracts, Payment, check_signed_deposit, inner_signature, read_signature};
use crate::send::{Signer, StoredTx, UnsignedTx};
use crate::{Block, FeeHistory, Log, Receipt, multicall, revert_reason};

/// A parser by its name, which is also that of the folder with its inputs.
pub type Parser = (&'static str, fn(&[u8]));

pub const PARSERS: &[Parser] = &[
    ("answers", answers),
    ("calls", calls),
    ("deployments", deployments),
    ("logs", logs),
    ("signatures", signatures),
    ("signed_transactions", signed_transactions),
];

const ESCROW: Address = Address::repeat_byte(0xe5);
const SETTLER: Address = Address::repeat_byte(0x5e);

fn chain() -> ChainId {
    ChainId::new(8453).unwrap_or(causeway_domain::SOLANA_CHAIN_ID)
}

fn deployment() -> Deployment {
    Deployment {
        chain: chain(),
        escrow: ESCROW,
        settler: SETTLER,
        registry: Address::repeat_byte(1),
        deposit_factory: Address::repeat_byte(0xfa),
        deposit_code_hash: B256::ZERO,
        permit2: None,
        min_grace: 60,
        transfers: true,
        from_block: 5,
        hub: None,
    }
}

fn terms(user: Address) -> IntentTerms {
    let word = B256::repeat_byte(9);
    IntentTerms {
        origin_chain_id: chain().get(),
        escrow: ESCROW.into_word(),
        user: user.into_word(),
        nonce: word,
        input_token: B256::ZERO,
        amount_in: U256::from(1_000),
        refund_to: user.into_word(),
        filler: Address::repeat_byte(2).into_word(),
        payee: Address::repeat_byte(3).into_word(),
        referrer: B256::ZERO,
        referrer_fee: U256::ZERO,
        destination_chain_id: 1,
        settler: SETTLER.into_word(),
        output_token: B256::ZERO,
        amount_out: U256::from(990),
        recipient: word,
        open_deadline: 1_900_000_000,
        fill_deadline: 1_900_000_600,
        refund_at: 1_900_010_000,
        epoch: 1,
    }
}

fn json<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    serde_json::from_slice(bytes).ok()
}

fn answers(bytes: &[u8]) {
    let _ = (json::<Block>(bytes), json::<Option<FeeHistory>>(bytes));
    if let Some(receipt) = json::<Receipt>(bytes) {
        assert!(receipt.fee() >= receipt.l1_fee.unwrap_or_default());
    }
    for count in 0..3 {
        if let Some(balances) = multicall::decode(bytes, count) {
            assert_eq!(balances.len(), count);
        }
    }
    if let Some(reason) = revert_reason(bytes) {
        assert!(!reason.chars().any(char::is_control) && reason.chars().count() <= 400, "{reason}");
    }
}

/// A log is a fact only of our own contracts, and an opening names the terms that hash to its id.
///
/// The input is tried as a node's JSON, and as changes of a log that is right: pairs of a place and a mask.
fn logs(bytes: &[u8]) {
    let opened = opened_log(bytes);
    let is_changed = opened != opened_log(&[]);
    let fact = KnownContracts::new(chain(), &[deployment()]).read(&opened, 5);
    assert!(is_changed || fact.is_some());
    for log in json::<Log>(bytes).into_iter().chain([opened]) {
        is_sound_fact(&log);
    }
}

/// The log of a deposit, with the changes that the input names.
fn opened_log(changes: &[u8]) -> Log {
    let terms = terms(Address::repeat_byte(0x70));
    let event = Escrow::Open { orderId: terms.id(), order: Order::from(&terms) };
    let encoded = event.encode_log_data();
    let mut data = encoded.data.to_vec();
    let mut topics = encoded.topics().to_vec();
    for change in changes.as_chunks::<3>().0 {
        let at = usize::from(u16::from_be_bytes([change[0], change[1]])) % (data.len() + 64);
        match at.checked_sub(data.len()) {
            None => data[at] ^= change[2],
            Some(at) => topics[at / 32][at % 32] ^= change[2],
        }
    }
    Log {
        address: ESCROW,
        topics,
        data: data.into(),
        block_hash: B256::repeat_byte(9),
        block_number: 70,
        transaction_hash: B256::repeat_byte(8),
        index: 3,
        removed: false,
    }
}

fn is_sound_fact(log: &Log) {
    let Some(fact) = KnownContracts::new(chain(), &[deployment()]).read(log, 5) else { return };
    assert!(!log.removed && (log.address == ESCROW || log.address == SETTLER));
    assert_eq!((fact.place.block, fact.place.index), (log.block_number, log.index));
    match fact.kind {
        FactKind::Opened(terms) => {
            assert_eq!(terms.id(), fact.intent_id);
            assert_eq!(terms.escrow, log.address.into_word());
        }
        FactKind::Filled(_) => assert_eq!(log.address, SETTLER),
        _ => assert_eq!(log.address, ESCROW),
    }
}

/// Terms in calls are those that the contract decodes, and are written to the same bytes.
fn calls(bytes: &[u8]) {
    if let Ok(order) = Order::abi_decode(bytes)
        && let Some(terms) = order.terms()
    {
        assert_eq!(Order::from(&terms), order);
        assert_eq!(order.abi_encode(), terms.to_bytes());
        if let Some(envelope) = onchain_envelope(&terms) {
            let data = Escrow::openCall { order: envelope }.abi_encode();
            let read = Escrow::openCall::abi_decode(&data).ok();
            assert_eq!(read.and_then(|call| IntentTerms::from_bytes(&call.order.orderData)), Some(terms));
        }
        if let Some(envelope) = gasless_envelope(&terms) {
            assert_eq!(IntentTerms::from_bytes(&envelope.orderData), Some(terms));
            assert_eq!(u64::from(envelope.openDeadline), terms.open_deadline);
        }
    }
    let _ = (Escrow::openCall::abi_decode(bytes).is_ok(), Escrow::openForCall::abi_decode(bytes).is_ok());
}

fn deployments(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let Ok((deployment, mode)) = DeploymentRecord::parse(text) else { return };
    if let Some(mode) = mode {
        let written = DeploymentRecord::to_json(&deployment, mode).unwrap_or_default();
        assert_eq!(DeploymentRecord::parse(&written).ok(), Some((deployment, Some(mode))));
    }
}

/// A signature has one text of each length.
fn signatures(bytes: &[u8]) {
    if let Ok(signature) = read_signature(bytes) {
        assert!(signature.normalize_s().is_none(), "its mirror image is refused");
        let (long, short) = (signature.as_bytes(), signature.as_erc2098());
        assert!(bytes == long || bytes == short);
        assert_eq!(read_signature(&long).ok(), Some(signature));
        assert_eq!(read_signature(&short).ok(), Some(signature));
        let _ = signature.recover_address_from_prehash(&B256::repeat_byte(1));
    }
    if let Some(inner) = inner_signature(bytes) {
        assert!(inner.len() < bytes.len());
    }
}

/// A payer's signed deposit.
static SIGNED: LazyLock<Option<(IntentTerms, Vec<u8>)>> = LazyLock::new(|| {
    let signer = Signer::from_bytes(&[7; 32]).ok()?;
    let terms = terms(signer.address());
    let request = Payment::read(&terms, &deployment()).ok()?.open;
    let fees = Fees::Eip1559 { max_fee: 9, priority_fee: 1 };
    let unsigned = UnsignedTx::new(chain(), 3, &request, 200_000, fees);
    let signature = signer.sign_digest(&keccak256(unsigned.payload())).ok()?;
    Some((terms, unsigned.into_signed(signature).raw.to_vec()))
});

/// Bytes are tried as a transaction, and as changes of one that is right: pairs of a place and a mask.
fn signed_transactions(bytes: &[u8]) {
    let Some((terms, signed)) = SIGNED.as_ref() else { unreachable!("nothing could be signed") };
    let mut changed = signed.clone();
    for change in bytes.as_chunks::<3>().0 {
        let at = usize::from(u16::from_be_bytes([change[0], change[1]])) % changed.len();
        changed[at] ^= change[2];
    }
    for raw in [bytes, changed.as_slice()] {
        let accepted = check_signed_deposit(&deployment(), terms, raw);
        if let Ok(hash) = &accepted {
            assert_eq!(*hash, keccak256(raw).to_string(), "the network knows it by another hash");
        }
        assert_eq!(raw == signed, accepted.is_ok(), "{accepted:?}");
        if let Ok(stored) = StoredTx::read(chain(), raw) {
            assert!(
                accepted.is_err()
                    || (stored.nonce, stored.gas_limit, stored.request.to) == (3, 200_000, ESCROW)
            );
        }
        let mut rest = raw;
        if let Ok(envelope) = TxEnvelope::decode_2718(&mut rest)
            && rest.is_empty()
            && accepted.is_ok()
        {
            assert_eq!(envelope.encoded_2718(), raw);
        }
    }
}

#[cfg(test)]
#[path = "../../../fuzz/replay.rs"]
mod replay;

#[cfg(test)]
mod tests {
    #[test]
    fn committed_inputs_and_changes_of_them_keep_the_rules() {
        super::replay::replay("evm", super::PARSERS);
    }
}
