use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeArray, DeString, DeTable, DeValue};

#[cfg(test)]
use super::faults::Faults;

/// The minimum similarity of a suggested key.
const MIN_SIMILARITY: f64 = 0.7;

/// How many faults of the text are looked for.
const MAX_FAULTS: usize = 100;

/// Parses TOML that has no fault.
#[cfg(test)]
pub(super) fn parse<T: DeserializeOwned>(text: &str) -> anyhow::Result<T> {
    let Parsed { value, faults, .. } = parse_all(text);
    match value {
        Some(value) if faults.is_empty() => Ok(value),
        _ => {
            let mut all = Faults::default();
            for words in faults {
                all.add(words);
            }
            Err(all.into())
        }
    }
}

/// What a text gives.
pub(super) struct Parsed<T> {
    /// Made without the entries that are wrong; none where the text is no TOML.
    pub(super) value: Option<T>,
    pub(super) faults: Vec<String>,
    /// The tables of the top level in which something is wrong.
    pub(super) sections: Vec<String>,
}

/// Reads again and again, each time without the entry that was wrong, so that one mistake does not hide the others.
pub(super) fn parse_all<T: DeserializeOwned>(text: &str) -> Parsed<T> {
    let mut parsed = Parsed { value: None, faults: Vec::new(), sections: Vec::new() };
    let mut rest = text.to_owned();
    let mut faults: Vec<(Option<usize>, String)> = Vec::new();
    let mut left_out: Vec<String> = Vec::new();
    for _ in 0..MAX_FAULTS {
        let error = match toml::from_str(&rest) {
            Ok(value) => {
                parsed.value = Some(value);
                break;
            }
            Err(error) => error,
        };
        let follows = left_out.iter().any(|key| error.message() == format!("missing field `{key}`"));
        let start = error.span().map(|span| span.start);
        if !follows {
            faults.push((start, words(text, &error)));
        }
        let Some(Entry { section, keys, candidates }) = start.and_then(|at| entry_at(&rest, at)) else {
            break;
        };
        parsed.sections.push(section);
        left_out.extend(keys.into_iter().next());
        let mut shorter = candidates.iter().map(|ranges| without(&rest, ranges));
        let Some(next) = shorter.find(|text| *text != rest && DeTable::parse(text).is_ok()) else { break };
        rest = next;
    }
    faults.sort();
    parsed.faults = faults.into_iter().map(|(_, words)| words).collect();
    parsed
}

fn words(text: &str, error: &toml::de::Error) -> String {
    let message = error.message();
    let hint = nearest_key(message).map(|key| format!("; did you mean `{key}`?")).unwrap_or_default();
    match error.span() {
        Some(span) => {
            let (line, column) = position(text, span.start);
            format!("line {line}, column {column}: {message}{hint}")
        }
        None => format!("{message}{hint}"),
    }
}

fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// The line of the setting that a fault names first, or of the deepest table around it.
pub(super) fn line_of(text: &str, fault: &str) -> Option<usize> {
    let is_key = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let path = fault.split(|c| !is_key(c)).next().unwrap_or_default().trim_end_matches('.');
    let root = DeTable::parse(text).ok()?;
    let mut table = root.get_ref();
    let mut found = None;
    let mut is_element = false;
    for key in path.split('.') {
        let Some((name, value)) = table.iter().find(|(name, _)| name.get_ref().as_ref() == key) else {
            // The name of an element stands in the path, and is no key.
            if std::mem::take(&mut is_element) {
                continue;
            }
            break;
        };
        found = Some(name.span().start);
        let inner = match value.get_ref() {
            DeValue::Table(inner) => inner,
            DeValue::Array(array) => match element(array, fault) {
                Some((span, inner)) => {
                    found = Some(span.start);
                    is_element = true;
                    inner
                }
                None => break,
            },
            _ => break,
        };
        table = inner;
    }
    found.map(|offset| position(text, offset).0)
}

/// Whether a fault is about one of these tables of the top level.
pub(super) fn names_one_of(fault: &str, sections: &[String]) -> bool {
    let is_key = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let mut named = fault.split(|c| !is_key(c)).filter_map(|word| word.split('.').next());
    named.any(|word| sections.iter().any(|section| section == word))
}

/// The element of an array of tables that a fault is about: its name or its chain is mentioned.
fn element<'a, 'i>(array: &'a DeArray<'i>, fault: &str) -> Option<(Range<usize>, &'a DeTable<'i>)> {
    let mentioned = |value: &DeValue<'_>| match value {
        DeValue::String(text) => words_of(fault).any(|word| word == text.as_ref()),
        DeValue::Integer(number) => words_of(fault).any(|word| word == number.as_str()),
        _ => false,
    };
    let tables = array.iter().filter_map(|item| Some((item.span(), item.get_ref().as_table()?)));
    let tables: Vec<_> = tables.collect();
    let named = |(_, table): &&(Range<usize>, &DeTable<'_>)| {
        ["name", "chain", "id"].iter().any(|key| {
            table.iter().any(|(name, value)| name.get_ref().as_ref() == *key && mentioned(value.get_ref()))
        })
    };
    // Of two with the same name the second is one too many.
    tables.iter().rev().find(named).or(tables.first()).cloned()
}

