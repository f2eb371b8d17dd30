use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use alloy_primitives::{Address, B256, U256};
use causeway_attester::{Journal, Note};
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

/// The other half of the test below: signs without end and tells each outcome once it is kept.
#[test]
#[ignore = "runs as a process of its own, to be killed"]
fn sign_until_killed() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let (mut journal, kept) = Journal::open(Path::new(&folder), ME).unwrap();
    let first = u64::try_from(kept.signed.len()).unwrap();
    let mut out = std::io::stdout();
    for number in first.. {
        journal.append(&[Note::Signed(signed(number))], true).unwrap();
        // The harness has begun a line of its own.
        writeln!(out, "\nkept {number}").unwrap();
        out.flush().unwrap();
    }
}

#[test]
fn rule_11_what_left_before_kill_9_is_on_the_disk_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut told = 0_u64;
    for round in 0..5_usize {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "crash::sign_until_killed", "--ignored", "--nocapture"])
            .env(FOLDER, folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let numbers = lines.filter_map(|line| line.strip_prefix("kept ")?.parse::<u64>().ok());
        let mut numbers = numbers.inspect(|number| told = told.max(*number));
        assert!(numbers.by_ref().take(10 + round * 7).count() > 0);
        child.kill().unwrap();
        // What it had told before the signal came.
        numbers.for_each(drop);
        child.wait().unwrap();
        let (_, kept) = Journal::open(folder.path(), ME).unwrap();
        for number in 0..=told {
            let order = B256::from(U256::from(number));
            assert_eq!(kept.signed.get(&order), Some(&signed(number)), "{number} of {told} in round {round}");
        }
    }
    assert!(told > 20);
}
