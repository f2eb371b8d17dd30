use std::collections::HashMap;

use causeway_domain::ports::DepositError;
use solana_address::Address;

use super::{raw, token_account};
use crate::{Account, TokenAccountState};

/// The system program, which owns wallets.
const SYSTEM: Address = Address::new_from_array([0; 32]);

/// Where a token account names its delegate with its state, and who may close it.
const DELEGATE: std::ops::Range<usize> = 72..109;
const CLOSER: std::ops::Range<usize> = 129..165;

/// What a call of a provider's program may do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Swap {
    pub(super) payer: Address,
    /// The payer's token account, and the most that may leave it.
    pub(super) source: Address,
    pub(super) amount: u64,
    /// The recipient's token account, and the least that must arrive there.
    pub(super) destination: Address,
    pub(super) recipient: Address,
    pub(super) least: u64,
}

/// The accounts that a transaction can change.
type Accounts = HashMap<Address, Account>;

impl Swap {
    /// Whether the payer has the input.
    pub(super) fn check_balance(&self, before: &Accounts) -> Result<(), DepositError> {
        let held = before.get(&self.source).and_then(token_account);
        let held =
            held.filter(|held| held.owner == self.payer && held.state == TokenAccountState::Initialized);
        match held.map_or(0, |held| held.amount) {
            held if held >= self.amount => Ok(()),
            held => Err(DepositError::Balance { has: raw(held), needs: raw(self.amount) }),
        }
    }

    /// Compares the accounts before and after a simulation. `fee` is what the network may take.
    pub(super) fn compare(&self, before: &Accounts, after: &Accounts, fee: u64) -> Result<(), String> {
        let mut rent = 0_u64;
        for (address, account) in after.iter().filter(|(address, _)| !before.contains_key(*address)) {
            rent = rent.saturating_add(self.rent_of(*address, account)?);
        }
        let lamports = |accounts: &Accounts| accounts.get(&self.payer).map_or(0, |wallet| wallet.lamports);
        let paid = lamports(before).saturating_sub(lamports(after));
        let allowed = fee.saturating_add(rent);
        if paid > allowed {
            return Err(format!("it takes {paid} lamports from the payer, and the route allows {allowed}"));
        }
        if after.get(&self.payer).is_some_and(|wallet| wallet.owner != SYSTEM) {
            return Err("it gives the payer's wallet to a program".to_owned());
        }
        for (address, account) in before {
            let Some(held) = token_account(account).filter(|held| held.owner == self.payer) else { continue };
            self.check_own(*address, account, held.amount, after.get(address))?;
        }
        let got = |accounts: &Accounts| accounts.get(&self.destination).and_then(token_account);
        let arrived = got(after).filter(|arrived| arrived.owner == self.recipient);
        let arrived = arrived.map_or(0, |arrived| arrived.amount);
        let gained = arrived.saturating_sub(got(before).map_or(0, |held| held.amount));
        if gained < self.least {
            let (recipient, least) = (self.recipient, self.least);
            return Err(format!(
                "it pays {recipient} {gained} raw units, and the route says at least {least}"
            ));
        }
        Ok(())
    }

    /// The rent of a new token account of the payer or the recipient; other new accounts are no business of the payer's.
    fn rent_of(&self, address: Address, account: &Account) -> Result<u64, String> {
        let held = token_account(account);
        if held.is_none_or(|held| held.owner != self.payer && held.owner != self.recipient) {
            return Ok(0);
        }
        if has_power(account, &DELEGATE) || has_power(account, &CLOSER) {
            return Err(format!("it gives somebody power over the new token account {address}"));
        }
        Ok(account.lamports)
    }

    /// Whether a token account of the payer keeps what it has, but for the input, and obeys nobody else than before.
    fn check_own(
        &self,
        address: Address,
        before: &Account,
        held: u64,
        after: Option<&Account>,
    ) -> Result<(), String> {
        let left = after.and_then(token_account).filter(|left| left.owner == self.payer);
        let (Some(left), Some(after)) = (left, after) else {
            return Err(format!("it takes the token account {address} from the payer"));
        };
        let spent = held.saturating_sub(left.amount);
        let allowed = if address == self.source { self.amount } else { 0 };
        if spent > allowed {
            let mint = left.mint;
            return Err(format!(
                "it takes {spent} raw units of the token {mint} from the payer, and the route allows {allowed}"
            ));
        }
        let changed =
            [DELEGATE, CLOSER].into_iter().any(|part| before.data.get(part.clone()) != after.data.get(part));
        if changed {
            return Err(format!("it gives somebody power over the payer's token account {address}"));
        }
        Ok(())
    }
}