fn words_of(fault: &str) -> impl Iterator<Item = &str> {
    fault.split(|c: char| !(c.is_ascii_alphanumeric() || "_-".contains(c))).filter(|word| !word.is_empty())
}

/// Where something is wrong.
struct Entry {
    /// The key of the top level.
    section: String,
    /// Its key and those around it, innermost first.
    keys: Vec<String>,
    /// What to leave out: the entry itself, or one of those around it, innermost first.
    candidates: Vec<Vec<Range<usize>>>,
}

fn entry_at(text: &str, offset: usize) -> Option<Entry> {
    let root = DeTable::parse(text).ok()?;
    let (mut keys, mut candidates) = (Vec::new(), Vec::new());
    descend(root.get_ref(), offset, &mut keys, &mut candidates);
    Some(Entry { section: keys.last()?.clone(), keys, candidates })
}

/// Finds the entry at the offset, and notes it and those around it.
fn descend(
    table: &DeTable<'_>,
    offset: usize,
    keys: &mut Vec<String>,
    candidates: &mut Vec<Vec<Range<usize>>>,
) -> bool {
    for (key, value) in table {
        let is_inside = match value.get_ref() {
            DeValue::Table(inner) => descend(inner, offset, keys, candidates),
            DeValue::Array(array) => array.iter().any(|item| {
                let DeValue::Table(inner) = item.get_ref() else { return false };
                let found = descend(inner, offset, keys, candidates) || item.span().contains(&offset);
                if found {
                    candidates.push(spans(item));
                }
                found
            }),
            _ => false,
        };
        if is_inside || key.span().contains(&offset) || value.span().contains(&offset) {
            keys.push(key.get_ref().to_string());
            candidates.push(entry_spans(key, value));
            return true;
        }
    }
    false
}

/// A key with its value. Tables may be written in several places.
fn entry_spans(key: &Spanned<DeString<'_>>, value: &Spanned<DeValue<'_>>) -> Vec<Range<usize>> {
    let is_dotted = value.span() == key.span();
    match value.get_ref() {
        DeValue::Table(_) | DeValue::Array(_) if !is_dotted => {
            let mut all = spans(value);
            if let Some(first) = all.first_mut().filter(|first| key.span().start < first.start) {
                first.start = key.span().start;
            }
            all
        }
        _ => spans(value).iter().map(|inner| key.span().start..inner.end).collect(),
    }
}

/// A value with everything below it: the span of a table with a header is only that of the header.
fn spans(value: &Spanned<DeValue<'_>>) -> Vec<Range<usize>> {
    let mut all = vec![value.span()];
    match value.get_ref() {
        DeValue::Table(table) => {
            all.extend(table.iter().flat_map(|(key, value)| entry_spans(key, value)));
        }
        DeValue::Array(array) => all.extend(array.iter().flat_map(spans)),
        _ => {}
    }
    all
}

/// The same text with blanks in these places, so that everything else keeps its line and column.
fn without(text: &str, ranges: &[Range<usize>]) -> String {
    let blank = |(at, c): (usize, char)| match c {
        c if c == '\n' || !ranges.iter().any(|range| range.contains(&at)) => c.to_string(),
        c => " ".repeat(c.len_utf8()),
    };
    text.char_indices().map(blank).collect()
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

    #[test]
    fn an_entry_that_is_wrong_hides_no_other_wherever_it_stands() {
        let text = "databse.url = \"a\"\nmode = \"production\"\n[server]\nreplica = 300\nlisten = 1\n\
                    connections = { total = -1, heads = 2 }\n[[endpoints]]\nrpc = []\n[[endpoints]]\nchain = \"one\"\nrpc = []\n\
                    [log]\nformat = \"loud\"\n[server.rate_limit]\nper_second = 0\n";
        let parsed = parse_all::<Config>(text);
        let lines: Vec<&str> = parsed.faults.iter().filter_map(|words| words.split(',').next()).collect();
        let expected = [1, 4, 5, 6, 6, 7, 10, 13, 15].map(|line| format!("line {line}"));
        assert_eq!(lines, expected, "{:#?}", parsed.faults);
        assert_eq!(parsed.value.unwrap().mode, crate::boot::config::Mode::Production);
    }

    #[test]
    fn the_line_of_a_fault_is_that_of_its_setting_or_of_the_table_around_it() {
        let text = "[server]\nreplica = 40\n[[market_makers]]\nname = \"a\"\n[[market_makers]]\nname = \"b\"\n\
                    min_order_usd = \"x\"\n[[endpoints]]\nchain = 8453\n[[endpoints]]\nchain = 10\n";
        for (fault, line) in [
            ("server.replica must be from 0 to 31", Some(2)),
            ("server.request_timeout_seconds must be at least 1", Some(1)),
            ("market_makers.b.min_order_usd is not an amount", Some(7)),
            ("market_makers.a: min_order_usd is above max_order_usd", Some(3)),
            ("endpoints: chain 10 needs at least one RPC address", Some(10)),
            ("prices.median.max_spread_bps must be at most 10000", None),
        ] {
            assert_eq!(line_of(text, fault), line, "{fault}");
        }
    }
}
