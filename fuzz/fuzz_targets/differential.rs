//! Ids, digests and rates of both chain families against each other, and against the rules of the contracts: EIP-712 over their
//! Solidity types, and the Solana program's own arithmetic.
#![no_main]

use alloy_primitives::{Address, B256, U256};
use alloy_sol_types::{Eip712Domain, SolStruct, SolValue, sol};
use causeway_domain::{
    Attestation, ChainId, FilledOrder, ForwardingOrder, IntentTerms, SOLANA_CHAIN_ID, TERMS_VERSION,
    batch_digest,
};
use causeway_evm::contracts::{Jump, Order};
use causeway_solana::program::EscrowProgram;
use solana_address::Address as SolanaAddress;

/// The arithmetic of the program on the chain.
#[path = "../../contracts/solana/escrow/src/rate.rs"]
mod rate;

/// What `rate` takes from its own crate.
mod terms {
    pub type Word = [u8; 32];
}

sol! {
    struct CausewayOrder {
        uint256 version; uint256 originChainId; bytes32 escrow; bytes32 user; bytes32 nonce; bytes32 inputToken;
        uint256 amountIn; bytes32 refundTo; bytes32 filler; bytes32 payee; bytes32 referrer; uint256 referrerFee;
        uint256 destinationChainId; bytes32 settler; bytes32 outputToken; uint256 amountOut; bytes32 recipient;
        uint256 openDeadline; uint256 fillDeadline; uint256 refundAt; uint256 epoch;
    }
    struct CausewayJump {
        uint256 version; uint256 originChainId; bytes32 escrow; bytes32 nonce; bytes32 maker; bytes32 inputToken;
        bytes32 refundTo; uint256 destinationChainId; bytes32 outputToken; bytes32 recipient; uint256 rateIn;
        uint256 rateOut; uint256 expiry;
    }
    struct Filled { bytes32 orderId; uint256 filledAt; bytes32 fillRef; }
    struct Fill { bytes32 orderId; uint256 filledAt; bytes32 fillRef; }
    struct FilledBatch { Fill[] fills; }
    struct Unfilled { bytes32 orderId; uint256 destinationTime; }
    struct OpenJump { bytes32 jumpId; bytes32 orderId; }
    struct ReleaseJump { bytes32 jumpId; }
}

/// Words and numbers from the input, zero where it has ended.
struct Source<'a>(&'a [u8]);

impl Source<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let length = self.0.len().min(N);
        let (taken, rest) = self.0.split_at(length);
        self.0 = rest;
        let mut bytes = [0; N];
        bytes[N - length..].copy_from_slice(taken);
        bytes
    }

    /// Often with many zeros, as addresses of EVM chains and most amounts have them.
    fn word(&mut self) -> B256 {
        match self.take::<1>()[0] % 6 {
            0 => B256::ZERO,
            1 => B256::left_padding_from(&self.take::<20>()),
            2 => B256::left_padding_from(&self.take::<8>()),
            3 => B256::repeat_byte(0xff),
            _ => self.take::<32>().into(),
        }
    }

    fn number(&mut self) -> u64 {
        u64::from_be_bytes(self.take())
    }
}

fn terms_from(source: &mut Source<'_>) -> IntentTerms {
    IntentTerms {
        origin_chain_id: source.number(),
        escrow: source.word(),
        user: source.word(),
        nonce: source.word(),
        input_token: source.word(),
        amount_in: source.word().into(),
        refund_to: source.word(),
        filler: source.word(),
        payee: source.word(),
        referrer: source.word(),
        referrer_fee: source.word().into(),
        destination_chain_id: source.number(),
        settler: source.word(),
        output_token: source.word(),
        amount_out: source.word().into(),
        recipient: source.word(),
        open_deadline: source.number(),
        fill_deadline: source.number(),
        refund_at: source.number(),
        epoch: source.number(),
    }
}

/// The id of terms and their encoding: ours, the contracts', and what Solana's instructions carry.
fn intents(source: &mut Source<'_>, program: EscrowProgram) -> IntentTerms {
    let terms = terms_from(source);
    let order = Order::from(&terms);
    assert_eq!(order.abi_encode(), terms.to_bytes());
    assert_eq!(order.terms(), Some(terms));
    let typed = CausewayOrder::abi_decode(&terms.to_bytes()).expect("the same words");
    assert_eq!(typed.eip712_hash_struct(), terms.id(), "the id on EVM chains");
    assert_eq!(typed.version, U256::from(TERMS_VERSION));
    let payer = SolanaAddress::new_from_array(source.word().0);
    for built in [program.open(&terms, payer, None), program.sweep(&terms, payer, None)] {
        let accounts: Vec<SolanaAddress> = built.accounts.iter().map(|meta| meta.pubkey).collect();
        let read = program.deposited_terms(&accounts, &built.data);
        assert_eq!(read.map(|read| read.id()), Some(terms.id()), "the id on Solana");
    }
    terms
}

