use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use causeway_domain::Address as AnyAddress;
use causeway_domain::ports::{ChainError, SolanaCall};
use serde::Deserialize;
use serde_json::{Value, json};
use solana_address::Address;
use solana_message::v0;
use solana_signature::Signature;

use crate::orders::deposits::{read_message, split_transaction};
use crate::rpc::Call;
use crate::transaction::COMPUTE_BUDGET;
use crate::{Commitment, MAX_TRANSACTION_BYTES, SolanaRpc};

#[derive(Deserialize)]
struct WireTransaction {
    transaction: (String, String),
    meta: Option<WireMeta>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireMeta {
    err: Option<Value>,
    #[serde(default)]
    loaded_addresses: Option<WireLoaded>,
}

#[derive(Deserialize)]
struct WireLoaded {
    writable: Vec<String>,
    readonly: Vec<String>,
}

/// A transaction in a block.
pub(super) struct Landed {
    pub(super) failed: bool,
    pub(super) message: v0::Message,
    /// What it took from lookup tables.
    pub(super) loaded: Vec<Address>,
}

/// The transaction of that name, if a confirmed block has it.
pub(super) async fn landed(rpc: &SolanaRpc, signature: Signature) -> Result<Option<Landed>, ChainError> {
    let options = json!({
        "commitment": Commitment::Confirmed,
        "encoding": "base64",
        "maxSupportedTransactionVersion": 0,
    });
    let call = Call { method: "getTransaction", params: json!([signature.to_string(), options]) };
    let read = |wire: Option<WireTransaction>| wire.map(|wire| read_landed(signature, wire)).transpose();
    Ok(rpc.request(call, read).await?.flatten())
}

/// None for a transaction of another version, which is none that was built.
fn read_landed(signature: Signature, wire: WireTransaction) -> Result<Option<Landed>, String> {
    let bytes = STANDARD.decode(&wire.transaction.0).map_err(|error| error.to_string())?;
    let (signatures, message) = split_transaction(&bytes)?;
    if signatures.first().map(|first| Signature::from(*first)) != Some(signature) {
        return Err("the response is another transaction".to_owned());
    }
    let Ok(message) = read_message(message) else { return Ok(None) };
    let Some(meta) = wire.meta else { return Err("the response has no result".to_owned()) };
    let loaded =
        meta.loaded_addresses.iter().flat_map(|loaded| loaded.writable.iter().chain(&loaded.readonly));
    let loaded = loaded.map(|text| text.parse().map_err(|_| format!("`{text}` is not an address")));
    Ok(Some(Landed { failed: meta.err.is_some(), message, loaded: loaded.collect::<Result<_, _>>()? }))
}

/// The message that the payer alone has signed, and the signature.
pub(super) fn signed(raw: &[u8], payer: AnyAddress) -> Result<(Signature, v0::Message), String> {
    if raw.len() > MAX_TRANSACTION_BYTES {
        let length = raw.len();
        return Err(format!(
            "it takes {length} bytes, more than the {MAX_TRANSACTION_BYTES} that Solana carries"
        ));
    }
    let (signatures, message) = split_transaction(raw)?;
    let [signature] = signatures else {
        return Err(format!("it carries {} signatures where the payer's alone belongs", signatures.len()));
    };
    let signature = Signature::from(*signature);
    let AnyAddress::Solana(key) = payer else { return Err(format!("{payer} is no wallet of Solana")) };
    if !signature.verify(&key, message) {
        return Err(format!("its signature is not that of the payer {payer} over this transaction"));
    }
    Ok((signature, read_message(message)?))
}

/// Whether a message is one of the calls that were built: the payer signs and pays, and it has exactly their instructions. The
/// wallet may have chosen another compute budget.
pub(super) fn check(
    message: &v0::Message,
    loaded: &[Address],
    payer: AnyAddress,
    built: &[SolanaCall],
) -> Result<(), String> {
    let first = message.account_keys.first().map(|key| AnyAddress::Solana(key.to_bytes()));
    if first != Some(payer) || message.header.num_required_signatures != 1 {
        return Err(format!("that transaction is not signed and paid by the payer {payer} alone"));
    }
    let Some(given) = instructions(message, loaded) else {
        return Err("that transaction names accounts that its lookup tables do not have".to_owned());
    };
    if built.iter().any(|call| is_same(call, &given)) {
        return Ok(());
    }
    Err("that transaction is not one that was built for this order".to_owned())
}

/// An instruction by its addresses.
type Addressed<'a> = (Address, Vec<Address>, &'a [u8]);

