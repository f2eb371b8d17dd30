//! Names of the pages' files that change with their content, so that browsers may keep them for good.
//!
//! A page asks for `/assets/site.css?v=<digits>`. Whoever asks by the digits of the present content gets a year;
//! whoever asks without them, or by those of an older page, asks again each time.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::caching::digest;
use crate::{pages, widget};

/// For what is asked for by its digits.
pub(crate) const IMMUTABLE: &str = "public, max-age=31536000, immutable";

/// How many digits tell one version of a file from another.
const DIGITS: usize = 16;

/// The digits of every script, style and picture by its path.
static VERSIONS: LazyLock<HashMap<&'static str, String>> = LazyLock::new(|| {
    let version =
        |(path, content): (&'static str, &str)| (path, digest(content).chars().take(DIGITS).collect());
    pages::assets().chain(widget::FILES).map(version).collect()
});

/// Whether a query names the present version of the file.
pub(crate) fn names(query: Option<&str>, path: &str) -> bool {
    let asked = query.and_then(|query| query.strip_prefix("v="));
    asked.is_some_and(|asked| VERSIONS.get(path).is_some_and(|version| version == asked))
}

/// The page with the version of each file that its own tags load. What it shows as code stays as it is.
pub(crate) fn in_page(page: &str) -> String {
    let mut out = String::with_capacity(page.len());
    let mut rest = page;
    while let Some(at) = rest.find('<') {
        let (text, tag) = rest.split_at(at);
        let (tag, after) = tag.find('>').map_or((tag, ""), |end| tag.split_at(end));
        out.push_str(text);
        out.push_str(&in_tag(tag));
        rest = after;
    }
    out.push_str(rest);
    out
}

fn in_tag(tag: &str) -> String {
    if !["<script ", "<link ", "<img "].iter().any(|name| tag.starts_with(name)) {
        return tag.to_owned();
    }
    let attribute =
        ["src=\"", "href=\""].iter().find_map(|name| tag.split_once(name).map(|split| (name, split)));
    let Some((name, (before, value))) = attribute else { return tag.to_owned() };
    let Some((path, after)) = value.split_once('"') else { return tag.to_owned() };
    match VERSIONS.get(path) {
        Some(version) => format!("{before}{name}{path}?v={version}\"{after}"),
        None => tag.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_asks_for_its_files_by_their_versions_and_shows_code_as_it_is() {
        let page = "<link rel=\"stylesheet\" href=\"/assets/site.css\" /><script src=\"/widget.js\" defer></script>\
                    <code>&lt;script src=\"/widget.js\" defer&gt;</code><a href=\"/docs\">1 &lt; 2</a>";
        let (style, script) = (&VERSIONS["/assets/site.css"], &VERSIONS["/widget.js"]);
        assert_eq!(
            in_page(page),
            page.replace("/assets/site.css", &format!("/assets/site.css?v={style}")).replacen(
                "/widget.js",
                &format!("/widget.js?v={script}"),
                1
            )
        );
        for text in ["", "a < b", "<", "<script src=\"/widget.js"] {
            assert_eq!(in_page(text), text);
        }
    }

    #[test]
    fn only_the_present_version_is_kept_for_good() {
        let version = &VERSIONS["/assets/site.css"];
        assert!(names(Some(&format!("v={version}")), "/assets/site.css"));
        for query in [None, Some(""), Some("v="), Some("v=0123456789abcdef"), Some(version.as_str())] {
            assert!(!names(query, "/assets/site.css"), "{query:?}");
        }
    }
}