fn forwarding(source: &mut Source<'_>, program: EscrowProgram, terms: &IntentTerms) {
    let jump = ForwardingOrder {
        origin_chain_id: terms.origin_chain_id,
        escrow: terms.escrow,
        nonce: source.word(),
        maker: source.word(),
        input_token: terms.input_token,
        refund_to: terms.refund_to,
        destination_chain_id: terms.destination_chain_id,
        output_token: terms.output_token,
        recipient: terms.recipient,
        rate_in: source.word().into(),
        rate_out: source.word().into(),
        expiry: source.number(),
    };
    assert_eq!(Jump::from(&jump).abi_encode(), jump.to_bytes());
    let typed = CausewayJump::abi_decode(&jump.to_bytes()).expect("the same words");
    assert_eq!(typed.eip712_hash_struct(), jump.id());
    let words: [[u8; 32]; 4] =
        [jump.rate_in, jump.rate_out, terms.amount_in, terms.amount_out].map(|number| number.to_be_bytes());
    let on_solana = rate::holds(&words[0], &words[1], &words[2], &words[3]);
    assert_eq!(jump.rate_holds(terms.amount_in, terms.amount_out), on_solana, "the rate");
    assert_eq!(jump.matches(terms), on_solana, "everything else is the same");
    let deposits = domain("Causeway Deposits", SOLANA_CHAIN_ID, None, Some(program.id.to_bytes().into()));
    let (jump_id, order) = (jump.id(), terms.id());
    let open = OpenJump { jumpId: jump_id, orderId: order };
    assert_eq!(program.open_jump_digest(jump_id, order), open.eip712_signing_hash(&deposits));
    let release = ReleaseJump { jumpId: jump_id };
    assert_eq!(program.release_jump_digest(jump_id), release.eip712_signing_hash(&deposits));
}

fn domain(name: &'static str, chain: ChainId, contract: Option<Address>, salt: Option<B256>) -> Eip712Domain {
    Eip712Domain::new(Some(name.into()), Some("2".into()), Some(U256::from(chain.get())), contract, salt)
}

/// What attesters sign, for an escrow on either family.
fn attestations(source: &mut Source<'_>, program: EscrowProgram) {
    let (order, filled_at, fill_ref) = (source.word(), source.number(), source.word());
    let filled = Attestation::Filled { order, filled_at, fill_ref };
    let unfilled = Attestation::Unfilled { order, destination_time: filled_at };
    let count = usize::from(source.take::<1>()[0] % 5);
    let fills: Vec<FilledOrder> = (0..count)
        .map(|_| FilledOrder { order: source.word(), filled_at: source.number(), fill_ref: source.word() })
        .collect();
    let chain = ChainId::new(source.number() % ChainId::MAX + 1).expect("in range");
    let contract = Address::from(source.take::<20>());
    let typed_batch = FilledBatch {
        fills: fills
            .iter()
            .map(|fill| Fill {
                orderId: fill.order,
                filledAt: U256::from(fill.filled_at),
                fillRef: fill.fill_ref,
            })
            .collect(),
    };
    let typed_filled = Filled { orderId: order, filledAt: U256::from(filled_at), fillRef: fill_ref };
    let typed_unfilled = Unfilled { orderId: order, destinationTime: U256::from(filled_at) };
    let salt: B256 = program.id.to_bytes().into();
    let solana = domain("Causeway Escrow", SOLANA_CHAIN_ID, None, Some(salt));
    let evm = domain("Causeway Escrow", chain, Some(contract), None);
    let is_evm = chain.family() == causeway_domain::Family::Evm;
    for (escrow_chain, escrow, typed) in
        [(SOLANA_CHAIN_ID, salt, &solana), (chain, contract.into_word(), &evm)]
    {
        if escrow_chain == chain && !is_evm {
            continue;
        }
        assert_eq!(filled.digest(escrow_chain, escrow), Some(typed_filled.eip712_signing_hash(typed)));
        assert_eq!(unfilled.digest(escrow_chain, escrow), Some(typed_unfilled.eip712_signing_hash(typed)));
        assert_eq!(batch_digest(&fills, escrow_chain, escrow), Some(typed_batch.eip712_signing_hash(typed)));
    }
    assert_eq!(Some(program.attestation_digest(&filled)), filled.digest(SOLANA_CHAIN_ID, salt));
    assert_eq!(Some(program.attestation_digest(&unfilled)), unfilled.digest(SOLANA_CHAIN_ID, salt));
    let triples: Vec<_> = fills.iter().map(|fill| (fill.order, fill.filled_at, fill.fill_ref)).collect();
    assert_eq!(Some(program.batch_digest(&triples)), batch_digest(&fills, SOLANA_CHAIN_ID, salt));
}

fn both_families(bytes: &[u8]) {
    let mut source = Source(bytes);
    let program = EscrowProgram::new(SolanaAddress::new_from_array(source.take()));
    let terms = intents(&mut source, program);
    forwarding(&mut source, program, &terms);
    attestations(&mut source, program);
}

causeway_fuzz::target!(&[("both_families", both_families as fn(&[u8]))]);
