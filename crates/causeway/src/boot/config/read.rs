use serde::de::DeserializeOwned;

/// The minimum similarity of a suggested key.
const MIN_SIMILARITY: f64 = 0.7;

/// Parses TOML; the error for an unknown key has its position and the nearest known key.
pub(super) fn parse<T: DeserializeOwned>(text: &str) -> anyhow::Result<T> {
    toml::from_str(text).map_err(|error| {
        let place = error.span().map(|span| position(text, span.start));
        let message = error.message();
        let hint = nearest_key(message).map(|key| format!("; did you mean `{key}`?"));
        match place {
            Some((line, column)) => {
                anyhow::anyhow!("line {line}, column {column}: {message}{}", hint.unwrap_or_default())
            }
            None => anyhow::anyhow!("{message}{}", hint.unwrap_or_default()),
        }
    })
}

fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// Serde names the unknown key first and the known ones after it, all in backticks.
fn nearest_key(message: &str) -> Option<&str> {
    let list = message.strip_prefix("unknown field ").or_else(|| message.strip_prefix("unknown variant "))?;
    let mut names = list.split('`').skip(1).step_by(2);
    let unknown = names.next()?;
    names
        .map(|known| (known, strsim::jaro_winkler(unknown, known)))
        .filter(|(_, similarity)| *similarity >= MIN_SIMILARITY)
        .max_by(|one, other| one.1.total_cmp(&other.1))
        .map(|(known, _)| known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boot::config::Config;

    fn refusal(text: &str) -> String {
        parse::<Config>(text).unwrap_err().to_string()
    }

    #[test]
    fn unknown_key_is_rejected_with_the_nearest_known_name() {
        let error = refusal("[server]\nlisten = \"127.0.0.1:1\"\nlissten = \"127.0.0.1:2\"\n");
        assert!(error.contains("line 3, column 1") && error.contains("did you mean `listen`?"), "{error}");
        assert!(refusal("databse = 1").contains("did you mean `database`?"));
        assert!(refusal("mode = \"sandbx\"").contains("did you mean `sandbox`?"));
        assert!(refusal("[retention]\nquote_hours = 1").contains("did you mean `quotes_hours`?"));
    }

    #[test]
    fn dissimilar_key_gets_no_suggestion() {
        let error = refusal("zzz = 1");
        assert!(error.contains("unknown field `zzz`") && !error.contains("did you mean"), "{error}");
    }

    #[test]
    fn invalid_toml_reports_its_position() {
        assert!(refusal("[server\n").starts_with("line 1"));
    }
}
