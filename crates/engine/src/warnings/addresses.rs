use alloy_primitives::{Address as EvmAddress, U256, address};
use causeway_catalog::Snapshot;
use causeway_domain::{Address, ChainId, Family, Severity, TokenId, Warning, WarningCode};

use super::accounts::Elsewhere;
use super::{Payees, chain_name};

/// The number of the last precompiled contract in the row that begins with 1.
const LAST_PRECOMPILE: U256 = U256::from_limbs([0x11, 0, 0, 0]);

/// Well-known addresses of EVM chains that nobody can move anything from.
const EVM: [(EvmAddress, &str); 13] = [
    (address!("000000000000000000000000000000000000dEaD"), "a burn address"),
    (address!("dEAD000000000000000042069420694206942069"), "a burn address"),
    (address!("dead000000000000000000000000000000000000"), "a burn address"),
    (address!("EeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"), "a spelling of the native coin"),
    (address!("0000000000000000000000000000000000000100"), "a precompiled contract"),
    (address!("000000000022D473030F116dDEE9F6B43aC78BA3"), "Permit2"),
    (address!("0000000000225e31D15943971F47aD3022F714Fa"), "Permit2"),
    (address!("cA11bde05977b3631167028862bE2a173976CA11"), "Multicall3"),
    (address!("4e59b44847b379578588920cA78FbF26c0B4956C"), "a contract that deploys others"),
    (address!("ba5Ed099633D3B313e4D5F7bdc1305d3c28ba5Ed"), "a contract that deploys others"),
    (address!("5FF137D4b0FDCD49DcA30c7CF57E578a026d2789"), "an entry point of ERC-4337"),
    (address!("0000000071727De22E5E9d8BAf0edAc6f37da032"), "an entry point of ERC-4337"),
    (address!("4337084D9E255Ff0702461CF8895CE9E3b5Ff108"), "an entry point of ERC-4337"),
];

/// The same of Solana.
const SOLANA: [(&str, &str); 6] = [
    ("1nc1nerator11111111111111111111111111111111", "the incinerator"),
    ("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", "the token program"),
    ("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb", "the token program"),
    ("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL", "the program of token accounts"),
    ("ComputeBudget111111111111111111111111111111", "a program"),
    ("Stake11111111111111111111111111111111111111", "a program"),
];

/// Addresses that would be paid and should not: at most one warning for each.
pub(super) fn of_payees(
    payees: Payees,
    elsewhere: Elsewhere,
    snapshot: &Snapshot,
    ours: &[Address],
) -> Vec<Warning> {
    let (from, to) = (payees.from.chain(), payees.to.chain());
    let sides = [
        ("recipient", "The recipient", payees.recipient, to, from, elsewhere.recipient),
        ("refundTo", "The refund address", payees.refund_to, from, to, elsewhere.refund_to),
    ];
    let mut warnings = Vec::new();
    for (field, who, address, home, other, is_elsewhere) in sides {
        let home_name = || chain_name(snapshot, home);
        let found = if let Some(what) = no_way_out(address, ours) {
            let message = format!("{who} {address} is {what}: nobody can move what arrives there.");
            Some((WarningCode::NoWayOut, message))
        } else if let Some(symbol) = token_symbol(address, home, snapshot) {
            let message = format!(
                "{who} {address} is the contract of the token {symbol} on {}: what arrives there is usually lost.",
                home_name()
            );
            Some((WarningCode::TokenContract, message))
        } else if is_elsewhere {
            let message = format!(
                "{who} {address} is a contract on {}, and nothing is deployed at this address on {home}: the money is lost \
                 unless you control the address on {home} too.",
                chain_name(snapshot, other),
                home = home_name(),
            );
            Some((WarningCode::ContractElsewhere, message))
        } else {
            None
        };
        warnings.extend(found.map(|(code, message)| Warning {
            code,
            severity: Severity::Severe,
            field: Some(field),
            message,
        }));
    }
    warnings
}

/// Whether nobody has the key of a payer.
pub(super) fn is_placeholder(payer: Address) -> bool {
    no_way_out(payer, &[]).is_some()
}

/// What the address is, if it is known that nothing comes back from there.
fn no_way_out(address: Address, ours: &[Address]) -> Option<&'static str> {
    if address == Address::native(address.family()) {
        return Some(match address.family() {
            Family::Evm => "the zero address",
            Family::Solana => "the system program",
            Family::Bitcoin | Family::Tron => "the address of nobody",
        });
    }
    if ours.contains(&address) {
        return Some("a contract of this service");
    }
    match address {
        Address::Evm(address) => {
            let known = EVM.iter().find(|(known, _)| *known == address).map(|(_, what)| *what);
            let number = U256::from_be_bytes(address.into_word().0);
            known.or_else(|| (number <= LAST_PRECOMPILE).then_some("a precompiled contract"))
        }
        Address::Solana(_) => {
            let text = address.to_string();
            SOLANA.iter().find(|(known, _)| *known == text).map(|(_, what)| *what)
        }
        Address::Bitcoin(_) | Address::Tron(_) => None,
    }
}

fn token_symbol(address: Address, chain: ChainId, snapshot: &Snapshot) -> Option<&str> {
    let token = TokenId::from_address(chain, address)?;
    snapshot.token(&token).map(|listed| listed.token.symbol.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_way_out_known_addresses_are_recognized_in_both_families() {
        let evm = |text: &str| no_way_out(Address::parse(Family::Evm, text).unwrap(), &[]);
        assert_eq!(evm("0x000000000000000000000000000000000000dead"), Some("a burn address"));
        assert_eq!(evm("0x0000000000000000000000000000000000000000"), Some("the zero address"));
        assert_eq!(evm("0x0000000000000000000000000000000000000009"), Some("a precompiled contract"));
        assert_eq!(evm("0x0000000000000000000000000000000000000012"), None);
        assert_eq!(evm("0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"), None);
        for (text, what) in SOLANA {
            let address = Address::parse(Family::Solana, text).unwrap();
            assert_eq!(no_way_out(address, &[]), Some(what), "{text}");
        }
        let ours = Address::Evm(EvmAddress::repeat_byte(7));
        assert_eq!(no_way_out(ours, &[ours]), Some("a contract of this service"));
        assert_eq!(no_way_out(ours, &[]), None);
    }
}
