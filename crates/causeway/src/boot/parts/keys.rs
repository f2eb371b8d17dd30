use std::fmt;
use std::path::Path;

use alloy_primitives::B256;
use anyhow::{Context as _, anyhow, bail, ensure};
use causeway_domain::{Address, Family, QuoteKey, QuoteKeys};
use causeway_evm::Signer;
use causeway_sandbox::genesis::is_test_key;
use causeway_signers::keystore::{self, Cost};
use causeway_solana::SolanaKey;
use zeroize::{Zeroize as _, Zeroizing};

use crate::boot::config::Mode;
use crate::boot::parts::account_keys::AccountKey;

/// A private key of either family; never printed, and wiped from memory when it is dropped.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PrivateKey([u8; 32]);

impl Drop for PrivateKey {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl PrivateKey {
    pub(crate) const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The key itself, for signing.
    pub(crate) const fn reveal(&self) -> &[u8; 32] {
        &self.0
    }

    pub(crate) fn signer(&self) -> anyhow::Result<Signer> {
        Ok(Signer::from_bytes(&self.0)?)
    }

    pub(crate) fn solana(&self) -> SolanaKey {
        SolanaKey::from_seed(self.0)
    }

    /// The account of the key.
    pub(crate) fn address(&self, family: Family) -> anyhow::Result<Address> {
        Ok(match family {
            Family::Evm => Address::Evm(self.signer()?.address()),
            Family::Solana => Address::Solana(self.solana().address().to_bytes()),
            Family::Bitcoin | Family::Tron => bail!("the service has no keys of this chain"),
        })
    }

    /// As 64 hex digits.
    fn parse(text: &str) -> Option<Self> {
        text.trim().parse::<B256>().ok().map(|key| Self(key.0))
    }

    /// As Solana's tools write it: seed and public key, as a JSON array or in base58.
    fn parse_solana(text: &str) -> Option<Self> {
        let text = text.trim();
        let bytes: Zeroizing<Vec<u8>> = Zeroizing::new(if text.starts_with('[') {
            serde_json::from_str(text).ok()?
        } else {
            bs58::decode(text).into_vec().ok()?
        });
        let (seed, address) = bytes.split_first_chunk::<32>()?;
        let key = Self(*seed);
        (key.solana().address().to_bytes().as_slice() == address).then_some(key)
    }
}

impl fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrivateKey(***)")
    }
}

/// Reads a private key from `file` if one is named, else from the environment. In production a publicly known key is
/// refused.
pub(crate) fn read_key(mode: Mode, variable: &str, file: Option<&Path>) -> anyhow::Result<Signer> {
    let key = find_key(mode, Family::Evm, variable, file)?;
    key.with_context(|| format!("set {variable} to the private key (64 hex digits)"))?.signer()
}

/// The same for an optional key of either family.
pub(crate) fn find_key(
    mode: Mode,
    family: Family,
    variable: &str,
    file: Option<&Path>,
) -> anyhow::Result<Option<PrivateKey>> {
    let (source, text) = match (file, std::env::var(variable)) {
        (Some(file), _) => (file.display().to_string(), Zeroizing::new(read_file(file)?)),
        (None, Ok(text)) => (variable.to_owned(), Zeroizing::new(text)),
        (None, Err(_)) => return Ok(None),
    };
    let key = match family {
        Family::Evm => PrivateKey::parse(&text)
            .with_context(|| format!("{source} does not hold 64 hex digits{}", other_format(&text))),
        Family::Solana => PrivateKey::parse_solana(&text).with_context(|| {
            let other = other_format(&text);
            format!(
                "{source} does not hold a keypair of Solana, as solana-keygen writes it or in base58{other}"
            )
        }),
        Family::Bitcoin | Family::Tron => Err(anyhow!("the service has no keys of this chain")),
    }?;
    let known = mode == Mode::Production && is_test_key(&B256::from(*key.reveal()));
    ensure!(!known, "{source} holds a key of the test phrase, which everybody knows");
    Ok(Some(key))
}

