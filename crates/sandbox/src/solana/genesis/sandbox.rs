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

/// The address of the escrow program. Nobody has its key, and a genesis program needs none.
pub const ESCROW_PROGRAM: Address = Address::from_str_const("CausewayEscrow11111111111111111111111111111");

/// The compiled escrow program of `contracts/solana`.
pub const ESCROW_CODE: &[u8] = include_bytes!("../../../../../contracts/solana/escrow.so");

/// The compiled play exchange of `contracts/solana`, which is for sandboxes alone.
pub const EXCHANGE_CODE: &[u8] = include_bytes!("../../../../../contracts/solana/exchange.so");

/// The balance of each test wallet, in SOL.
const WALLET_SOL: u64 = 10_000;
/// The balance of each sending account of the service, in SOL.
const ROLE_SOL: u64 = 100_000;
/// The balance of a receiving account, which keeps it rent-exempt, in SOL.
const PAYEE_SOL: u64 = 1;
const LAMPORTS_PER_SOL: u64 = 1_000_000_000;

/// The balance of each token in a wallet: in dollars if the price is known, else in whole tokens.
const WALLET_DOLLARS: &str = "1000000";
const WALLET_TOKENS: u64 = 100;
/// The same for a filler.
const MAKER_DOLLARS: &str = "5000000";
const MAKER_TOKENS: u64 = 1_000;

/// The genesis of the sandbox's Solana: funded test wallets, test tokens at the addresses of the real ones, the funded
/// accounts of the service, and the escrow program.
pub fn sandbox_genesis(tokens: &[TokenSpec], roles: &Roles) -> Result<Genesis, SolanaError> {
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
        // Wrapped SOL already has its mint; wallets get it by wrapping.
        if mint != NATIVE_MINT {
            genesis.add_mint(mint, &MintSpec { decimals: token.decimals, ..MintSpec::default() });
            for wallet in &wallets {
                genesis.add_tokens(*wallet, mint, raw_amount(token, WALLET_DOLLARS, WALLET_TOKENS))?;
            }
        }
        for maker in &makers {
            genesis.add_tokens(*maker, mint, raw_amount(token, MAKER_DOLLARS, MAKER_TOKENS))?;
        }
        // The program pays to associated accounts and does not create them.
        for payee in &payees {
            genesis.add_tokens(*payee, mint, 0)?;
        }
    }
    Ok(genesis)
}

/// The raw amount for a value in dollars, or a number of tokens if the price is unknown; capped so that the supply of
/// all holders fits 64 bits.
fn raw_amount(token: &TokenSpec, dollars: &str, tokens: u64) -> u64 {
    let dollars = dollars.parse::<UsdAmount>().ok();
    let priced =
        token.usd_price.zip(dollars).and_then(|(price, dollars)| price.buys(dollars, token.decimals));
    let whole = U256::from(10).checked_pow(U256::from(token.decimals)).unwrap_or(U256::MAX);
    let amount = priced.map_or(U256::from(tokens).saturating_mul(whole), RawAmount::get);
    u64::try_from(amount).unwrap_or(u64::MAX).min(u64::MAX / 1_000)
}
