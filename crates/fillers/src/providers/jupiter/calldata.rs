use causeway_domain::ports::SolanaInstruction;
use causeway_provider_calls::jupiter::Key;

pub(crate) use causeway_provider_calls::jupiter::Swap;

/// Reads an instruction; `None` for every other one.
pub(super) fn read_swap(instruction: &SolanaInstruction) -> Option<Swap> {
    let accounts: Vec<Option<Key>> =
        instruction.accounts.iter().map(|account| Some(account.address)).collect();
    Swap::read(&instruction.program, &accounts, &instruction.data).ok()
}

/// The instruction for a swap, with these accounts of exchanges and this plan.
#[cfg(any(feature = "standin", test))]
pub(crate) fn instruction(
    swap: &Swap,
    program: Key,
    more: &[causeway_domain::ports::SolanaAccount],
    plan: &[u8],
) -> SolanaInstruction {
    // The payer signs, and the accounts of input and output change.
    let account = |(place, address): (usize, Key)| causeway_domain::ports::SolanaAccount {
        address,
        is_signer: place == 0,
        is_writable: place == 1 || place == 2,
    };
    let own = swap.accounts(program).into_iter().flatten().enumerate().map(account);
    let accounts = own.chain(more.iter().copied()).collect();
    SolanaInstruction { program, accounts, data: swap.data(plan) }
}