/// What a text is that is not the key that was looked for, as far as that can be seen.
fn other_format(text: &str) -> &'static str {
    if keystore::is_keystore(text) {
        ": it is an encrypted keystore; name it in an entry of [[signers]] of the kind \"keystore\", and that entry by \
         `signer` instead of here"
    } else if text.trim_start().starts_with("-----BEGIN") {
        ": it is a key in PEM; `causeway key import` takes 64 hex digits, or a keypair of Solana"
    } else if PrivateKey::parse_solana(text).is_some() {
        ": it is a keypair of Solana"
    } else if PrivateKey::parse(text).is_some() {
        ": it is the private key of an account on EVM chains"
    } else if text.split_whitespace().count() >= 12 {
        ": it seems to be a seed phrase, which is never read"
    } else {
        ""
    }
}

/// Reads a secret that only its owner may read.
pub(crate) fn read_file(file: &Path) -> anyhow::Result<String> {
    use std::os::unix::fs::PermissionsExt as _;
    let fault = || format!("cannot read the key in {}", file.display());
    let mode = std::fs::metadata(file).with_context(fault)?.permissions().mode();
    let others = mode & 0o077;
    ensure!(others == 0, "others may read the key in {0}: chmod 600 {0}", file.display());
    std::fs::read_to_string(file).with_context(fault)
}

/// What a key file holds.
pub(crate) enum KeyFile {
    /// 64 hex digits on every line: accounts of EVM chains, or quote keys, newest first.
    Hex(Vec<PrivateKey>),
    /// A keypair, as Solana's tools write it.
    Solana(PrivateKey),
}

impl KeyFile {
    pub(crate) fn random(solana: bool) -> anyhow::Result<Self> {
        let key = PrivateKey::new(*QuoteKey::random()?.as_bytes());
        Ok(if solana { Self::Solana(key) } else { Self::Hex(vec![key]) })
    }

    pub(crate) fn parse(text: &str) -> anyhow::Result<Self> {
        if let Some(key) = PrivateKey::parse_solana(text) {
            return Ok(Self::Solana(key));
        }
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let keys: Option<Vec<PrivateKey>> = lines.map(PrivateKey::parse).collect();
        let keys = keys.filter(|keys| !keys.is_empty()).map(Self::Hex);
        keys.with_context(|| {
            let other = other_format(text);
            format!("this is no key: neither 64 hex digits on every line nor a keypair of Solana{other}")
        })
    }

    fn text(&self) -> anyhow::Result<String> {
        match self {
            Self::Hex(keys) => {
                Ok(keys.iter().map(|key| alloy_primitives::hex::encode(key.reveal()) + "\n").collect())
            }
            Self::Solana(key) => {
                let pair = [*key.reveal(), key.solana().address().to_bytes()].concat();
                Ok(serde_json::to_string(&pair)? + "\n")
            }
        }
    }
}

/// Encrypts the key of a file under a password.
pub(crate) fn seal_key(key: &KeyFile, password: &str) -> anyhow::Result<String> {
    let (key, family) = match key {
        KeyFile::Solana(key) => (key, Family::Solana),
        KeyFile::Hex(keys) => match keys.as_slice() {
            [key] => (key, Family::Evm),
            _ => bail!("a keystore holds one key, and here are {}", keys.len()),
        },
    };
    Ok(keystore::seal(key.reveal(), family, password, Cost::default())?)
}

/// Writes an encrypted key into a new file that only its owner can read.
pub(crate) fn write_keystore(file: &Path, key: &KeyFile, password: &str) -> anyhow::Result<()> {
    ensure!(!file.exists(), "{} exists already, and a key is never overwritten", file.display());
    write_new(file, &seal_key(key, password)?).with_context(|| format!("cannot write {}", file.display()))
}

/// Reads a key file that only its owner can read.
pub(crate) fn read_key_file(file: &Path) -> anyhow::Result<KeyFile> {
    KeyFile::parse(&read_file(file)?).with_context(|| file.display().to_string())
}

