mod commands;

use causeway_domain::ports::{OperatorStore as _, Pausable, Pause};
use causeway_store::{Location, Store};
use serde_json::Value;

use crate::service::{Service, causeway, data_dir, run};

fn stdout(output: &std::process::Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn config_prints_the_effective_configuration_with_secrets_redacted() {
    let output = causeway()
        .arg("config")
        .env("CAUSEWAY_DATABASE_URL", "postgres://me:hunter2@db/causeway")
        .env("CAUSEWAY_LISTEN", "127.0.0.1:9999")
        .output()
        .unwrap();
    let text = stdout(&output);
    assert!(text.contains("listen = \"127.0.0.1:9999\"") && text.contains("mode = \"sandbox\""), "{text}");
    assert!(!text.contains("hunter2") && text.contains("***"), "{text}");
}

#[test]
fn unknown_configuration_key_fails_the_start_and_suggests_the_nearest() {
    let folder = data_dir();
    let file = folder.path().join("c.toml");
    std::fs::write(&file, "[server]\nlissten = \"127.0.0.1:1\"\n").unwrap();
    let output = run(&["--config", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("line 2") && stderr.contains("did you mean `listen`?"), "{stderr}");
}

#[test]
fn openapi_prints_the_document() {
    let document: Value = serde_json::from_str(&stdout(&run(&["openapi"]))).unwrap();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    assert!(document["paths"]["/v1/chains"]["get"].is_object());
}

#[test]
fn help_lists_usage_examples_and_variables() {
    let help = stdout(&run(&["--help"]));
    for word in [
        "Usage:",
        "Examples:",
        "CAUSEWAY_LISTEN",
        "CAUSEWAY_DATA_DIR",
        "CAUSEWAY_CONFIG",
        "backup",
        "openapi",
    ] {
        assert!(help.contains(word), "{word} is missing from\n{help}");
    }
}

#[tokio::test]
async fn a_backup_of_a_running_service_can_be_restored() {
    let (folder, restored) = (data_dir(), data_dir());
    let service = Service::start(folder.path());
    let running = Store::open(&Location::Sqlite(folder.path().join("causeway.db"))).await.unwrap();
    let pause = Pause {
        what: Pausable::Filler("north".to_owned()),
        reason: "maintenance".to_owned(),
        since: "2026-11-15T12:00:00Z".parse().unwrap(),
    };
    running.pause(&pause).await.unwrap();
    let file = restored.path().join("causeway.db");
    let backup = || {
        causeway().args(["backup", file.to_str().unwrap(), "--data-dir"]).arg(folder.path()).output().unwrap()
    };
    stdout(&backup());
    let again = backup();
    assert!(!again.status.success(), "an existing file is never overwritten");
    drop(service);
    drop(Service::start(restored.path()));
    let store = Store::open(&Location::Sqlite(file)).await.unwrap();
    assert_eq!(store.pauses().await.unwrap(), [pause]);
}

#[test]
fn health_succeeds_for_a_ready_service_and_fails_when_nothing_answers() {
    let folder = data_dir();
    let service = Service::start_with(folder.path(), &[]);
    let text = stdout(&run(&["health", "--url", &service.url]));
    assert!(text.contains("(sandbox) is ready"), "{text}");
    let without_chains = data_dir();
    let service = Service::start(without_chains.path());
    let idle = run(&["health", "--url", &service.url]);
    let words = String::from_utf8_lossy(&idle.stderr);
    assert!(idle.status.code() == Some(1) && words.contains("/readyz?verbose"), "{words}");
    let unreachable = run(&["health", "--url", "http://127.0.0.1:1"]);
    assert_eq!(unreachable.status.code(), Some(4), "{}", String::from_utf8_lossy(&unreachable.stderr));
}
