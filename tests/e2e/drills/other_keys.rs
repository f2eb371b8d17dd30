//! A process with another key than the store knows.

use std::io::Read as _;
use std::path::Path;
use std::process::Stdio;

use crate::service::{Service, causeway, data_dir, read_address_or_end};

/// What a start in the folder says when it is refused.
fn refusal(folder: &Path) -> String {
    let mut child = causeway()
        .current_dir(folder)
        .args(["--listen", "127.0.0.1:0", "--data-dir"])
        .arg(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    assert_eq!(read_address_or_end(&mut child), None, "it started");
    let mut words = String::new();
    child.stderr.take().unwrap().read_to_string(&mut words).unwrap();
    assert!(!child.wait().unwrap().success());
    words
}

#[test]
fn rule_32_a_process_with_another_quote_key_refuses_to_start_and_says_which() {
    let folder = data_dir();
    drop(Service::start_with(folder.path(), &[]));
    let file = folder.path().join("keys").join("quote");
    let (own, other) = (std::fs::read_to_string(&file).unwrap(), "11".repeat(32));
    std::fs::write(&file, &other).unwrap();
    let words = refusal(folder.path());
    assert!(words.contains("the key `quote` is") && words.contains("causeway key import"), "{words}");
    assert!(!words.contains(&other) && !words.contains(own.trim()), "a key is never printed");
    // A key that follows the one before may replace it.
    std::fs::write(&file, format!("{other}\n{own}")).unwrap();
    drop(Service::start_with(folder.path(), &[]));
    std::fs::write(&file, &own).unwrap();
    assert!(refusal(folder.path()).contains("the key `quote` is"), "it lacks the newer key");
}
