//! A process with another key than the store knows.

use super::refused_start;
use crate::service::{Service, data_dir};

#[test]
fn rule_32_a_process_with_another_quote_key_refuses_to_start_and_says_which() {
    let folder = data_dir();
    drop(Service::start_with(folder.path(), &[]));
    let file = folder.path().join("keys").join("quote");
    let (own, other) = (std::fs::read_to_string(&file).unwrap(), "11".repeat(32));
    std::fs::write(&file, &other).unwrap();
    let words = refused_start(folder.path());
    assert!(words.contains("the key `quote` is") && words.contains("causeway key import"), "{words}");
    assert!(!words.contains(&other) && !words.contains(own.trim()), "a key is never printed");
    // A key that follows the one before may replace it.
    std::fs::write(&file, format!("{other}\n{own}")).unwrap();
    drop(Service::start_with(folder.path(), &[]));
    std::fs::write(&file, &own).unwrap();
    assert!(refused_start(folder.path()).contains("the key `quote` is"), "it lacks the newer key");
}
