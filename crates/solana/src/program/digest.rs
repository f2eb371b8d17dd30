use alloy_primitives::{Address as Attester, B256, U256, keccak256};
use causeway_domain::Attestation;

use super::{EscrowProgram, SOLANA_CHAIN_ID};

const DOMAIN_TYPE: &str = "EIP712Domain(string name,string version,uint256 chainId,bytes32 salt)";

/// Digests that attesters and makers sign for the program: EIP-712 with the types of the EVM contracts.
/// The domain has name, version, Solana's chain id and the program's address as its salt.
impl EscrowProgram {
    /// The digest of a statement about an order that was opened here.
    pub fn attestation_digest(&self, attestation: &Attestation) -> B256 {
        let statement = match *attestation {
            Attestation::Filled { order, filled_at, fill_ref } => {
                let kind = "Filled(bytes32 orderId,uint256 filledAt,bytes32 fillRef)";
                hash(kind, &[order, number(filled_at), fill_ref])
            }
            Attestation::Unfilled { order, destination_time } => {
                let kind = "Unfilled(bytes32 orderId,uint256 destinationTime)";
                hash(kind, &[order, number(destination_time)])
            }
        };
        self.digest("Causeway Escrow", statement)
    }

    /// The digest of a statement about many orders that were opened here and filled: id, time and reference of each.
    pub fn batch_digest(&self, fills: &[(B256, u64, B256)]) -> B256 {
        let fill = "Fill(bytes32 orderId,uint256 filledAt,bytes32 fillRef)";
        let hashes = fills
            .iter()
            .map(|(order, filled_at, fill_ref)| hash(fill, &[*order, number(*filled_at), *fill_ref]));
        let list = keccak256(hashes.collect::<Vec<_>>().concat());
        self.digest("Causeway Escrow", hash(&format!("FilledBatch(Fill[] fills){fill}"), &[list]))
    }

    /// The digest of a handover to `members` as the next epoch, `proposal` being the number of handovers proposed so
    /// far.
    pub fn handover_digest(&self, epoch: u64, proposal: u64, threshold: u8, members: &[Attester]) -> B256 {
        let kind = "Handover(uint256 epoch,uint256 proposal,address[] attesters,uint256 threshold)";
        let list = keccak256(members.iter().map(Attester::into_word).collect::<Vec<_>>().concat());
        let words = [number(epoch), number(proposal), list, number(threshold.into())];
        self.digest("Causeway Attesters", hash(kind, &words))
    }

    /// The digest of an attester's resignation.
    pub fn resignation_digest(&self, epoch: u64) -> B256 {
        self.digest("Causeway Attesters", hash("Resign(uint256 epoch)", &[number(epoch)]))
    }

    /// The digest of an attester's pause of new deposits.
    pub fn pause_digest(&self, epoch: u64, until: u64) -> B256 {
        let words = [number(epoch), number(until)];
        self.digest("Causeway Attesters", hash("PauseOpen(uint256 epoch,uint256 until)", &words))
    }

    /// The digest that a maker signs to open an order from a forwarding address.
    pub fn open_jump_digest(&self, jump: B256, order: B256) -> B256 {
        keccak256(self.open_jump_payload(jump, order))
    }

    /// What that digest is the hash of.
    pub fn open_jump_payload(&self, jump: B256, order: B256) -> Vec<u8> {
        self.payload("Causeway Deposits", hash("OpenJump(bytes32 jumpId,bytes32 orderId)", &[jump, order]))
    }

    /// The digest that a maker signs to return the balance of a forwarding address.
    pub fn release_jump_digest(&self, jump: B256) -> B256 {
        keccak256(self.release_jump_payload(jump))
    }

    /// What that digest is the hash of.
    pub fn release_jump_payload(&self, jump: B256) -> Vec<u8> {
        self.payload("Causeway Deposits", hash("ReleaseJump(bytes32 jumpId)", &[jump]))
    }

    fn digest(&self, name: &str, statement: B256) -> B256 {
        keccak256(self.payload(name, statement))
    }

    fn payload(&self, name: &str, statement: B256) -> Vec<u8> {
        let words = [keccak256(name), keccak256("2"), number(SOLANA_CHAIN_ID), self.id.to_bytes().into()];
        let domain = hash(DOMAIN_TYPE, &words);
        [&[0x19, 0x01], domain.as_slice(), statement.as_slice()].concat()
    }
}

fn hash(kind: &str, words: &[B256]) -> B256 {
    keccak256([keccak256(kind).as_slice(), words.concat().as_slice()].concat())
}

