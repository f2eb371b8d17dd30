use async_trait::async_trait;
use causeway_domain::ports::{ChainError, RentReader, RentState};
use causeway_domain::{
    Address as AnyAddress, ChainId, RentedAccount, SOLANA_CHAIN_ID, SolanaDeployment, Terms,
};
use solana_address::Address;

use super::{kept_fill, kept_order};
use crate::program::{EscrowProgram, OrderStatus};
use crate::{Account, Commitment, SolanaRpc};

/// Looks whether our programs still keep the accounts of orders.
#[derive(Clone, Debug)]
pub struct SolanaRents {
    rpc: SolanaRpc,
    programs: Vec<EscrowProgram>,
}

impl SolanaRents {
    /// Of these programs, of every version that may still have accounts.
    pub fn new(rpc: SolanaRpc, deployments: &[SolanaDeployment]) -> Self {
        let program = |there: &SolanaDeployment| EscrowProgram::new(there.program.0.into());
        Self { rpc, programs: deployments.iter().map(program).collect() }
    }

    /// Where the account lies, if one of our programs made it.
    fn place(&self, terms: &Terms, account: RentedAccount) -> Option<(EscrowProgram, Address)> {
        let (chain, by) = match account {
            RentedAccount::Order => (terms.origin_chain_id, terms.escrow),
            RentedAccount::Fill => (terms.destination_chain_id, terms.settler),
        };
        let program = self.programs.iter().find(|program| program.id.to_bytes() == by.0)?;
        let at = match account {
            RentedAccount::Order => program.order(terms.id()),
            RentedAccount::Fill => program.fill_marker(terms.id()),
        };
        (chain == SOLANA_CHAIN_ID.get()).then_some((*program, at))
    }
}

#[async_trait]
impl RentReader for SolanaRents {
    fn chain(&self) -> ChainId {
        SOLANA_CHAIN_ID
    }

    async fn rents(
        &self,
        asked: &[(Terms, RentedAccount)],
        not_before: u64,
    ) -> Result<Vec<RentState>, ChainError> {
        let places: Vec<_> = asked.iter().map(|(terms, account)| self.place(terms, *account)).collect();
        let addresses: Vec<Address> = places.iter().flatten().map(|(_, at)| *at).collect();
        let seen = self.rpc.accounts(&addresses, Commitment::Finalized, Some(not_before)).await?;
        let mut found = seen.value.into_iter();
        let states = asked.iter().zip(places).map(|((_, account), place)| {
            let (program, at) = place?;
            state(program, *account, at, &found.next()??)
        });
        Ok(states.map(|state| state.unwrap_or(RentState::Gone)).collect())
    }
}

/// What lies at an address without being the program's is nobody's rent.
fn state(program: EscrowProgram, kind: RentedAccount, at: Address, account: &Account) -> Option<RentState> {
    let payer = match kind {
        RentedAccount::Order => {
            let kept = kept_order(program, at, account)?;
            if kept.status == OrderStatus::Open {
                return Some(RentState::InUse);
            }
            kept.payer
        }
        RentedAccount::Fill => kept_fill(program, at, account)?.payer,
    };
    Some(RentState::Over { payer: AnyAddress::Solana(payer.to_bytes()) })
}
