use alloy_primitives::U256;
use causeway_domain::{Address as AnyAddress, RawAmount, UsdAmount};
use solana_address::Address;
use solana_signer::Signer;

use super::{Genesis, MintSpec};
use crate::genesis::Roles;
use crate::sandbox::TokenSpec;
use crate::solana::config::SolanaError;
use crate::solana::programs::NATIVE_MINT;
use crate::solana::wallets::test_wallets;

/// Where the program that holds deposits lies. Nobody has the key of this address, and a program that is there from the
/// beginning needs none.
pub const ESCROW_PROGRAM: Address = Address::from_str_const("CausewayEscrow11111111111111111111111111111");

/// The program as `contracts/solana` keeps it compiled.
const ESCROW_CODE: &[u8] = include_bytes!("../../../../../contracts/solana/escrow.so");

/// What each test wallet holds, in SOL.
const WALLET_SOL: u64 = 10_000;
/// What each account of the service that sends transactions holds, in SOL.
const ROLE_SOL: u64 = 100_000;
/// What an account that is only paid holds, so that the chain keeps it.
const PAYEE_SOL: u64 = 1;
const LAMPORTS_PER_SOL: u64 = 1_000_000_000;

/// What a wallet holds of each token, in dollars where the price is known, else in whole tokens.
const WALLET_DOLLARS: &str = "1000000";
const WALLET_TOKENS: u64 = 100;
/// The same for a filler.
const MAKER_DOLLARS: &str = "5000000";
const MAKER_TOKENS: u64 = 1_000;

/// What the sandbox's Solana begins with: funded test wallets, play tokens at the addresses of the real ones, the accounts of
/// the service with what they work with, and the escrow program.
pub fn play_genesis(tokens: &[TokenSpec], roles: &Roles) -> Result<Genesis, SolanaError> {
    let mut genesis = Genesis::new()?;
    let deployer = Address::from(roles.solana_deployer.address);
    genesis.add_program(ESCROW_PROGRAM, ESCROW_CODE, Some(deployer));

    let wallets: Vec<Address> = test_wallets().iter().map(Signer::pubkey).collect();
    let mut makers: Vec<Address> =
        roles.fillers.iter().map(|filler| filler.solana_hot.address.into()).collect();
    makers.push(roles.solana_ramps.address.into());
    let payees: Vec<Address> =
        roles.fillers.iter().map(|filler| filler.solana_payee.address.into()).collect();
    let senders = [deployer, roles.solana_relayer.address.into()];
    let funded = [
        (wallets.as_slice(), WALLET_SOL),
        (makers.as_slice(), ROLE_SOL),
        (senders.as_slice(), ROLE_SOL),
        (payees.as_slice(), PAYEE_SOL),
    ];
    for (accounts, sol) in funded {
        for account in accounts {
            genesis.fund(*account, sol * LAMPORTS_PER_SOL);
        }
    }
    for token in tokens {
        let AnyAddress::Solana(bytes) = token.address else { continue };
        let mint = Address::from(bytes);
        // Wrapped SOL has its mint already, and is had by wrapping.
        if mint != NATIVE_MINT {
            genesis.add_mint(mint, &MintSpec { decimals: token.decimals, ..MintSpec::default() });
            for wallet in &wallets {
                genesis.add_tokens(*wallet, mint, worth(token, WALLET_DOLLARS, WALLET_TOKENS))?;
            }
        }
        for maker in &makers {
            genesis.add_tokens(*maker, mint, worth(token, MAKER_DOLLARS, MAKER_TOKENS))?;
        }
        // The program pays at associated accounts, and makes none.
        for payee in &payees {
            genesis.add_tokens(*payee, mint, 0)?;
        }
    }
    Ok(genesis)
}

/// So many dollars' worth, or so many tokens where the price is not known; of what fits 64 bits, as much as leaves room for
/// everybody.
fn worth(token: &TokenSpec, dollars: &str, tokens: u64) -> u64 {
    let dollars = dollars.parse::<UsdAmount>().ok();
    let worth = token.usd_price.zip(dollars).and_then(|(price, dollars)| price.buys(dollars, token.decimals));
    let whole = U256::from(10).checked_pow(U256::from(token.decimals)).unwrap_or(U256::MAX);
    let amount = worth.map_or(U256::from(tokens).saturating_mul(whole), RawAmount::get);
    u64::try_from(amount).unwrap_or(u64::MAX).min(u64::MAX / 1_000)
}