/// Writes a key into a new file that only its owner can read.
pub(crate) fn write_key(file: &Path, key: &KeyFile) -> anyhow::Result<()> {
    ensure!(!file.exists(), "{} exists already, and a key is never overwritten", file.display());
    write_new(file, &key.text()?).with_context(|| format!("cannot write {}", file.display()))
}

/// Reads the quote keys, newest first, one per line; generates the file if missing. Without these keys open orders cannot be
/// honoured and are refunded.
pub(crate) fn quote_keys(file: &Path) -> anyhow::Result<QuoteKeys> {
    make_key(file)?;
    let text = read_file(file)?;
    let read = |line: &str| line.trim().parse::<B256>().ok().map(|key| QuoteKey::new(key.0));
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let keys: Option<Vec<QuoteKey>> = lines.map(read).collect();
    let mut keys = keys
        .with_context(|| format!("{} must hold 64 hex digits on every line", file.display()))?
        .into_iter();
    let current = keys.next().with_context(|| format!("{} is empty", file.display()))?;
    Ok(QuoteKeys { current, older: keys.collect() })
}

/// Reads the key that signs forwarding orders; generates the file if missing. Without this key paid purchases cannot be
/// swapped and are refunded.
pub(crate) fn maker_key(mode: Mode, file: &Path) -> anyhow::Result<AccountKey> {
    make_key(file)?;
    let key = find_key(mode, Family::Evm, "", Some(file))?;
    let key = key.with_context(|| format!("{} is empty", file.display()))?;
    AccountKey::local(&key, Family::Evm, format!("the file {}", file.display()))
}

fn make_key(file: &Path) -> anyhow::Result<()> {
    if file.exists() {
        return Ok(());
    }
    let text = KeyFile::random(false)?.text()?;
    write_new(file, &text).with_context(|| format!("cannot write {}", file.display()))
}

