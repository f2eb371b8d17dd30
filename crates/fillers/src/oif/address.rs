use alloy_primitives::{Address as EvmAddress, hex};
use causeway_domain::{Address, ChainId, Family};

/// ERC-7930, version 1, a chain of the namespace `eip155`.
const HEAD: [u8; 4] = [0, 1, 0, 0];
const ADDRESS_LENGTH: u8 = 20;

/// Encodes an account or contract with its chain as ERC-7930; `None` for chains other than EVM.
pub(super) fn interoperable(chain: ChainId, address: Address) -> Option<String> {
    let Address::Evm(address) = address else { return None };
    let number = chain.get().to_be_bytes();
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    let number = number.get(zeros..)?;
    let length = u8::try_from(number.len()).ok()?;
    let bytes = [&HEAD, [length].as_slice(), number, &[ADDRESS_LENGTH], address.as_slice()].concat();
    Some(hex::encode_prefixed(bytes))
}

/// Decodes an ERC-7930 address; `None` for anything but a canonical account on an EVM chain.
pub(super) fn read(text: &str) -> Option<(ChainId, Address)> {
    // The decoder would accept a second prefix.
    let digits = text.strip_prefix("0x").filter(|digits| !digits.contains(['x', 'X']))?;
    let bytes = hex::decode(digits).ok()?;
    let (length, rest) = bytes.strip_prefix(&HEAD)?.split_first()?;
    let (number, rest) = rest.split_at_checked(usize::from(*length))?;
    let address = rest.strip_prefix(&[ADDRESS_LENGTH])?;
    let address = EvmAddress::from(<[u8; 20]>::try_from(address).ok()?);
    if number.first().is_none_or(|first| *first == 0) || number.len() > 8 {
        return None;
    }
    let number = number.iter().fold(0_u64, |number, byte| (number << 8) | u64::from(*byte));
    let chain = ChainId::new(number).filter(|chain| chain.family() == Family::Evm)?;
    Some((chain, Address::Evm(address)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn chain(id: u64) -> ChainId {
        ChainId::new(id).unwrap()
    }

    #[test]
    fn addresses_are_encoded_as_in_the_standard() {
        // The example of ERC-7930 for an account on Ethereum.
        let vitalik = Address::parse(Family::Evm, "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045").unwrap();
        let text = "0x00010000010114d8da6bf26964af9d7eed9e03e53415d37aa96045";
        assert_eq!(interoperable(chain(1), vitalik).as_deref(), Some(text));
        assert_eq!(read(&text.to_uppercase().replace("0X", "0x")), Some((chain(1), vitalik)));
        let arbitrum = interoperable(chain(42_161), vitalik).unwrap();
        assert!(arbitrum.starts_with("0x0001000002a4b114d8da"), "{arbitrum}");
        assert_eq!(interoperable(chain(1), Address::Solana([1; 32])), None);
    }

    #[test]
    fn invalid_interoperable_address_is_rejected() {
        let good = "00010000010114d8da6bf26964af9d7eed9e03e53415d37aa96045";
        for bad in [
            "",
            "0x",
            good,
            "0xd8da6bf26964af9d7eed9e03e53415d37aa96045",
            &format!("0x0x{good}"),
            &format!("0x{good}00"),
            &format!("0x{}", &good[..52]),
            "0x0002000001011400000000000000000000000000000000000000ff",
            "0x0001000201011400000000000000000000000000000000000000ff",
            "0x000100000014d8da6bf26964af9d7eed9e03e53415d37aa96045",
            "0x0001000002000114d8da6bf26964af9d7eed9e03e53415d37aa96045",
            "0x00010000010114zzda6bf26964af9d7eed9e03e53415d37aa96045",
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn addresses_read_back(id in 1u64..9_000_000_000, bytes in any::<[u8; 20]>()) {
            let address = Address::Evm(bytes.into());
            prop_assert_eq!(read(&interoperable(chain(id), address).unwrap()), Some((chain(id), address)));
        }

        #[test]
        fn any_text_is_read_or_refused_without_panic(text in "0x0001[0-9a-fA-F]{0,80}") {
            let _ = read(&text);
        }
    }
}
