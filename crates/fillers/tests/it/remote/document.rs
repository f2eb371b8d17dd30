use causeway_fillers::remote::openapi;

/// The document that fillers build against. Made anew with `UPDATE_DOCUMENTS=1 cargo test -p causeway-fillers document`.
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/filler-openapi.json");

#[test]
fn the_document_is_what_the_types_say() {
    let generated = openapi().to_pretty_json().unwrap() + "\n";
    if std::env::var_os("UPDATE_DOCUMENTS").is_some() {
        std::fs::write(FILE, &generated).unwrap();
    }
    let kept = std::fs::read_to_string(FILE).unwrap();
    assert!(kept == generated, "docs/filler-openapi.json is old: UPDATE_DOCUMENTS=1 makes it anew");
}
