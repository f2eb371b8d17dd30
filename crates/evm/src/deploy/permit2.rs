use alloy_primitives::Address;
use causeway_domain::ChainId;

use super::runtime_code::permit2_code;

/// Whether `code` is the deployed code of Permit2 at this address of the chain.
pub(super) fn is_permit2(chain: ChainId, address: Address, code: &[u8]) -> bool {
    permit2_code(chain.get(), address).is_some_and(|expected| expected == code)
}

#[cfg(test)]
mod tests {
    use alloy_primitives::address;

    use super::*;

    const PERMIT2: Address = address!("000000000022D473030F116dDEE9F6B43aC78BA3");

    #[test]
    fn the_code_of_another_chain_or_address_or_with_one_byte_changed_is_not_permit2() {
        let (one, base) = (ChainId::new(1).unwrap(), ChainId::new(8453).unwrap());
        let mut code = permit2_code(1, PERMIT2).unwrap();
        assert!(is_permit2(one, PERMIT2, &code));
        assert!(!is_permit2(base, PERMIT2, &code));
        assert!(!is_permit2(one, Address::repeat_byte(1), &code));
        code[100] ^= 1;
        assert!(!is_permit2(one, PERMIT2, &code));
        assert!(!is_permit2(one, PERMIT2, &[]));
    }
}
