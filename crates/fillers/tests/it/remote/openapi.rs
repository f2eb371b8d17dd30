use causeway_fillers::remote::openapi;

/// The document that fillers build against. Regenerate it with `UPDATE_DOCUMENTS=1 cargo test -p causeway-fillers openapi`.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/filler-openapi.json");

#[test]
fn openapi_document_matches_the_types() {
    let generated = openapi().to_pretty_json().unwrap() + "\n";
    if std::env::var_os("UPDATE_DOCUMENTS").is_some() {
        std::fs::write(FILE, &generated).unwrap();
    }
    let committed = std::fs::read_to_string(FILE).unwrap();
    assert!(
        committed == generated,
        "docs/filler-openapi.json is outdated: regenerate it with UPDATE_DOCUMENTS=1"
    );
}
