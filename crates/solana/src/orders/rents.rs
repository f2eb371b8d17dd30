use async_trait::async_trait;
use causeway_domain::ports::{ChainError, RentReader, RentState};
use causeway_domain::{
    Address as AnyAddress, ChainId, IntentTerms, RentedAccount, SOLANA_CHAIN_ID, SolanaDeployment,
};
use solana_address::Address;

use super::{read_fill_marker, read_order_account};
use crate::program::{EscrowProgram, OrderStatus};
use crate::{Account, Commitment, SolanaRpc};

/// Reads whether order accounts still exist and who paid their rent.
#[derive(Clone, Debug)]
pub struct SolanaRentReader {
    rpc: SolanaRpc,
    programs: Vec<EscrowProgram>,
}

impl SolanaRentReader {
    /// Reads accounts of the programs of every version that may still have some.
    pub fn new(rpc: SolanaRpc, deployments: &[SolanaDeployment]) -> Self {
        let program = |deployment: &SolanaDeployment| EscrowProgram::new(deployment.program.0.into());
        Self { rpc, programs: deployments.iter().map(program).collect() }
    }

    /// The address of the account, if one of the programs derives it.
    fn place(&self, terms: &IntentTerms, account: RentedAccount) -> Option<(EscrowProgram, Address)> {
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
impl RentReader for SolanaRentReader {
    fn chain(&self) -> ChainId {
        SOLANA_CHAIN_ID
    }

    async fn rents(
        &self,
        asked: &[(IntentTerms, RentedAccount)],
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
        Ok(states.map(|state| state.unwrap_or(RentState::Closed)).collect())
    }
}

/// An account that does not belong to the program holds no rent of an order.
fn state(program: EscrowProgram, kind: RentedAccount, at: Address, account: &Account) -> Option<RentState> {
    let payer = match kind {
        RentedAccount::Order => {
            let order = read_order_account(program, at, account)?;
            if order.status == OrderStatus::Open {
                return Some(RentState::InUse);
            }
            order.payer
        }
        RentedAccount::Fill => read_fill_marker(program, at, account)?.payer,
    };
    Some(RentState::Closable { payer: AnyAddress::Solana(payer.to_bytes()) })
}
