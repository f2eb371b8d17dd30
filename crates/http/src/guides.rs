//! The documentation portal: the guides of `docs/`, rendered when the service starts.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd, html};

macro_rules! guides {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../docs/", $name, ".md")))),*]
    };
}

/// Name and text of every document.
const GUIDES: [(&str, &str); 31] = guides![
    "adding-an-onramp",
    "agents",
    "api",
    "api-changes",
    "attesters",
    "cli",
    "configuration",
    "contracts",
    "deploying",
    "fiat",
    "fillers",
    "glossary",
    "keys",
    "liquidity",
    "oif",
    "onramps",
    "operating",
    "orders",
    "prices",
    "quickstart",
    "recovery",
    "rules",
    "running",
    "sandbox",
    "scaling",
    "screening",
    "security",
    "specification",
    "warnings",
    "webhooks",
    "widget",
];

/// The portal's sections; every document is in one of them.
const SECTIONS: [(&str, &[&str]); 4] = [
    ("Get started", &["quickstart", "running", "sandbox", "cli", "glossary"]),
    (
        "Build on it",
        &[
            "api",
            "widget",
            "orders",
            "warnings",
            "fiat",
            "webhooks",
            "agents",
            "api-changes",
            "specification",
        ],
    ),
    ("Fill and attest", &["fillers", "liquidity", "oif", "attesters", "contracts", "prices"]),
    (
        "Operate it",
        &[
            "deploying",
            "configuration",
            "keys",
            "operating",
            "scaling",
            "recovery",
            "security",
            "screening",
            "rules",
            "onramps",
            "adding-an-onramp",
        ],
    ),
];

/// A place for the content in the frames that `web/site` builds.
const PLACE: &str = "<!-- guides -->";
const TITLE: &str = "Guide – Causeway";

/// Path and HTML of the portal and its guides: `portal` and `guide` are their frames.
pub(crate) fn pages(portal: &str, guide: &str) -> Vec<(String, String)> {
    let titles: BTreeMap<&str, (String, &str)> =
        GUIDES.into_iter().map(|(name, text)| (name, (title_of(text), intro_of(text)))).collect();
    let mut pages = vec![("/docs".to_owned(), portal.replace(PLACE, &cards(&titles)))];
    for (name, text) in GUIDES {
        let title = titles.get(name).map_or(name, |(title, _)| title);
        let (contents, article) = render(text);
        let article = article.replacen("</h1>\n", &format!("</h1>\n{contents}"), 1);
        let main = format!(
            "<div class=\"guide-layout\">{}<article class=\"guide\">{article}</article></div>",
            navigation(&titles, name)
        );
        let page = guide.replace(TITLE, &format!("{} – Causeway", escaped(title))).replace(PLACE, &main);
        pages.push((format!("/docs/{name}"), page));
    }
    pages
}

/// The first heading without its marks.
fn title_of(text: &str) -> String {
    let heading = text.lines().find_map(|line| line.strip_prefix("# "));
    heading.unwrap_or_default().replace('`', "")
}

/// The title of a document that is called by its file's name, as links in the repository are.
fn title_of_file(words: &str) -> Option<String> {
    let name = words.strip_suffix(".md")?;
    GUIDES.into_iter().find(|(guide, _)| *guide == name).map(|(_, text)| title_of(text))
}

/// The first sentence below the first heading: a line of prose, which no code, list, table or heading is.
fn intro_of(text: &str) -> &str {
    let mut is_code = false;
    let is_prose = |line: &&str| {
        if line.starts_with("```") {
            is_code = !is_code;
            return false;
        }
        !is_code && line.starts_with(|first: char| first.is_alphanumeric() || "`[".contains(first))
    };
    text.lines().skip_while(|line| !line.starts_with("# ")).skip(1).find(is_prose).unwrap_or_default()
}

fn cards(titles: &BTreeMap<&str, (String, &str)>) -> String {
    let mut out = String::new();
    for (section, names) in SECTIONS {
        let _ = write!(out, "<section><h2>{section}</h2><ul class=\"guide-cards\">");
        for name in names {
            let Some((title, intro)) = titles.get(name) else { continue };
            // A sentence that introduces a list ends here.
            let (_, intro) = render(
                &intro.strip_suffix(':').map_or_else(|| (*intro).to_owned(), |words| format!("{words}.")),
            );
            let _ = write!(out, "<li><a href=\"/docs/{name}\">{}</a>{intro}</li>", escaped(title));
        }
        out.push_str("</ul></section>");
    }
    out
}

