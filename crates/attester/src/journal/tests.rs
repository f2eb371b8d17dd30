use std::io::Write as _;
use std::path::Path;

use causeway_domain::{Attestation, SignatureBytes};
use proptest::prelude::*;

use super::*;

const ME: Address = Address::repeat_byte(0xa1);

fn signed(order: u8, attestation: impl Fn(B256) -> Attestation) -> JournalEntry {
    JournalEntry::Signed(SignedAttestation {
        attestation: attestation(B256::repeat_byte(order)),
        epoch: 1,
        attester: ME,
        signature: SignatureBytes::repeat_byte(order),
    })
}

fn filled(order: u8) -> JournalEntry {
    signed(order, |order| Attestation::Filled { order, filled_at: 5, fill_ref: B256::ZERO })
}

fn unfilled(order: u8) -> JournalEntry {
    signed(order, |order| Attestation::Unfilled { order, destination_time: 6 })
}

fn opened(nonce: u8) -> JournalEntry {
    let mut words = [B256::with_last_byte(1); IntentTerms::WORDS];
    words[0] = B256::with_last_byte(2);
    let terms = IntentTerms::from_bytes(&words.concat()).unwrap();
    JournalEntry::Opened(Box::new(IntentTerms { nonce: B256::repeat_byte(nonce), ..terms }))
}

fn write(folder: &Path, entries: &[JournalEntry]) {
    Journal::open(folder, ME).unwrap().0.append(entries, true).unwrap();
}

fn state(folder: &Path) -> JournalState {
    Journal::open(folder, ME).unwrap().1
}

fn bytes(folder: &Path) -> Vec<u8> {
    std::fs::read(folder.join("journal")).unwrap()
}

#[test]
fn entries_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let chain = ChainId::new(10).unwrap();
    let JournalEntry::Opened(open) = opened(2) else { unreachable!() };
    write(folder.path(), &[opened(1), opened(2), filled(7), unfilled(8)]);
    let JournalEntry::Opened(first) = opened(1) else { unreachable!() };
    write(folder.path(), &[JournalEntry::Ended(first.id()), JournalEntry::Read { chain, block: 77 }]);
    let state = state(folder.path());
    assert_eq!(state.signed.len(), 2);
    assert_eq!(state.open, [(open.id(), *open)].into());
    assert_eq!(state.read, [(chain, 77)].into());
}

#[test]
fn the_first_outcome_of_an_order_counts() {
    let mut state = JournalState::default();
    state.apply(filled(7));
    state.apply(unfilled(7));
    let JournalEntry::Signed(first) = filled(7) else { unreachable!() };
    assert_eq!(state.signed, [(B256::repeat_byte(7), first)].into());
}

#[test]
fn a_torn_last_line_is_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[filled(7)]);
    let whole = bytes(folder.path());
    write(folder.path(), &[unfilled(8)]);
    let more = bytes(folder.path());
    for cut in whole.len()..more.len() {
        std::fs::write(folder.path().join("journal"), &more[..cut]).unwrap();
        assert_eq!(state(folder.path()).signed.len(), 1, "cut at {cut} of {}", more.len());
        assert_eq!(bytes(folder.path()), whole);
    }
    write(folder.path(), &[unfilled(9)]);
    assert_eq!(state(folder.path()).signed.len(), 2, "and it goes on after that");
}

#[test]
fn a_torn_first_line_is_rewritten() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[]);
    let whole = bytes(folder.path());
    for cut in 0..whole.len() {
        std::fs::write(folder.path().join("journal"), &whole[..cut]).unwrap();
        assert_eq!(state(folder.path()), JournalState::default());
        assert_eq!(bytes(folder.path()), whole);
    }
}

#[test]
fn damage_before_a_signed_entry_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[filled(7), opened(1), unfilled(8)]);
    let whole = bytes(folder.path());
    let last = whole[..whole.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap();
    for at in (0..last).step_by(7) {
        let mut changed = whole.clone();
        changed[at] ^= 0x15;
        std::fs::write(folder.path().join("journal"), &changed).unwrap();
        let error = Journal::open(folder.path(), ME).unwrap_err();
        assert!(matches!(error, JournalError::Damaged { .. }), "byte {at}: {error}");
        assert_eq!(bytes(folder.path()), changed, "the file is not changed");
    }
}

#[test]
fn holes_in_unsynced_entries_are_not_damage() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &[filled(7)]);
    Journal::open(folder.path(), ME).unwrap().0.append(&[opened(1), opened(2)], false).unwrap();
    let mut holed = bytes(folder.path());
    let hole = holed.len() - 2_000;
    holed[hole] = 0;
    std::fs::write(folder.path().join("journal"), &holed).unwrap();
    let state = state(folder.path());
    assert_eq!((state.signed.len(), state.open.len()), (1, 0));
}

#[test]
fn one_process_and_one_key_per_folder() {
    let folder = tempfile::tempdir().unwrap();
    let held = Journal::open(folder.path(), ME).unwrap();
    assert!(matches!(Journal::open(folder.path(), ME), Err(JournalError::Locked(_))));
    drop(held);
    let other = Journal::open(folder.path(), Address::repeat_byte(0xb2)).unwrap_err();
    assert!(matches!(other, JournalError::Owner { owner: ME, .. }), "{other}");
}

#[test]
fn a_journal_of_another_version_or_of_something_else_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let newer = super::line::Line::Begin { version: 2, attester: ME }.encode().unwrap();
    std::fs::write(folder.path().join("journal"), newer).unwrap();
    assert!(matches!(Journal::open(folder.path(), ME), Err(JournalError::Version { .. })));
    let mut file = std::fs::File::create(folder.path().join("journal")).unwrap();
    file.write_all(b"Dear diary,\nnothing was signed today.\n").unwrap();
    assert!(matches!(Journal::open(folder.path(), ME), Err(JournalError::Damaged { line: 1, .. })));
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused_without_panic(text in any::<Vec<u8>>()) {
        let _ = super::line::Line::decode(&text);
        let _ = super::line::Line::decode(&[&b"00000000 {}\n"[..], &text].concat());
    }
}