/// Whether a token account names somebody in that part of its data.
fn has_power(account: &Account, part: &std::ops::Range<usize>) -> bool {
    account.data.get(part.start).is_none_or(|tag| *tag != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TOKEN_PROGRAM;

    const PAYER: Address = Address::new_from_array([1; 32]);
    const SOURCE: Address = Address::new_from_array([2; 32]);
    const DESTINATION: Address = Address::new_from_array([3; 32]);
    const OTHER: Address = Address::new_from_array([4; 32]);
    const FEE: u64 = 5_000;
    const RENT: u64 = 2_039_280;

    const SWAP: Swap = Swap {
        payer: PAYER,
        source: SOURCE,
        amount: 25,
        destination: DESTINATION,
        recipient: PAYER,
        least: 24,
    };

    fn wallet(lamports: u64) -> Account {
        Account { owner: SYSTEM, lamports, data: Vec::new(), executable: false }
    }

    fn tokens(owner: Address, amount: u64) -> Account {
        let mut data = vec![0; 165];
        data[32..64].copy_from_slice(owner.as_ref());
        data[64..72].copy_from_slice(&amount.to_le_bytes());
        data[108] = 1;
        Account { owner: TOKEN_PROGRAM, lamports: RENT, data, executable: false }
    }

    fn before() -> Accounts {
        [(PAYER, wallet(10_000_000)), (SOURCE, tokens(PAYER, 100)), (OTHER, tokens(PAYER, 7))].into()
    }

    /// A swap that creates the account for its output.
    fn after() -> Accounts {
        let left = wallet(10_000_000 - RENT - FEE);
        [
            (PAYER, left),
            (SOURCE, tokens(PAYER, 75)),
            (OTHER, tokens(PAYER, 7)),
            (DESTINATION, tokens(PAYER, 24)),
        ]
        .into()
    }

    #[test]
    fn a_swap_that_does_what_its_route_says_is_fine() {
        assert_eq!(SWAP.compare(&before(), &after(), FEE), Ok(()));
        assert!(SWAP.check_balance(&before()).is_ok());
        let poor = Swap { amount: 101, ..SWAP };
        assert!(matches!(poor.check_balance(&before()), Err(DepositError::Balance { .. })));
    }

    #[test]
    fn whatever_else_it_takes_is_seen() {
        let with = |address: Address, account: Account| {
            let mut after = after();
            after.insert(address, account);
            SWAP.compare(&before(), &after, FEE).unwrap_err()
        };
        let powerful = |at: usize, account: Account| {
            let mut account = account;
            account.data[at] = 1;
            account
        };
        assert!(with(PAYER, wallet(10_000_000 - RENT - FEE - 1)).contains("lamports"));
        assert!(with(SOURCE, tokens(PAYER, 74)).contains("allows 25"));
        assert!(with(OTHER, tokens(PAYER, 6)).contains("allows 0"));
        assert!(with(OTHER, tokens(OTHER, 7)).contains("takes the token account"));
        assert!(with(SOURCE, powerful(72, tokens(PAYER, 75))).contains("power"));
        assert!(with(OTHER, powerful(129, tokens(PAYER, 7))).contains("power"));
        assert!(with(DESTINATION, powerful(72, tokens(PAYER, 24))).contains("power"));
        assert!(with(DESTINATION, tokens(PAYER, 23)).contains("at least 24"));
        // An account of somebody else is neither output nor rent of the payer's.
        assert!(with(DESTINATION, tokens(OTHER, 24)).contains("lamports"));
        let mut owned = wallet(10_000_000 - RENT - FEE);
        owned.owner = OTHER;
        assert!(with(PAYER, owned).contains("to a program"));
        let mut gone = after();
        gone.remove(&OTHER);
        assert!(SWAP.compare(&before(), &gone, FEE).unwrap_err().contains("takes the token account"));
    }
}
