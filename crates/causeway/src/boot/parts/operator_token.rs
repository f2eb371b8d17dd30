use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use causeway_domain::QuoteKey;
use causeway_http::{OperatorToken, OperatorTokens};

use crate::boot::config::{Config, OperatorTokenConfig};
use crate::boot::parts::keys::read_file;

/// The file of the token that was generated for a data folder.
pub(crate) fn token_file(data_dir: &Path) -> PathBuf {
    data_dir.join("operator-token")
}

/// The configured token, else the data folder's, generated if missing.
pub(crate) fn make_token(config: &Config) -> anyhow::Result<String> {
    if let Some(token) = &config.server.operator_token {
        return Ok(token.reveal().trim().to_owned());
    }
    let file = token_file(&config.data_dir);
    if !file.exists() {
        write(&file).with_context(|| format!("cannot write {}", file.display()))?;
    }
    read(&file)
}

/// The tokens that the service accepts: its own, and those of the configuration.
pub(crate) fn tokens(config: &Config) -> anyhow::Result<OperatorTokens> {
    let own = OperatorToken::admin(&make_token(config)?);
    let others = config.server.operator_tokens.iter().map(OperatorTokenConfig::token);
    Ok(OperatorTokens::new(std::iter::once(Ok(own)).chain(others).collect::<anyhow::Result<_>>()?))
}

/// The token of a running service.
pub(crate) fn find_token(config: &Config) -> anyhow::Result<String> {
    if let Some(token) = &config.server.operator_token {
        return Ok(token.reveal().trim().to_owned());
    }
    let file = token_file(&config.data_dir);
    read(&file).with_context(|| {
        "no operator token: set CAUSEWAY_OPERATOR_TOKEN, or name the service's data folder with --data-dir"
    })
}

/// Where the token comes from, if only its owner may read it.
pub(crate) fn check_token(config: &Config) -> anyhow::Result<String> {
    let file = token_file(&config.data_dir);
    if config.server.operator_token.is_some() {
        return Ok("it is configured".to_owned());
    }
    if !file.exists() {
        return Ok(format!("{} is not there: the first start makes it", file.display()));
    }
    read(&file)?;
    Ok(format!("{} is readable by its owner alone", file.display()))
}

fn read(file: &Path) -> anyhow::Result<String> {
    let text = read_file(file)?;
    let token = text.trim().to_owned();
    ensure!(!token.is_empty(), "{} is empty: remove it, and the next start makes another", file.display());
    Ok(token)
}

/// Written atomically and readable by the owner alone.
fn write(file: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let fresh = file.with_extension(format!("new-{}", std::process::id()));
    let mut writer = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&fresh)?;
    // 32 random bytes, like a quote key.
    let random = QuoteKey::random()?;
    writeln!(writer, "{}", alloy_primitives::hex::encode(random.as_bytes()))?;
    writer.sync_all()?;
    let linked = fs::hard_link(&fresh, file);
    fs::remove_file(&fresh)?;
    match linked {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error.into()),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::boot::config::Config;

    #[test]
    fn token_is_generated_once_with_owner_only_permissions() {
        let folder = tempfile::tempdir().unwrap();
        let config = Config { data_dir: folder.path().to_owned(), ..Config::default() };
        assert!(find_token(&config).unwrap_err().to_string().contains("CAUSEWAY_OPERATOR_TOKEN"));
        let made = make_token(&config).unwrap();
        assert_eq!(made.len(), 64);
        assert_eq!(fs::metadata(token_file(folder.path())).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(make_token(&config).unwrap(), made);
        assert_eq!(find_token(&config).unwrap(), made);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file remains");
    }
}
