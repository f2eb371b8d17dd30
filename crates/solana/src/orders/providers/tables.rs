use causeway_domain::ports::ChainError;
use solana_address::Address;
use solana_message::{AddressLookupTableAccount, v0};

use crate::{Account, Commitment, SolanaRpc};

/// The program of lookup tables.
const PROGRAM: Address = Address::from_str_const("AddressLookupTab1e1111111111111111111111111");

/// A table begins with its kind and the slot in which it was given up; its addresses follow.
const KIND: u32 = 1;
const NEVER: u64 = u64::MAX;
const FIRST_ADDRESS: usize = 56;

/// The table in an account of the chain, or why a transaction cannot use it.
pub(super) fn read(key: Address, account: Option<&Account>) -> Result<AddressLookupTableAccount, String> {
    let parsed = account.filter(|account| account.owner == PROGRAM).and_then(|account| {
        let (kind, rest) = account.data.split_first_chunk::<4>()?;
        let (given_up, _) = rest.split_first_chunk::<8>()?;
        let addresses = account.data.get(FIRST_ADDRESS..)?;
        let is_live = u32::from_le_bytes(*kind) == KIND && u64::from_le_bytes(*given_up) == NEVER;
        let (addresses, rest) = addresses.as_chunks::<32>();
        (is_live && rest.is_empty()).then(|| addresses.iter().copied().map(Address::new_from_array).collect())
    });
    let addresses = parsed.ok_or_else(|| format!("the lookup table {key} is not in use"))?;
    Ok(AddressLookupTableAccount { key, addresses })
}

/// The addresses that a message takes from lookup tables, in the order of its keys; empty where one is missing.
pub(super) async fn load(rpc: &SolanaRpc, message: &v0::Message) -> Result<Vec<Address>, ChainError> {
    let lookups = &message.address_table_lookups;
    if lookups.is_empty() {
        return Ok(Vec::new());
    }
    let keys: Vec<Address> = lookups.iter().map(|lookup| lookup.account_key).collect();
    let accounts = rpc.accounts(&keys, Commitment::Confirmed, None).await?.value;
    let tables: Vec<_> =
        keys.iter().zip(&accounts).filter_map(|(key, account)| read(*key, account.as_ref()).ok()).collect();
    let take = |places: fn(&v0::MessageAddressTableLookup) -> &Vec<u8>| {
        let of = |(lookup, table): (&v0::MessageAddressTableLookup, &AddressLookupTableAccount)| {
            let find = |place: &u8| table.addresses.get(usize::from(*place)).copied();
            places(lookup).iter().map(find).collect::<Option<Vec<_>>>()
        };
        lookups.iter().zip(&tables).map(of).collect::<Option<Vec<_>>>()
    };
    let loaded = take(|lookup| &lookup.writable_indexes).zip(take(|lookup| &lookup.readonly_indexes));
    let complete = loaded.filter(|_| tables.len() == lookups.len());
    Ok(complete.map_or_else(Vec::new, |(writable, readonly)| [writable.concat(), readonly.concat()].concat()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: Address = Address::new_from_array([5; 32]);

    fn table(given_up: u64, addresses: &[u8]) -> Account {
        let head = [&KIND.to_le_bytes()[..], &given_up.to_le_bytes(), &[0; 44]].concat();
        let data = [&head[..], addresses].concat();
        Account { owner: PROGRAM, lamports: 1, data, executable: false }
    }

    #[test]
    fn a_table_that_is_in_use_is_read() {
        let read_back = read(KEY, Some(&table(NEVER, &[7; 64]))).unwrap();
        assert_eq!((read_back.key, read_back.addresses.len()), (KEY, 2));
        assert_eq!(read_back.addresses[1], Address::new_from_array([7; 32]));
    }

    #[test]
    fn any_other_account_is_no_table() {
        let mut others = table(NEVER, &[7; 32]);
        others.owner = KEY;
        let mut short = table(NEVER, &[]);
        short.data.truncate(20);
        for account in
            [Some(others), Some(short), Some(table(9, &[7; 32])), Some(table(NEVER, &[7; 33])), None]
        {
            assert!(read(KEY, account.as_ref()).unwrap_err().contains("lookup table"));
        }
    }
}
