use alloy_primitives::{Address, B256, Bytes, U256};
use alloy_sol_types::{SolCall as _, sol};
use causeway_domain::{Deployment, IntentTerms};

use crate::attest::evm_address;
use crate::contracts::{Escrow, onchain_envelope};
use crate::send::TxRequest;

sol! {
    interface Erc20 {
        event Transfer(address indexed from, address indexed to, uint256 value);

        function allowance(address owner, address spender) external view returns (uint256);
        function approve(address spender, uint256 amount) external;
        function transfer(address to, uint256 amount) external;
    }
}

/// Payer, token and amount, from an order's terms.
#[derive(Clone, Debug)]
pub(crate) struct Payment {
    pub(crate) user: Address,
    /// The zero address is the native coin.
    pub(crate) token: Address,
    pub(crate) amount: U256,
    /// The payer's call to the escrow.
    pub(crate) open: TxRequest,
}

impl Payment {
    /// Reads the payment into this escrow, or the reason why the terms are not for it.
    pub(crate) fn read(terms: &IntentTerms, contracts: &Deployment) -> Result<Self, String> {
        if terms.origin_chain_id != contracts.chain.get() {
            return Err(format!(
                "the order is paid on chain {}, not on chain {}",
                terms.origin_chain_id, contracts.chain
            ));
        }
        if terms.escrow != contracts.escrow.into_word() {
            return Err(format!("the order is for another escrow, {}", terms.escrow));
        }
        let envelope = onchain_envelope(terms)
            .ok_or_else(|| "the order's deadlines are beyond what the escrow supports".to_owned())?;
        let address = |word: B256| evm_address(word).ok_or_else(|| format!("{word} is not an EVM address"));
        let (user, token) = (address(terms.user)?, address(terms.input_token)?);
        let value = if token.is_zero() { terms.amount_in } else { U256::ZERO };
        let data = Escrow::openCall { order: envelope }.abi_encode().into();
        let open = TxRequest { to: contracts.escrow, value, data };
        Ok(Self { user, token, amount: terms.amount_in, open })
    }

    pub(super) fn is_native(&self) -> bool {
        self.token.is_zero()
    }

    pub(super) fn approve(&self, spender: Address, amount: U256) -> TxRequest {
        self.token_call(Erc20::approveCall { spender, amount }.abi_encode())
    }

    /// A plain transfer, to simulate whether the token allows it.
    pub(super) fn transfer(&self) -> TxRequest {
        self.token_call(Erc20::transferCall { to: self.open.to, amount: self.amount }.abi_encode())
    }

    fn token_call(&self, data: Vec<u8>) -> TxRequest {
        TxRequest { to: self.token, value: U256::ZERO, data: data.into() }
    }
}

/// Whether a token call succeeded: an empty return counts, as it does in the escrow; `false` does not.
pub(super) fn returned_true(answer: &Bytes) -> bool {
    answer.is_empty()
        || answer.first_chunk::<32>().is_some_and(|word| U256::from_be_bytes(*word) == U256::ONE)
}