fn navigation(titles: &BTreeMap<&str, (String, &str)>, current: &str) -> String {
    let mut out = "<nav class=\"guide-nav\" aria-label=\"Guides\"><a href=\"/docs\">Overview</a>\
                   <a href=\"/docs/reference\">API reference</a>"
        .to_owned();
    for (section, names) in SECTIONS {
        let _ = write!(out, "<p>{section}</p>");
        for name in names {
            let title = titles.get(name).map_or(*name, |(title, _)| title);
            let here = if *name == current { " aria-current=\"page\"" } else { "" };
            let _ = write!(out, "<a href=\"/docs/{name}\"{here}>{}</a>", escaped(title));
        }
    }
    out.push_str("</nav>");
    out
}

/// The list of sections, if there are several, and the document's HTML.
fn render(text: &str) -> (String, String) {
    let events: Vec<Event<'_>> = Parser::new_ext(text, Options::ENABLE_TABLES).collect();
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    let mut sections = String::new();
    let mut count = 0_usize;
    let mut is_linked = true;
    let mut out = Vec::with_capacity(events.len());
    for (at, event) in events.iter().enumerate() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let words = heading_text(events.get(at..).unwrap_or_default());
                let id = anchor(&words, &mut taken);
                if *level == pulldown_cmark::HeadingLevel::H2 {
                    count = count.saturating_add(1);
                    let _ = write!(sections, "<li><a href=\"#{id}\">{}</a></li>", escaped(&words));
                }
                out.push(Event::Start(Tag::Heading {
                    level: *level,
                    id: Some(id.into()),
                    classes: Vec::new(),
                    attrs: Vec::new(),
                }));
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let target = target_of(dest_url);
                is_linked = target.is_some();
                out.extend(target.map(|target| {
                    let (link_type, title, id) = (*link_type, title.clone(), id.clone());
                    Event::Start(Tag::Link { link_type, dest_url: target.into(), title, id })
                }));
            }
            Event::End(TagEnd::Link) if !is_linked => is_linked = true,
            Event::Start(Tag::CodeBlock(kind)) => out.push(Event::Html(code_head(kind).into())),
            Event::End(TagEnd::CodeBlock) => out.push(Event::Html("</code></pre></div>\n".into())),
            Event::Start(Tag::Table(columns)) => {
                out.push(Event::Html("<div class=\"table-wrap\" tabindex=\"0\">".into()));
                out.push(Event::Start(Tag::Table(columns.clone())));
            }
            Event::End(TagEnd::Table) => {
                out.push(Event::End(TagEnd::Table));
                out.push(Event::Html("</div>\n".into()));
            }
            // Markup of a document is shown, not obeyed.
            Event::Html(markup) | Event::InlineHtml(markup) => out.push(Event::Text(markup.clone())),
            Event::Text(words) => {
                out.push(Event::Text(title_of_file(words).map_or_else(|| words.clone(), CowStr::from)));
            }
            // Pictures are in the repository only; their words stand for them.
            Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => {}
            other => out.push(other.clone()),
        }
    }
    let mut article = String::new();
    html::push_html(&mut article, out.into_iter());
    let contents =
        format!("<details class=\"contents\"><summary>On this page</summary><ul>{sections}</ul></details>");
    (if count > 2 { contents } else { String::new() }, article)
}

fn code_head(kind: &CodeBlockKind<'_>) -> String {
    let language = match kind {
        CodeBlockKind::Fenced(info) => info.split_whitespace().next().unwrap_or("text").to_owned(),
        CodeBlockKind::Indented => "text".to_owned(),
    };
    let language = if language == "mermaid" { "diagram" } else { language.as_str() };
    format!(
        "<div class=\"code\"><div class=\"code-head\"><span>{}</span></div><pre tabindex=\"0\"><code>",
        escaped(language)
    )
}

