use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use alloy_primitives::{Address, B256, U256};
use causeway_attester::{Journal, JournalEntry};
use causeway_domain::{Attestation, SignatureBytes, SignedAttestation};

const FOLDER: &str = "CAUSEWAY_TEST_JOURNAL";
const ME: Address = Address::repeat_byte(0xa1);

fn signed(number: u64) -> SignedAttestation {
    SignedAttestation {
        attestation: Attestation::Unfilled { order: U256::from(number).into(), destination_time: number },
        epoch: 1,
        attester: ME,
        signature: SignatureBytes::repeat_byte(7),
    }
}

/// The child process of the test below: signs without end and prints each outcome once it is on the disk.
#[test]
#[ignore = "runs as a process of its own, to be killed"]
fn sign_until_killed() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let (mut journal, state) = Journal::open(Path::new(&folder), ME).unwrap();
    let first = u64::try_from(state.signed.len()).unwrap();
    let mut out = std::io::stdout();
    for number in first.. {
        journal.append(&[JournalEntry::Signed(signed(number))], true).unwrap();
        // The harness has begun a line of its own.
        writeln!(out, "\nstored {number}").unwrap();
        out.flush().unwrap();
    }
}

#[test]
fn rule_11_acknowledged_outcomes_survive_kill_9() {
    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged = 0_u64;
    for round in 0..5_usize {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "crash::sign_until_killed", "--ignored", "--nocapture"])
            .env(FOLDER, folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let numbers = lines.filter_map(|line| line.strip_prefix("stored ")?.parse::<u64>().ok());
        let mut numbers = numbers.inspect(|number| acknowledged = acknowledged.max(*number));
        assert!(numbers.by_ref().take(10 + round * 7).count() > 0);
        child.kill().unwrap();
        // Reads what it printed before the signal arrived.
        numbers.for_each(drop);
        child.wait().unwrap();
        let (_, state) = Journal::open(folder.path(), ME).unwrap();
        for number in 0..=acknowledged {
            let order = B256::from(U256::from(number));
            assert_eq!(
                state.signed.get(&order),
                Some(&signed(number)),
                "{number} of {acknowledged} in round {round}"
            );
        }
    }
    assert!(acknowledged > 20);
}