fn number(value: u64) -> B256 {
    U256::from(value).into()
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{b256, uint};
    use alloy_sol_types::{Eip712Domain, SolStruct, sol};

    use super::super::SANDBOX_PROGRAM;
    use super::*;

    sol! {
        struct Filled { bytes32 orderId; uint256 filledAt; bytes32 fillRef; }
        struct Fill { bytes32 orderId; uint256 filledAt; bytes32 fillRef; }
        struct FilledBatch { Fill[] fills; }
        struct Unfilled { bytes32 orderId; uint256 destinationTime; }
        struct Handover { uint256 epoch; uint256 proposal; address[] attesters; uint256 threshold; }
        struct Resign { uint256 epoch; }
        struct PauseOpen { uint256 epoch; uint256 until; }
        struct OpenJump { bytes32 jumpId; bytes32 orderId; }
        struct ReleaseJump { bytes32 jumpId; }
    }

    const PROGRAM: EscrowProgram = EscrowProgram::new(SANDBOX_PROGRAM);

    fn domain(name: &'static str) -> Eip712Domain {
        let chain = U256::from(SOLANA_CHAIN_ID);
        Eip712Domain::new(
            Some(name.into()),
            Some("2".into()),
            Some(chain),
            None,
            Some(SANDBOX_PROGRAM.to_bytes().into()),
        )
    }

    #[test]
    fn rule_10_the_domain_has_the_program_as_its_salt() {
        let (order, fill_ref) = (B256::repeat_byte(1), B256::repeat_byte(2));
        let ours =
            PROGRAM.attestation_digest(&Attestation::Filled { order, filled_at: 1_700_000_000, fill_ref });
        let theirs = Filled { orderId: order, filledAt: uint!(1_700_000_000_U256), fillRef: fill_ref };
        assert_eq!(ours, theirs.eip712_signing_hash(&domain("Causeway Escrow")));
        let attestation = Attestation::Filled { order, filled_at: 1_700_000_000, fill_ref };
        assert_eq!(
            attestation.digest(causeway_domain::SOLANA_CHAIN_ID, SANDBOX_PROGRAM.to_bytes().into()),
            Some(ours)
        );
        // As viem hashes the same statement.
        assert_eq!(ours, b256!("f0899e6ff59cd475c3b0900d807a040ab2883267179b89788c9d39c310afff86"));

        let ours = PROGRAM.attestation_digest(&Attestation::Unfilled { order, destination_time: 7 });
        let theirs = Unfilled { orderId: order, destinationTime: uint!(7_U256) };
        assert_eq!(ours, theirs.eip712_signing_hash(&domain("Causeway Escrow")));
    }

    #[test]
    fn rule_31_one_digest_speaks_for_many_orders() {
        let word = B256::repeat_byte;
        let fills = [(word(1), 1_700_000_000, word(2)), (word(3), 1_700_000_001, word(4))];
        let theirs = fills.map(|(order, filled_at, fill_ref)| Fill {
            orderId: order,
            filledAt: U256::from(filled_at),
            fillRef: fill_ref,
        });
        let theirs = FilledBatch { fills: theirs.into() };
        let ours = PROGRAM.batch_digest(&fills);
        assert_eq!(ours, theirs.eip712_signing_hash(&domain("Causeway Escrow")));
        // As viem hashes the same list.
        assert_eq!(ours, b256!("dd061d234f73d568f237f8dd639865a0cf64ec1ba4447ba9d6d36c1fa2a22d5e"));
        assert_ne!(ours, PROGRAM.batch_digest(&[fills[1], fills[0]]), "the order of the list counts");
    }

    #[test]
    fn attester_set_messages_have_their_own_domain() {
        let domain = domain("Causeway Attesters");
        let members = vec![Attester::repeat_byte(3), Attester::repeat_byte(4)];
        let ours = PROGRAM.handover_digest(2, 5, 2, &members);
        let theirs = Handover {
            epoch: uint!(2_U256),
            proposal: uint!(5_U256),
            attesters: members,
            threshold: uint!(2_U256),
        };
        assert_eq!(ours, theirs.eip712_signing_hash(&domain));
        assert_eq!(
            PROGRAM.resignation_digest(9),
            Resign { epoch: uint!(9_U256) }.eip712_signing_hash(&domain)
        );
        let pause = PauseOpen { epoch: uint!(1_U256), until: uint!(2_U256) };
        assert_eq!(PROGRAM.pause_digest(1, 2), pause.eip712_signing_hash(&domain));
    }

    #[test]
    fn rule_21_maker_signatures_have_their_own_domain() {
        let domain = domain("Causeway Deposits");
        let (jump, order) = (B256::repeat_byte(5), B256::repeat_byte(6));
        let open = OpenJump { jumpId: jump, orderId: order };
        assert_eq!(PROGRAM.open_jump_digest(jump, order), open.eip712_signing_hash(&domain));
        let release = ReleaseJump { jumpId: jump };
        assert_eq!(PROGRAM.release_jump_digest(jump), release.eip712_signing_hash(&domain));
    }
}
