//! Drills: what an adversary does, against the real binary.

mod handover;
mod idle_connections;
mod other_keys;
mod play_money;
mod purchases;
mod records;
mod replicas;

use std::io::Read as _;
use std::path::Path;
use std::process::Stdio;

use crate::service::{causeway, read_address_or_end};

/// What a start in the folder says when it is refused.
fn refused_start(folder: &Path) -> String {
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
