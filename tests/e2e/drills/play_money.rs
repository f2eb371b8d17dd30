//! Configurations that would let the sandbox touch real money, because their mode was forgotten or is wrong.

use super::refused_start;
use crate::service::{causeway, data_dir, few_chains};

const LIVE_ACCOUNT: &str =
    "[onramps.moonpay]\npublishable_key = \"pk_live_abc\"\nsecret_key = \"sk_live_hunter2\"\n";
const REAL_ENDPOINT: &str =
    "[[endpoints]]\nchain = 8453\nrpc = [\"https://rpc.example/v2/hunter2\"]\ntrusted = true\n";
const REAL_ATTESTER_ENDPOINT: &str =
    "[[attester.chains]]\nid = 8453\nrpc = [\"https://rpc.example/v2/hunter2\", \"https://other.example\"]\n";

#[test]
fn the_sandbox_refuses_live_accounts_and_real_endpoints_and_says_what_to_do() {
    let cases = [
        (LIVE_ACCOUNT, "onramps.moonpay is a live account"),
        (REAL_ENDPOINT, "https://rpc.example"),
        (REAL_ATTESTER_ENDPOINT, "https://rpc.example"),
    ];
    for (section, what) in cases {
        for mode in ["", "mode = \"sandbox\"\n"] {
            let folder = data_dir();
            let settings = format!("{mode}{section}\n{}", few_chains());
            std::fs::write(folder.path().join("causeway.toml"), settings).unwrap();
            let words = refused_start(folder.path());
            assert!(words.contains(what) && words.contains("mode = \"production\""), "{words}");
            assert!(!words.contains("hunter2"), "a secret is never printed: {words}");
            assert!(!folder.path().join("keys").exists(), "nothing was made before the refusal");
            let output = causeway()
                .current_dir(folder.path())
                .args(["doctor", "--data-dir"])
                .arg(folder.path())
                .output()
                .unwrap();
            let said = [output.stdout, output.stderr].concat();
            let said = String::from_utf8_lossy(&said);
            assert!(!output.status.success() && said.contains(what), "{said}");
        }
    }
}