/// The instructions of a message, but for its compute budget.
fn instructions<'a>(message: &'a v0::Message, loaded: &[Address]) -> Option<Vec<Addressed<'a>>> {
    let key = |place: &u8| {
        let place = usize::from(*place);
        let taken = || loaded.get(place.checked_sub(message.account_keys.len())?);
        message.account_keys.get(place).or_else(taken).copied()
    };
    let all = message.instructions.iter().map(|one| {
        let accounts = one.accounts.iter().map(key).collect::<Option<Vec<_>>>()?;
        Some((key(&one.program_id_index)?, accounts, one.data.as_slice()))
    });
    let all: Option<Vec<_>> = all.collect();
    all.map(|all| all.into_iter().filter(|(program, _, _)| *program != COMPUTE_BUDGET).collect())
}

fn is_same(call: &SolanaCall, given: &[Addressed<'_>]) -> bool {
    let same = |(built, given): (&causeway_domain::ports::SolanaInstruction, &Addressed<'_>)| {
        let (program, accounts, data) = given;
        let addresses = built.accounts.iter().map(|account| account.address);
        built.program == program.to_bytes()
            && addresses.eq(accounts.iter().map(Address::to_bytes))
            && built.data == *data
    };
    call.instructions.len() == given.len() && call.instructions.iter().zip(given).all(same)
}

#[cfg(test)]
mod tests {
    use causeway_domain::ports::{SolanaAccount, SolanaInstruction};
    use solana_hash::Hash;
    use solana_instruction::{AccountMeta, Instruction};
    use solana_message::AddressLookupTableAccount;

    use super::*;
    use crate::{compute_unit_limit, compute_unit_price};

    const PAYER: Address = Address::new_from_array([1; 32]);
    const PROGRAM: Address = Address::new_from_array([2; 32]);
    const POOL: Address = Address::new_from_array([3; 32]);

    fn swap(data: &[u8]) -> Instruction {
        let accounts = vec![AccountMeta::new(PAYER, true), AccountMeta::new(POOL, false)];
        Instruction { program_id: PROGRAM, accounts, data: data.to_vec() }
    }

    fn call() -> SolanaCall {
        let account = |address: Address, is_signer: bool| SolanaAccount {
            address: address.to_bytes(),
            is_signer,
            is_writable: true,
        };
        let accounts = vec![account(PAYER, true), account(POOL, false)];
        let only = SolanaInstruction { program: PROGRAM.to_bytes(), accounts, data: vec![9] };
        SolanaCall { instructions: vec![only], tables: Vec::new() }
    }

    fn message(instructions: &[Instruction], tables: &[AddressLookupTableAccount]) -> v0::Message {
        v0::Message::try_compile(&PAYER, instructions, tables, Hash::new_from_array([7; 32])).unwrap()
    }

    fn payer() -> AnyAddress {
        AnyAddress::Solana(PAYER.to_bytes())
    }

    #[test]
    fn a_wallet_may_choose_another_compute_budget() {
        let budget = [compute_unit_limit(9), compute_unit_price(8)];
        let all: Vec<Instruction> = budget.into_iter().chain([swap(&[9])]).collect();
        assert_eq!(check(&message(&all, &[]), &[], payer(), &[call()]), Ok(()));
    }

    #[test]
    fn accounts_of_lookup_tables_are_compared_by_their_addresses() {
        let table =
            AddressLookupTableAccount { key: Address::new_from_array([8; 32]), addresses: vec![POOL] };
        let message = message(&[swap(&[9])], &[table]);
        assert_eq!(check(&message, &[POOL], payer(), &[call()]), Ok(()));
        let other = [Address::new_from_array([4; 32])];
        assert!(check(&message, &other, payer(), &[call()]).unwrap_err().contains("not one that was built"));
        assert!(check(&message, &[], payer(), &[call()]).unwrap_err().contains("lookup tables"));
    }

    #[test]
    fn another_transaction_is_not_the_one_that_was_built() {
        let of = |instructions: &[Instruction]| check(&message(instructions, &[]), &[], payer(), &[call()]);
        assert!(of(&[swap(&[8])]).is_err(), "other data");
        assert!(of(&[swap(&[9]), swap(&[9])]).is_err(), "twice");
        assert!(of(&[]).is_err(), "nothing");
        let mut more = swap(&[9]);
        more.accounts.push(AccountMeta::new(PROGRAM, false));
        assert!(of(&[more]).is_err(), "another account");
        let mut signed = swap(&[9]);
        signed.accounts[1].is_signer = true;
        assert!(of(&[signed]).unwrap_err().contains("alone"), "another signer");
        let other = AnyAddress::Solana([5; 32]);
        assert!(check(&message(&[swap(&[9])], &[]), &[], other, &[call()]).unwrap_err().contains("alone"));
        assert!(check(&message(&[swap(&[9])], &[]), &[], payer(), &[]).is_err(), "nothing was built");
    }
}
