use causeway_domain::IntentTerms;
use solana_message::VersionedMessage;
use solana_signature::Signature;

use super::difference::describe_difference;
use super::payment::Payment;
use crate::MAX_TRANSACTION_BYTES;
use crate::program::EscrowProgram;

const SIGNATURE_BYTES: usize = 64;
/// The version bit of a versioned message.
const VERSIONED: u8 = 0x80;
const NOT_A_TRANSACTION: &str =
    "these bytes are not a Solana transaction; send what the wallet returned when it signed, as base64";

/// The signature of the transaction, if it is the built one signed by the payer alone; otherwise how it differs.
pub(crate) fn check_signed_deposit(
    program: EscrowProgram,
    terms: &IntentTerms,
    built: Option<&[u8]>,
    raw: &[u8],
) -> Result<String, String> {
    let payment = Payment::read(terms, program)?;
    let built = built.ok_or("no transaction was built for this order; build its deposit first")?;
    let (_, built) = split(built).map_err(|_| "what was built cannot be read; build the deposit again")?;
    if raw.len() > MAX_TRANSACTION_BYTES {
        return Err(format!(
            "it takes {} bytes, more than the {MAX_TRANSACTION_BYTES} that Solana carries",
            raw.len()
        ));
    }
    let (signatures, message) = split(raw)?;
    if message != built {
        let reason = read(message)
            .and_then(|given| Ok(describe_difference(program, &payment, terms, &read(built)?, &given)));
        return Err(reason.unwrap_or_else(|reason| reason));
    }
    let [signature] = signatures else {
        return Err(format!("it carries {} signatures where the payer's alone belongs", signatures.len()));
    };
    if signature.iter().all(|byte| *byte == 0) {
        return Err(format!("its signature is empty; have the wallet of {} sign it", payment.user));
    }
    let signature = Signature::from(*signature);
    if signature.verify(payment.user.as_ref(), message) {
        Ok(signature.to_string())
    } else {
        Err(format!("its signature is not that of the payer {} over this transaction", payment.user))
    }
}

/// The signatures of a transaction, and the message they sign.
pub(crate) fn split(wire: &[u8]) -> Result<(&[[u8; SIGNATURE_BYTES]], &[u8]), String> {
    let (&count, rest) = wire.split_first().ok_or(NOT_A_TRANSACTION)?;
    if count == VERSIONED && read(wire).is_ok() {
        return Err("it is the message alone, without its signature; send the whole transaction".to_owned());
    }
    // No more than twelve fit into a packet.
    let fits = (1..=12).contains(&count);
    let signatures = rest.split_at_checked(usize::from(count) * SIGNATURE_BYTES).filter(|_| fits);
    let (signatures, message) = signatures.ok_or(NOT_A_TRANSACTION)?;
    let (signatures, _) = signatures.as_chunks::<SIGNATURE_BYTES>();
    Ok((signatures, message))
}

/// The message of a version 0 transaction; otherwise what it is.
pub(in crate::orders) fn read(message: &[u8]) -> Result<solana_message::v0::Message, String> {
    let read = wincode::deserialize::<VersionedMessage>(message).ok();
    // Trailing bytes are not part of a message.
    match read.filter(|read| read.serialize() == message && read.sanitize().is_ok()) {
        Some(VersionedMessage::V0(message)) => Ok(message),
        Some(VersionedMessage::Legacy(_)) => {
            Err("it is a legacy transaction; sign the version 0 transaction that was built".to_owned())
        }
        Some(VersionedMessage::V1(_)) => {
            Err("it is a version 1 transaction; sign the version 0 transaction that was built".to_owned())
        }
        None => Err(NOT_A_TRANSACTION.to_owned()),
    }
}
