use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, MetadataCommand};

/// Who may know whom. A crate that is not named here, or an edge that is not, needs a decision, not an accident.
const MAY_KNOW: [(&str, &[&str]); 18] = [
    ("causeway-wire", &[]),
    ("causeway-domain", &[]),
    ("causeway-outbound", &[]),
    ("causeway-qr", &[]),
    ("causeway-attester", &["causeway-domain"]),
    ("causeway-catalog", &["causeway-domain"]),
    ("causeway-client", &["causeway-wire"]),
    ("causeway-evm", &["causeway-domain"]),
    ("causeway-fillers", &["causeway-domain", "causeway-outbound"]),
    ("causeway-onramps", &["causeway-domain", "causeway-outbound"]),
    ("causeway-solana", &["causeway-domain"]),
    ("causeway-prices", &["causeway-domain", "causeway-outbound"]),
    ("causeway-sandbox", &["causeway-domain"]),
    ("causeway-screening", &["causeway-domain", "causeway-outbound"]),
    ("causeway-store", &["causeway-domain"]),
    ("causeway-engine", &["causeway-catalog", "causeway-domain", "causeway-qr"]),
    (
        "causeway-http",
        &["causeway-catalog", "causeway-domain", "causeway-engine", "causeway-qr", "causeway-wire"],
    ),
    // The binary wires everything together.
    (
        "causeway",
        &[
            "causeway-attester",
            "causeway-catalog",
            "causeway-client",
            "causeway-domain",
            "causeway-engine",
            "causeway-evm",
            "causeway-fillers",
            "causeway-http",
            "causeway-onramps",
            "causeway-prices",
            "causeway-qr",
            "causeway-sandbox",
            "causeway-screening",
            "causeway-solana",
            "causeway-store",
        ],
    ),
];

/// Measures everything, and nothing knows it.
const BENCHMARKS: &str = "causeway-benchmarks";

fn edges() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = MetadataCommand::new().no_deps().exec().expect("cargo metadata runs");
    let ours: BTreeSet<_> = metadata.packages.iter().map(|package| package.name.to_string()).collect();
    let known = |package: &cargo_metadata::Package| {
        let normal =
            package.dependencies.iter().filter(|dependency| dependency.kind == DependencyKind::Normal);
        normal.map(|dependency| dependency.name.clone()).filter(|name| ours.contains(name)).collect()
    };
    metadata.packages.iter().map(|package| (package.name.to_string(), known(package))).collect()
}

#[test]
fn crates_know_only_whom_the_house_plan_lets_them_know() {
    let plan: BTreeMap<_, BTreeSet<_>> =
        MAY_KNOW.into_iter().map(|(name, known)| (name, known.iter().copied().collect())).collect();
    for (name, known) in edges().into_iter().filter(|(name, _)| name != BENCHMARKS) {
        let allowed =
            plan.get(name.as_str()).unwrap_or_else(|| panic!("{name} has no place in the house plan"));
        for other in &known {
            assert!(allowed.contains(other.as_str()), "{name} must not know {other}");
        }
    }
}

#[test]
fn every_crate_of_the_house_plan_exists() {
    let edges = edges();
    for (name, _) in MAY_KNOW {
        assert!(edges.contains_key(name), "{name} stands in the plan but not in the workspace");
    }
}
