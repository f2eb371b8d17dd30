use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, MetadataCommand};

/// The allowed dependencies of each crate; the table equals the workspace, so that a new edge is a decision.
const ALLOWED: [(&str, &[&str]); 22] = [
    ("causeway-wire", &[]),
    ("causeway-domain", &[]),
    ("causeway-http-client", &[]),
    ("causeway-qr", &[]),
    ("causeway-provider-calls", &[]),
    ("causeway-attester", &["causeway-domain", "causeway-http-client"]),
    ("causeway-catalog", &["causeway-domain", "causeway-http-client"]),
    ("causeway-client", &["causeway-http-client", "causeway-provider-calls", "causeway-wire"]),
    ("causeway-jsonrpc-client", &["causeway-http-client"]),
    ("causeway-evm", &["causeway-domain", "causeway-jsonrpc-client"]),
    ("causeway-fillers", &["causeway-domain", "causeway-http-client", "causeway-provider-calls"]),
    ("causeway-onramps", &["causeway-domain", "causeway-http-client"]),
    ("causeway-solana", &["causeway-domain", "causeway-jsonrpc-client"]),
    ("causeway-prices", &["causeway-domain", "causeway-http-client"]),
    ("causeway-sandbox", &["causeway-domain"]),
    ("causeway-screening", &["causeway-domain", "causeway-http-client"]),
    ("causeway-signers", &["causeway-domain", "causeway-http-client"]),
    ("causeway-store", &["causeway-domain"]),
    // For tests: no crate depends on it otherwise.
    ("causeway-testing", &["causeway-domain"]),
    ("causeway-engine", &["causeway-catalog", "causeway-domain"]),
    (
        "causeway-http",
        &["causeway-catalog", "causeway-domain", "causeway-engine", "causeway-qr", "causeway-wire"],
    ),
    // The binary assembles everything.
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
            "causeway-http-client",
            "causeway-onramps",
            "causeway-prices",
            "causeway-qr",
            "causeway-sandbox",
            "causeway-screening",
            "causeway-signers",
            "causeway-solana",
            "causeway-store",
        ],
    ),
];

/// Depends on everything, and nothing depends on it.
const BENCHMARKS: &str = "causeway-benchmarks";

/// The modules of the binary that start the service; commands depend on them, never the other way.
const BOOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/boot");

/// The normal dependencies between crates of the workspace.
fn edges() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = MetadataCommand::new().no_deps().exec().expect("cargo metadata runs");
    let ours: BTreeSet<_> = metadata.packages.iter().map(|package| package.name.to_string()).collect();
    let dependencies = |package: &cargo_metadata::Package| {
        let normal =
            package.dependencies.iter().filter(|dependency| dependency.kind == DependencyKind::Normal);
        normal.map(|dependency| dependency.name.clone()).filter(|name| ours.contains(name)).collect()
    };
    let edges = metadata.packages.iter().map(|package| (package.name.to_string(), dependencies(package)));
    edges.filter(|(name, _)| name != BENCHMARKS).collect()
}

/// The Rust files of a folder and of the folders in it.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// Whether a crate's sources name another crate; a dependency that no line names is not used.
fn uses(manifest: &Path, dependency: &str) -> bool {
    let identifier = dependency.replace('-', "_");
    let sources = rust_files(&manifest.parent().expect("a manifest lies in a folder").join("src"));
    sources.iter().any(|file| std::fs::read_to_string(file).expect("a source file").contains(&identifier))
}

#[test]
fn crates_depend_only_on_allowed_crates() {
    let allowed: BTreeMap<_, BTreeSet<_>> =
        ALLOWED.into_iter().map(|(name, crates)| (name, crates.iter().copied().collect())).collect();
    for (name, dependencies) in edges() {
        let allowed = allowed.get(name.as_str()).unwrap_or_else(|| panic!("{name} is missing in ALLOWED"));
        for other in &dependencies {
            assert!(allowed.contains(other.as_str()), "{name} must not depend on {other}");
        }
    }
}

#[test]
fn every_allowed_dependency_is_used() {
    let edges = edges();
    let metadata = MetadataCommand::new().no_deps().exec().expect("cargo metadata runs");
    for (name, allowed) in ALLOWED {
        let dependencies = edges.get(name).unwrap_or_else(|| panic!("{name} is not in the workspace"));
        let package = metadata.packages.iter().find(|package| package.name.as_str() == name);
        let manifest = package.expect("the crate has a manifest").manifest_path.as_std_path();
        for other in allowed {
            assert!(
                dependencies.contains(*other),
                "{name} does not depend on {other}: remove it from ALLOWED"
            );
            assert!(uses(manifest, other), "{name} never uses {other}: remove the dependency");
        }
    }
}

#[test]
fn boot_imports_neither_commands_nor_cli() {
    let files = rust_files(Path::new(BOOT));
    assert!(!files.is_empty(), "{BOOT} has no Rust files");
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source file");
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            let mut words = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            let forbidden = words.find(|word| ["commands", "cli"].contains(word));
            assert_eq!(forbidden, None, "{}: {line}", file.display());
        }
    }
}

/// The documentation tests of every other crate are off, because looking for them takes a minute in every test run.
#[test]
fn crates_without_documentation_tests_have_no_examples() {
    let metadata = MetadataCommand::new().no_deps().exec().expect("cargo metadata runs");
    for package in &metadata.packages {
        let Some(library) = package.targets.iter().find(|target| target.is_lib() && !target.doctest) else {
            continue;
        };
        for file in rust_files(library.src_path.as_std_path().parent().expect("a folder")) {
            let text = std::fs::read_to_string(&file).expect("a readable file");
            let starts = |line: &str| {
                line.trim_start().starts_with("/// ```") || line.trim_start().starts_with("//! ```")
            };
            // A block that says what it is (`text`, `json`, `mermaid`) is no example.
            let example = text.lines().find(|line| starts(line) && line.trim_end().ends_with("```"));
            assert!(
                example.is_none(),
                "{} has an example: remove `doctest = false` of {}",
                file.display(),
                package.name
            );
        }
    }
}
