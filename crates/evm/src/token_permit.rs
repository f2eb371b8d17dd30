use alloy_primitives::{Address, B256, U256, keccak256};
use causeway_domain::ChainId;

use crate::token_domain::TokenDomain;

pub(crate) const TOKEN_PERMIT_TYPE: &str =
    "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)";

/// An EIP-2612 permit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TokenPermitData<'a> {
    pub(crate) domain: &'a TokenDomain,
    pub(crate) chain: ChainId,
    pub(crate) token: Address,
    pub(crate) owner: Address,
    pub(crate) spender: Address,
    pub(crate) value: U256,
    /// The owner's next one in the token.
    pub(crate) nonce: U256,
    /// The last second in which the token takes it.
    pub(crate) deadline: U256,
}

impl TokenPermitData<'_> {
    /// What the owner signs.
    pub(crate) fn digest(&self) -> B256 {
        let words = [
            keccak256(TOKEN_PERMIT_TYPE),
            self.owner.into_word(),
            self.spender.into_word(),
            self.value.into(),
            self.nonce.into(),
            self.deadline.into(),
        ];
        self.domain.digest(self.chain, self.token, keccak256(words.concat()))
    }
}
