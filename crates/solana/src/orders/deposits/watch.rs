use std::collections::{HashMap, HashSet};

use alloy_primitives::U256;
use async_trait::async_trait;
use causeway_domain::ports::{AddressWatch, ChainError, KnownPayers};
use causeway_domain::{Address as AnyAddress, ChainId, RawAmount, SOLANA_CHAIN_ID, TokenId};
use parking_lot::Mutex;
use solana_address::Address;

use super::balance_change::{payment, received_amount};
use crate::history::HistoryWalk;
use crate::program::associated_token_account;
use crate::{
    Account, Commitment, SolanaRpc, TOKEN_2022_PROGRAM, TOKEN_PROGRAM, TokenAccount, TokenAccountState,
};

/// The limit of accounts that a node reads at one slot.
const ACCOUNTS_PER_CALL: usize = 100;

/// How many of the newest transactions of an address are scanned for the funding one.
const MAX_SCANNED_TRANSACTIONS: usize = 32;
const MAX_HISTORY_PAGES: usize = 2;

/// Watches addresses on Solana.
#[derive(Debug)]
pub struct SolanaAddressWatch {
    rpc: SolanaRpc,
    /// The program of each mint, which never changes.
    programs: Mutex<HashMap<Address, Address>>,
}

impl SolanaAddressWatch {
    /// A watch on the cluster of `rpc`.
    pub fn new(rpc: SolanaRpc) -> Self {
        Self { rpc, programs: Mutex::default() }
    }

    /// The account that holds each balance: the address itself for SOL, its associated account for tokens.
    /// `None` if the mint does not exist.
    async fn balance_accounts(
        &self,
        wanted: &[(Address, Option<Address>)],
    ) -> Result<Vec<Option<BalanceAccount>>, ChainError> {
        let known = |mint: &Address| self.programs.lock().get(mint).copied();
        let mut unknown: Vec<Address> =
            wanted.iter().filter_map(|(_, mint)| *mint).filter(|mint| known(mint).is_none()).collect();
        unknown.sort_unstable();
        unknown.dedup();
        if !unknown.is_empty() {
            let accounts = self.rpc.accounts(&unknown, Commitment::Finalized, None).await?.value;
            let mut programs = self.programs.lock();
            for (mint, account) in unknown.into_iter().zip(accounts) {
                let program = account.map(|account| account.owner);
                let program = program.filter(|one| [TOKEN_PROGRAM, TOKEN_2022_PROGRAM].contains(one));
                programs.extend(program.map(|program| (mint, program)));
            }
        }
        let place = |(owner, mint): &(Address, Option<Address>)| match mint {
            None => Some(BalanceAccount { at: *owner, owner: *owner, token: None }),
            Some(mint) => known(mint).map(|program| BalanceAccount {
                at: associated_token_account(owner, mint, &program),
                owner: *owner,
                token: Some((*mint, program)),
            }),
        };
        Ok(wanted.iter().map(place).collect())
    }
}

/// The account that holds a balance of an address.
#[derive(Clone, Copy, Debug)]
struct BalanceAccount {
    at: Address,
    owner: Address,
    /// The mint and its program; none for SOL.
    token: Option<(Address, Address)>,
}

impl BalanceAccount {
    /// The movable balance. All SOL of a deposit address is movable, because no account remains.
    fn holds(&self, account: &Account) -> u64 {
        let Some((mint, program)) = self.token else { return account.lamports };
        let state = TokenAccount::parse(&account.data).ok().filter(|_| account.owner == program);
        let usable = state.filter(|state| {
            state.owner == self.owner && state.mint == mint && state.state == TokenAccountState::Initialized
        });
        usable.map_or(0, |state| state.amount)
    }
}

#[async_trait]
impl AddressWatch for SolanaAddressWatch {
    fn chain(&self) -> ChainId {
        SOLANA_CHAIN_ID
    }

    /// Nodes return only the newest final state, so balances are from that slot or a later one.
    async fn balances_at(
        &self,
        wanted: &[(AnyAddress, TokenId)],
        block: u64,
    ) -> Result<Vec<RawAmount>, ChainError> {
        Ok(self.balances_since(wanted, block).await?.0)
    }

