//! An integrator's key from the command line to the request, and back.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::service::{Service, causeway, data_dir};

/// Far more than a change takes to be everywhere.
const LIMIT: Duration = Duration::from_mins(1);

/// What an operator's command prints.
fn operate(folder: &Path, service: &Service, args: &[&str]) -> String {
    let mut command = causeway();
    command.current_dir(folder).args(args).args(["--url", &service.url, "--data-dir"]).arg(folder);
    let output = command.env_remove("CAUSEWAY_OPERATOR_TOKEN").output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The answer to a request for a quote with this key.
async fn quote(service: &Service, key: Option<&str>) -> (u16, Value) {
    let ask = json!({
        "tradeType": "EXACT_INPUT",
        "fromChainId": 8453, "fromToken": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        "toChainId": 42161, "toToken": "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
        "amount": "25000000", "fromAddress": "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
    });
    let request = service.client.post(format!("{}/v1/quotes", service.url)).body(ask.to_string());
    let request = key.into_iter().fold(request, |request, key| request.header("x-api-key", key));
    let response = request.send().await.unwrap();
    (response.status().as_u16(), response.json().await.unwrap())
}

#[tokio::test]
async fn a_key_is_made_used_rotated_and_revoked_while_the_service_runs() {
    let folder = data_dir();
    let settings = "[sandbox]\nenabled = false\n[server]\napi_keys = \"required\"\n";
    let service = Service::start_configured(folder.path(), settings);
    let operate = |args: &[&str]| operate(folder.path(), &service, args);
    let refused = |answer: &(u16, Value)| answer.0 == 401 && answer.1["name"] == "UnauthorizedException";
    assert!(refused(&quote(&service, None).await));

    let made = operate(&["integrator", "new", "shop", "--scopes", "quotes", "--quotes-per-day", "1000"]);
    let first = made.lines().next().unwrap().to_owned();
    // Without chains nobody fills; what matters is that the key lets the request through.
    let answer = quote(&service, Some(&first)).await;
    assert!(!refused(&answer), "{answer:?}");
    let rotated = operate(&["integrator", "rotate", "shop", "--keep-old", "1", "--json"]);
    let rotated: Value = serde_json::from_str(&rotated).unwrap();
    let second = rotated["key"].as_str().unwrap();
    for key in [first.as_str(), second] {
        assert!(!refused(&quote(&service, Some(key)).await), "both are valid");
    }
    let begun = Instant::now();
    loop {
        // Each time one more, because a new day may begin.
        assert!(!refused(&quote(&service, Some(second)).await));
        let list: Value = serde_json::from_str(&operate(&["integrator", "list", "--json"])).unwrap();
        let shop = &list["data"][0];
        assert_eq!(shop["keys"].as_array().map(Vec::len), Some(2), "{list}");
        if shop["quotesToday"].as_u64() > Some(0) {
            break;
        }
        assert!(begun.elapsed() < LIMIT, "{list}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let id = &first["cwk_".len()..][..8];
    let revoked = operate(&["integrator", "revoke", "shop", "--key", id]);
    assert!(revoked.contains("revoked 1 key of shop"), "{revoked}");
    let answer = quote(&service, Some(&first)).await;
    assert!(refused(&answer) && answer.1["message"].as_str().unwrap().contains("revoked"), "{answer:?}");
    assert!(!refused(&quote(&service, Some(second)).await));
    let shown = operate(&["integrator", "list"]);
    assert!(shown.contains(id) && shown.contains("revoked") && !shown.contains(&first), "{shown}");
    let audit = operate(&["audit"]);
    assert!(audit.contains("DELETE /operator/integrators/shop/keys/"), "{audit}");
}
