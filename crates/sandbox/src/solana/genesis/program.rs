use solana_account::Account;
use solana_address::Address;

use super::{Genesis, rent_minimum};
use crate::solana::programs::LOADER_V3;

/// The account tags of the upgradeable loader.
const PROGRAM: u32 = 2;
const PROGRAM_DATA: u32 = 3;

impl Genesis {
    /// Adds a program as the upgradeable loader would; without an authority it is immutable.
    pub fn add_program(
        &mut self,
        address: Address,
        code: &[u8],
        upgrade_authority: Option<Address>,
    ) -> &mut Self {
        for (address, account) in program_accounts(address, code, upgrade_authority) {
            self.add_account(address, account);
        }
        self
    }
}

/// The two accounts of a program: the one that is called, and the one that holds its code.
pub(crate) fn program_accounts(
    address: Address,
    code: &[u8],
    upgrade_authority: Option<Address>,
) -> [(Address, Account); 2] {
    let (data_address, _) = Address::find_program_address(&[address.as_ref()], &LOADER_V3);

    let mut program = PROGRAM.to_le_bytes().to_vec();
    program.extend_from_slice(data_address.as_ref());

    let mut data = PROGRAM_DATA.to_le_bytes().to_vec();
    data.extend_from_slice(&0_u64.to_le_bytes());
    data.push(u8::from(upgrade_authority.is_some()));
    data.extend_from_slice(upgrade_authority.unwrap_or_default().as_ref());
    data.extend_from_slice(code);

    [(data_address, loader_account(data, false)), (address, loader_account(program, true))]
}

fn loader_account(data: Vec<u8>, executable: bool) -> Account {
    let lamports = rent_minimum(data.len());
    Account { lamports, data, owner: LOADER_V3, executable, rent_epoch: u64::MAX }
}
