use causeway_store::{SchemaVersion, inspect};

use super::{Finding, words};
use crate::boot::config::Config;

const AREA: &str = "database";

/// Whether the database answers and has a schema that this version knows.
pub(super) async fn examine(config: &Config) -> Finding {
    let location = match config.database.location(&config.data_dir) {
        Ok(location) => location,
        Err(error) => return Finding::new(AREA, "database.url", Err(words(&error))),
    };
    let outcome = match inspect(&location).await {
        Ok(schema) => judge(schema),
        Err(error) => Err(words(&error.into())),
    };
    Finding::new(AREA, location.to_string(), outcome)
}

fn judge(SchemaVersion { found, known }: SchemaVersion) -> Result<String, String> {
    match found {
        None => Ok("it is empty: the first start creates its tables".to_owned()),
        Some(found) if found > known => Err(format!(
            "it has schema {found}, made by a newer version of causeway, and this one knows up to {known}"
        )),
        Some(found) if found < known => {
            Ok(format!("it has schema {found}: the next start brings it to {known}"))
        }
        Some(found) => Ok(format!("it answers, with schema {found}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_schema_is_a_failure() {
        let schema = |found| judge(SchemaVersion { found, known: 18 });
        assert!(schema(None).is_ok() && schema(Some(17)).is_ok() && schema(Some(18)).is_ok());
        assert!(schema(Some(19)).unwrap_err().contains("newer"));
    }
}