    /// The returned slot is the latest of all reads, so a balance may be older than it but never newer.
    async fn balances_since(
        &self,
        wanted: &[(AnyAddress, TokenId)],
        block: u64,
    ) -> Result<(Vec<RawAmount>, u64), ChainError> {
        let wanted: Vec<_> = wanted.iter().map(read).collect::<Result<_, _>>()?;
        let places = self.balance_accounts(&wanted).await?;
        let asked: Vec<Address> = places.iter().flatten().map(|place| place.at).collect();
        let (mut found, mut slot) = (Vec::with_capacity(asked.len()), block);
        for chunk in asked.chunks(ACCOUNTS_PER_CALL) {
            let seen = self.rpc.accounts(chunk, Commitment::Finalized, Some(block)).await?;
            slot = slot.max(seen.slot);
            found.extend(seen.value);
        }
        let mut found = found.into_iter();
        let amount = |place: Option<BalanceAccount>| {
            let account = place.and_then(|_| found.next()).flatten();
            let held = place.zip(account).map_or(0, |(place, account)| place.holds(&account));
            RawAmount::new(U256::from(held))
        };
        Ok((places.into_iter().map(amount).collect(), slot))
    }

    /// Balances may be from later slots than requested, so the funding transaction may be too.
    async fn funding_tx(
        &self,
        address: AnyAddress,
        token: TokenId,
        from: u64,
        _: u64,
    ) -> Result<Option<String>, ChainError> {
        let wanted = read(&(address, token))?;
        let Some(place) = self.balance_accounts(&[wanted]).await?.pop().flatten() else { return Ok(None) };
        // Anybody can mention the account; the newest pages are enough, and a hidden transaction is not named.
        let mut walk = HistoryWalk::of_successful(from);
        self.rpc.walk(&place.at, &mut walk, (Commitment::Finalized, None), MAX_HISTORY_PAGES).await?;
        let mentions = walk.finish();
        let newest = mentions.iter().rev().take(MAX_SCANNED_TRANSACTIONS);
        for mention in newest {
            if received_amount(&self.rpc, mention.signature, &place.at, place.token.is_some()).await? > 0 {
                return Ok(Some(mention.signature.to_string()));
            }
        }
        Ok(None)
    }

    async fn payers(
        &self,
        address: AnyAddress,
        token: TokenId,
        until: u64,
        amount: RawAmount,
    ) -> Result<KnownPayers, ChainError> {
        let wanted = read(&(address, token))?;
        let mut known = KnownPayers::default();
        let Some(place) = self.balance_accounts(&[wanted]).await?.pop().flatten() else { return Ok(known) };
        let mut walk = HistoryWalk::of_successful(0);
        self.rpc.walk(&place.at, &mut walk, (Commitment::Finalized, None), MAX_HISTORY_PAGES).await?;
        let mentions = walk.finish();
        // A node may list the same transaction twice.
        let mut seen = HashSet::new();
        let newest = mentions.iter().rev().filter(|one| one.slot <= until && seen.insert(one.signature));
        let mut sum = 0_u64;
        for mention in newest.take(MAX_SCANNED_TRANSACTIONS) {
            let found = payment(&self.rpc, mention.signature, &place.at, place.token.is_some()).await?;
            if found.amount > 0 {
                sum = sum.saturating_add(found.amount);
                known.wallets.extend(found.payers.iter().map(|payer| AnyAddress::Solana(payer.to_bytes())));
            }
            if U256::from(sum) >= amount.get() {
                break;
            }
        }
        known.amount = RawAmount::new(U256::from(sum));
        Ok(known)
    }
}

/// An address and a mint of Solana; no mint is SOL.
fn read((address, token): &(AnyAddress, TokenId)) -> Result<(Address, Option<Address>), ChainError> {
    match (address, token.address()) {
        (AnyAddress::Solana(owner), AnyAddress::Solana(mint)) => {
            Ok(((*owner).into(), (!token.is_native()).then(|| mint.into())))
        }
        _ => Err(ChainError::Refused(SOLANA_CHAIN_ID, format!("{address} or {token} is not of Solana"))),
    }
}
