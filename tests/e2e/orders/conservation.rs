use std::collections::BTreeMap;

use alloy_primitives::U256;
use causeway_domain::{Address, Family};
use causeway_sandbox::genesis::Roles;

use super::audit::OperatorBalances;
use super::chains::{Chains, coin};
use super::payer::{DepositVia, Outcome, Payer};
use super::solana::{SOL, SOLANA};

/// Where the units of one token on one chain went, all of it read from balances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flow {
    /// What those who deposited have less.
    pub(super) deposited: U256,
    /// What the fillers were paid.
    pub(super) paid: U256,
    /// What came back.
    pub(super) refunded: U256,
    /// What is left in our contracts and at addresses of ours.
    pub(super) left: U256,
    /// What the fillers have less.
    pub(super) delivered: U256,
    /// What recipients have.
    pub(super) received: U256,
}

impl Flow {
    fn is_whole(&self) -> bool {
        self.deposited == self.paid + self.refunded && self.left.is_zero() && self.delivered == self.received
    }
}

/// The flows by chain and token.
pub(super) type Flows = BTreeMap<(u64, Address), Flow>;

/// Adds up all balances, and fails when a unit is missing or too many anywhere.
pub(super) async fn flows(
    chains: &Chains,
    payers: &[Payer],
    (before, after): (&OperatorBalances, &OperatorBalances),
    seed: u64,
) -> Flows {
    let mut flows = Flows::new();
    let roles = Roles::new().unwrap();
    let paid_to: Vec<Address> = roles
        .fillers
        .iter()
        .flat_map(|filler| [Address::Evm(filler.payee.address), Address::Solana(filler.solana_payee.address)])
        .collect();
    for ((chain, token, owner), then) in &before.0 {
        let now = after.0[&(*chain, *token, *owner)];
        let flow = flows.entry((*chain, *token)).or_default();
        if paid_to.contains(owner) {
            flow.paid += now.checked_sub(*then).expect("a payee never has less than before");
        } else {
            flow.delivered += then.checked_sub(now).expect("a filler never has more than before");
        }
    }
    for payer in payers {
        let spent = spent(chains, payer).await;
        let (built_order, plan) = (payer.built_order(), payer.plan);
        let expected =
            if plan.outcome == Outcome::NeverDeposited { U256::ZERO } else { built_order.amount_in };
        assert_eq!(spent, expected, "seed {seed}: what was paid by {payer:?}");
        let back = chains.balance(plan.from.0, plan.from.1, payer.refund_to).await;
        let got = chains.balance(plan.to.0, plan.to.1, payer.recipient).await;
        let mut left = U256::ZERO;
        if plan.via == DepositVia::Transfer && plan.from.0 != SOLANA {
            left = chains.balance(plan.from.0, plan.from.1, built_order.deposit_address()).await;
        }
        let from = flows.entry(plan.from).or_default();
        from.deposited += spent;
        from.refunded += back;
        from.left += left;
        flows.entry(plan.to).or_default().received += got;
    }
    let mut ours: Vec<Address> =
        payers.iter().flat_map(|payer| [payer.built_order().escrow, payer.built_order().settler]).collect();
    ours.sort_unstable();
    ours.dedup();
    for ((chain, token), flow) in &mut flows {
        for contract in ours.iter().filter(|at| at.family() == Family::Evm && *chain != SOLANA) {
            flow.left += chains.balance(*chain, *token, *contract).await;
        }
    }
    for (place, flow) in &flows {
        assert!(flow.is_whole(), "seed {seed}: {place:?} does not add up: {flow:?}");
    }
    flows
}

/// What a payer has less than it was given, without what it paid for its transactions.
async fn spent(chains: &Chains, payer: &Payer) -> U256 {
    let (chain, token) = payer.plan.from;
    let owner = payer.key.address();
    let mut given = payer.plan.amount;
    let mut fees = U256::ZERO;
    if token == coin(chain) {
        given += Payer::gas_budget(chain);
        fees = if token == SOL {
            let mut lamports = chains.spent_on_solana(owner).await.lamports;
            // The order's record keeps its rent, and holds a SOL deposit until it is paid out.
            if payer.plan.via != DepositVia::Transfer && payer.plan.outcome != Outcome::NeverDeposited {
                lamports += chains.rent_on_solana(payer.built_order().intent).await;
            }
            U256::from(lamports)
        } else {
            chains.totals(chain).await.gas.get(&owner).map_or(U256::ZERO, |(gas, _)| *gas)
        };
    }
    given - fees - chains.balance(chain, token, owner).await
}