/// Written atomically: another process that starts at the same moment reads either nothing or the whole key.
fn write_new(file: &Path, text: &str) -> anyhow::Result<()> {
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let fresh = file.with_extension(format!("new-{}", std::process::id()));
    let mut writer = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&fresh)?;
    writer.write_all(text.as_bytes())?;
    writer.sync_all()?;
    // Never replaces a file that another process created meanwhile.
    let linked = std::fs::hard_link(&fresh, file);
    std::fs::remove_file(&fresh)?;
    match linked {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error.into()),
        _ => Ok(std::fs::File::open(folder)?.sync_all()?),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn quote_key_is_generated_once_with_owner_only_permissions() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("keys").join("quote");
        let made = quote_keys(&file).unwrap();
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(quote_keys(&file).unwrap().current.as_bytes(), made.current.as_bytes());
        assert_eq!(
            std::fs::read_dir(file.parent().unwrap()).unwrap().count(),
            1,
            "no temporary file remains"
        );
    }

    #[test]
    fn solana_key_is_read_in_the_formats_of_solana_tools() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("id.json");
        let read = |text: &str| {
            std::fs::write(&file, text).unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
            find_key(Mode::Production, Family::Solana, "", Some(&file))
        };
        let key = SolanaKey::from_seed([5; 32]);
        let pair = [[5; 32], key.address().to_bytes()].concat();
        let array = serde_json::to_string(&pair).unwrap();
        for text in [array.as_str(), &bs58::encode(&pair).into_string()] {
            let found = read(text).unwrap().unwrap();
            assert_eq!(found.solana().address(), key.address());
            assert_eq!(format!("{found:?}"), "PrivateKey(***)");
        }
        let torn = serde_json::to_string(&vec![5_u8; 64]).unwrap();
        for text in ["", "[1,2]", &torn, &"05".repeat(32)] {
            let error = read(text).unwrap_err().to_string();
            assert!(error.contains("keypair of Solana"), "{text}: {error}");
        }
    }

    #[test]
    fn key_file_of_another_format_is_told_in_words_with_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("odd.key");
        let pair = [[5; 32], SolanaKey::from_seed([5; 32]).address().to_bytes()].concat();
        let sealed = keystore::seal(&[7; 32], Family::Evm, "p", Cost { log_n: 4 }).unwrap();
        for (family, text, words) in [
            (Family::Evm, sealed.as_str(), "[[signers]]"),
            (Family::Solana, sealed.as_str(), "[[signers]]"),
            (Family::Evm, "-----BEGIN EC PRIVATE KEY-----\nMHQ=", "PEM"),
            (Family::Evm, &serde_json::to_string(&pair).unwrap(), "a keypair of Solana"),
            (Family::Solana, &"05".repeat(32), "on EVM chains"),
            (Family::Evm, &"test ".repeat(12), "seed phrase"),
        ] {
            std::fs::write(&file, text).unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
            let error = find_key(Mode::Production, family, "", Some(&file)).unwrap_err().to_string();
            assert!(error.contains(words) && error.contains("odd.key"), "{words}: {error}");
            assert!(!error.contains("0505") && !error.contains("MHQ"), "{error}");
        }
    }

    #[test]
    fn keystore_is_written_once_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("house.json");
        let two = KeyFile::Hex(vec![PrivateKey::new([1; 32]), PrivateKey::new([2; 32])]);
        assert!(write_keystore(&file, &two, "p").unwrap_err().to_string().contains("holds one key"));
        let key = KeyFile::Hex(vec![PrivateKey::new([7; 32])]);
        write_keystore(&file, &key, "p").unwrap();
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(*keystore::open(&text, "p", Family::Evm).unwrap().key, [7; 32]);
        assert!(write_keystore(&file, &key, "p").unwrap_err().to_string().contains("never overwritten"));
    }

    #[test]
    fn missing_key_is_none_and_readable_by_others_is_an_error() {
        let find = |file| find_key(Mode::Production, Family::Evm, "CAUSEWAY_NO_SUCH_KEY", file);
        assert!(find(None).unwrap().is_none());
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("key");
        assert!(find(Some(&file)).unwrap_err().to_string().contains("cannot read the key"));
        std::fs::write(&file, "11".repeat(32)).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(find(Some(&file)).unwrap_err().to_string().contains("chmod 600"));
    }

    #[test]
    fn keys_are_made_imported_and_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join("keys").join(name);
        for (name, solana) in [("evm", false), ("solana", true)] {
            write_key(&file(name), &KeyFile::random(solana).unwrap()).unwrap();
            let text = std::fs::read_to_string(file(name)).unwrap();
            let copy = file(&format!("{name}-copy"));
            write_key(&copy, &KeyFile::parse(&text).unwrap()).unwrap();
            assert_eq!(std::fs::read_to_string(&copy).unwrap(), text);
            assert_eq!(std::fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o600);
            let again = write_key(&copy, &KeyFile::parse(&text).unwrap()).unwrap_err();
            assert!(again.to_string().contains("never overwritten"), "{again}");
            assert_eq!(matches!(read_key_file(&copy).unwrap(), KeyFile::Solana(_)), solana);
        }
        let two = format!("{}\n{}\n", "11".repeat(32), "22".repeat(32));
        assert!(matches!(KeyFile::parse(&two).unwrap(), KeyFile::Hex(keys) if keys.len() == 2));
        for bad in ["", "\n", "0x12", "[1,2]"] {
            assert!(KeyFile::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn maker_key_is_generated_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("keys").join("maker");
        let made = maker_key(Mode::Production, &file).unwrap();
        assert!(maker_key(Mode::Production, &file).unwrap() == made && made.evm().is_ok());
    }

    #[test]
    fn older_quote_keys_follow_the_current_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("quote");
        quote_keys(&file).unwrap();
        std::fs::write(&file, format!("{}\n{}\n", "11".repeat(32), "22".repeat(32))).unwrap();
        let keys = quote_keys(&file).unwrap();
        assert_eq!(keys.current.as_bytes(), &[0x11; 32]);
        assert_eq!(keys.older.len(), 1);
        std::fs::write(&file, "not a key\n").unwrap();
        assert!(quote_keys(&file).unwrap_err().to_string().contains("64 hex digits"));
    }
}
