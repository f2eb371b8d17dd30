use pinocchio::{AccountView, Address};

use super::Set;
use crate::Call;
use crate::address::{self, ProgramAddress};
use crate::chain::now;
use crate::error::EscrowError;
use crate::open::MAX_GRACE;
use crate::state::{self, attester_config, epoch};
use crate::system::create;

const LOADER: Address = Address::new_from_array([
    2, 168, 246, 145, 78, 136, 161, 176, 226, 16, 21, 62, 247, 99, 174, 43, 0, 194, 185, 61, 22, 193, 36,
    210, 192, 83, 122, 16, 4, 128, 0, 0,
]);

/// Begins the first epoch. Only whoever may still replace the program's code can do it, once; so nobody can come before the
/// deployer, and the deployer has no say later.
///
/// Data: shortest grace `u64`, threshold `u8`, the attesters' addresses.
#[inline(never)]
pub fn init(call: &Call) -> Result<(), EscrowError> {
    let payer = call.signer(0)?;
    let (mut config, first) = (call.writable(1)?, call.writable(2)?);
    check_authority(call.program, &call.account(3)?, &payer)?;

    let (grace, rest) = call.data.split_first_chunk().ok_or(EscrowError::BadData)?;
    let (&threshold, members) = rest.split_first().ok_or(EscrowError::BadData)?;
    let min_grace = u64::from_le_bytes(*grace);
    if min_grace > MAX_GRACE {
        return Err(EscrowError::BadDeadlines);
    }
    let set = Set::read(members, threshold)?;

    let own = ProgramAddress::check(call.program, address::ATTESTER_CONFIG, b"", &config)?;
    create(&payer, &config, &own, attester_config::LENGTH, call.program)?;
    let mut data = config.try_borrow_mut()?;
    data[0] = state::ATTESTER_CONFIG;
    state::set_number(&mut data, attester_config::MIN_GRACE, min_grace);
    drop(data);

    let number = 1u64.to_le_bytes();
    let own = ProgramAddress::check(call.program, address::EPOCH, &number, &first)?;
    create(&payer, &first, &own, epoch::LENGTH, call.program)?;
    set.schedule(call.program, &mut [first, config], 1, now()?)
}

/// The loader keeps a program's code in an account that names who may replace it.
fn check_authority(
    program: &Address,
    code: &AccountView,
    authority: &AccountView,
) -> Result<(), EscrowError> {
    let (address, _) =
        Address::try_find_program_address(&[program.as_ref()], &LOADER).ok_or(EscrowError::WrongAddress)?;
    if address != *code.address() || !code.owned_by(&LOADER) {
        return Err(EscrowError::WrongAddress);
    }
    let data = code.try_borrow().map_err(|_| EscrowError::WrongKind)?;
    // A tag of four bytes, the slot, whether there is an authority, and the authority.
    let header = data.first_chunk::<45>().ok_or(EscrowError::WrongKind)?;
    let tag = [header[0], header[1], header[2], header[3]];
    if tag == [3, 0, 0, 0] && header[12] == 1 && state::word(header, 13) == *authority.address().as_array() {
        Ok(())
    } else {
        Err(EscrowError::NotTheAuthority)
    }
}