/// The words of the heading that begins here.
fn heading_text(events: &[Event<'_>]) -> String {
    let inside = events.iter().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
    let words = inside.filter_map(|event| match event {
        Event::Text(text) | Event::Code(text) => Some(text.as_ref()),
        _ => None,
    });
    words.collect()
}

/// The heading's anchor, as code hosts make it, so that links between documents work in both places.
fn anchor(words: &str, taken: &mut BTreeMap<String, usize>) -> String {
    let kept = words
        .to_lowercase()
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .collect::<String>();
    let base = kept.trim().replace(' ', "-");
    let count = taken.entry(base.clone()).or_default();
    let anchor = if *count == 0 { base } else { format!("{base}-{count}") };
    *count = count.saturating_add(1);
    anchor
}

/// Where a link leads on the portal; nowhere where it points into the sources.
fn target_of(url: &CowStr<'_>) -> Option<String> {
    if url.starts_with("https://") || url.starts_with("http://") || url.starts_with(['#', '/']) {
        return Some(url.to_string());
    }
    let (path, anchor) =
        url.split_once('#').map_or((url.as_ref(), None), |(path, anchor)| (path, Some(anchor)));
    let name = path.strip_suffix(".md").filter(|name| GUIDES.iter().any(|(guide, _)| guide == name))?;
    Some(anchor.map_or_else(|| format!("/docs/{name}"), |anchor| format!("/docs/{name}#{anchor}")))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_document_is_in_one_section_of_the_portal() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs");
        let files =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut documents: Vec<String> =
            files.filter_map(|name| name.strip_suffix(".md").map(str::to_owned)).collect();
        documents.sort();
        let mut placed: Vec<&str> = SECTIONS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        placed.sort_unstable();
        assert_eq!(placed, documents);
        assert_eq!(GUIDES.map(|(name, _)| name).to_vec(), documents);
    }

    #[test]
    fn every_link_of_the_portal_leads_to_a_page_and_a_heading() {
        let pages = pages(PLACE, PLACE);
        for (path, html) in &pages {
            assert!(html.contains("<h1 id=") || path == "/docs", "{path}");
            assert!(!html.contains("<script"), "{path}");
            for link in html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
                let (to, anchor) =
                    link.split_once('#').map_or((link, None), |(to, anchor)| (to, Some(anchor)));
                if !to.starts_with("/docs") && !to.is_empty() || to == "/docs/reference" {
                    continue;
                }
                let to = if to.is_empty() { path.as_str() } else { to };
                let page = pages.iter().find(|(path, _)| path == to);
                let (_, target) = page.unwrap_or_else(|| panic!("{path} leads to {link}"));
                let has = |anchor: &str| target.contains(&format!("id=\"{anchor}\""));
                assert!(anchor.is_none_or(has), "{path} leads to {link}");
            }
        }
    }

    #[test]
    fn the_card_of_a_guide_has_its_first_sentence_of_prose() {
        let intro = intro_of("# A\n\n```sh\ncauseway\n```\n\n## B\n\n| x |\n\nOne `thing`.\nAnother.\n");
        assert_eq!(intro, "One `thing`.");
        assert_eq!(intro_of("# A\n\n`a` first.\n"), "`a` first.");
        for (name, text) in GUIDES {
            assert!(!intro_of(text).is_empty(), "{name}");
        }
    }

    #[test]
    fn markup_is_shown_and_marks_of_code_blocks_are_not() {
        let (_, html) = render(
            "# A\n\n<b>x</b>\n\n```sh test\ncauseway\n```\n\n[code](../crates/x.rs) [guide](orders.md)\n",
        );
        assert!(html.contains("&lt;b&gt;x&lt;/b&gt;"), "{html}");
        assert!(html.contains("<span>sh</span>") && !html.contains("test"), "{html}");
        assert!(html.contains("<p>code <a href=\"/docs/orders\">guide</a></p>"), "{html}");
        let (_, html) =
            render("# A\n\n[orders.md](orders.md) says more than `orders.md` and [x.md](x.md).\n");
        assert!(
            html.contains(
                "<a href=\"/docs/orders\">Orders</a> says more than <code>orders.md</code> and x.md"
            ),
            "{html}"
        );
    }
}
