//! What follows, carries and attests orders, over the sandbox's chain.

mod attesting;
mod carrying;
mod closing;
mod following;
mod jumping;
#[path = "../../../../evm/tests/it/outbox.rs"]
mod outbox;
mod paying_out;

use std::sync::Arc;

use alloy_primitives::{B256, U256};
use causeway_domain::ports::{Carrier as _, Deed, Progress};
use causeway_domain::{Address as AnyAddress, SOLANA_CHAIN_ID, SignatureBytes, Terms};
use causeway_sandbox::genesis::{Roles, SolanaWallet};
use causeway_solana::orders::{SolanaCarrier, SolanaSending};
use causeway_solana::program::TokenSource;
use causeway_solana::{SolanaKey, TOKEN_PROGRAM};
use jiff::Timestamp;
use k256::ecdsa::SigningKey;
use solana_address::Address;
use solana_signer::Signer as _;

use crate::play::{PROGRAM, PlayChain, USDC, usdc_of, user};
use outbox::MemoryOutbox;

/// The chain with people who work on it, and an outbox that outlives them.
struct Stage {
    play: PlayChain,
    outbox: Arc<MemoryOutbox>,
    roles: Roles,
}

impl Stage {
    async fn new() -> Self {
        Self { play: PlayChain::start().await, outbox: Arc::default(), roles: Roles::new().unwrap() }
    }

    /// A process that shares chain and outbox with those before it.
    fn carrier(&self, wallet: &SolanaWallet) -> SolanaCarrier {
        let key = SolanaKey::from_seed(wallet.seed.0);
        let programs = std::slice::from_ref(&self.play.deployment);
        let sending = SolanaSending { most_for_unit: 10 };
        SolanaCarrier::new(self.play.rpc.clone(), key, self.outbox.clone(), sending, programs)
    }

    fn filler(&self) -> SolanaCarrier {
        self.carrier(&self.roles.fillers[0].solana_hot)
    }

    fn relayer(&self) -> SolanaCarrier {
        self.carrier(&self.roles.solana_relayer)
    }

    /// Terms of the first test wallet that name the first filler.
    async fn terms(&self, input: Option<Address>) -> Terms {
        let filler = &self.roles.fillers[0];
        Terms {
            filler: filler.solana_hot.address.into(),
            payee: filler.solana_payee.address.into(),
            ..self.play.terms(input).await
        }
    }

    /// The same within Solana, to a wallet that does not exist yet.
    async fn within(&self, input: Option<Address>, output: Option<Address>) -> Terms {
        Terms {
            destination_chain_id: SOLANA_CHAIN_ID.get(),
            settler: self.play.deployment.program,
            output_token: output.map_or(B256::ZERO, |mint| mint.to_bytes().into()),
            amount_out: U256::from(7_000_000),
            recipient: recipient().to_bytes().into(),
            ..self.terms(input).await
        }
    }

    async fn open(&self, terms: &Terms) {
        let payer = user();
        let account = usdc_of(&payer.pubkey());
        let source = (terms.input_token != B256::ZERO)
            .then_some(TokenSource { account, token_program: TOKEN_PROGRAM });
        self.play.land(&payer, &[PROGRAM.open(terms, payer.pubkey(), source)]).await;
    }

    /// Carries until it has ended, letting slots pass meanwhile.
    async fn see_through(&self, carrier: &SolanaCarrier, purpose: &str, deed: &Deed) -> Progress {
        for _ in 0..100 {
            let progress = carrier.carry(purpose, deed, Timestamp::now()).await.unwrap();
            if matches!(progress, Progress::Succeeded(_) | Progress::Reverted(_)) {
                return progress;
            }
            self.play.chain.advance(3).await.unwrap();
            carrier.tend(Timestamp::now()).await.unwrap();
        }
        panic!("{purpose} never ended");
    }

    async fn succeeds(&self, carrier: &SolanaCarrier, purpose: &str, deed: &Deed) {
        let progress = self.see_through(carrier, purpose, deed).await;
        assert!(matches!(progress, Progress::Succeeded(_)), "{purpose}: {progress:?}");
    }

    async fn lamports(&self, address: Address) -> u64 {
        self.play.chain.account(address).await.unwrap().map_or(0, |account| account.lamports)
    }

    async fn tokens(&self, owner: Address) -> u64 {
        let account = self.play.chain.account(usdc_of(&owner)).await.unwrap();
        account.map_or(0, |account| u64::from_le_bytes(account.data[64..72].try_into().unwrap()))
    }

    fn payee(&self) -> Address {
        self.roles.fillers[0].solana_payee.address.into()
    }

    /// The attesters' signatures over a digest, signers ascending.
    fn signatures(&self, digest: B256, count: usize) -> Vec<SignatureBytes> {
        let mut attesters = self.roles.attesters;
        attesters.sort_by_key(|attester| attester.address);
        let sign = |key: &B256| {
            let key = SigningKey::from_slice(key.as_slice()).unwrap();
            let (signature, recovery) = key.sign_prehash_recoverable(digest.as_slice()).unwrap();
            let mut bytes = [0; 65];
            bytes[..64].copy_from_slice(&signature.to_bytes());
            bytes[64] = 27 + recovery.to_byte();
            SignatureBytes::from(bytes)
        };
        attesters.iter().take(count).map(|attester| sign(&attester.key)).collect()
    }
}

fn recipient() -> Address {
    Address::new_from_array([0xec; 32])
}

fn usdc_mint() -> AnyAddress {
    AnyAddress::Solana(USDC.to_bytes())
}
