use std::fmt::Write as _;

/// Fills the placeholders of a template. Values are escaped, except [`Piece::Markup`].
pub(super) fn fill(template: &str, pieces: &[(&str, Piece<'_>)]) -> String {
    let mut page = String::with_capacity(template.len() * 2);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        page.push_str(before);
        let Some((name, after)) = after.split_once("}}") else { break };
        match pieces.iter().find(|(placeholder, _)| *placeholder == name).map(|(_, piece)| piece) {
            Some(Piece::Text(text)) => escape(&mut page, text),
            Some(Piece::Markup(markup)) => page.push_str(markup),
            None => {}
        }
        rest = after;
    }
    page.push_str(rest);
    page
}

/// A value for a placeholder.
pub(super) enum Piece<'a> {
    /// Escaped before insertion.
    Text(&'a str),
    /// Trusted HTML, inserted as is.
    Markup(&'a str),
}

/// Appends text escaped for elements and attributes.
pub(super) fn escape(page: &mut String, text: &str) {
    for letter in text.chars() {
        match letter {
            '&' => page.push_str("&amp;"),
            '<' => page.push_str("&lt;"),
            '>' => page.push_str("&gt;"),
            '"' => page.push_str("&quot;"),
            '\'' => page.push_str("&#39;"),
            letter => page.push(letter),
        }
    }
}

/// JSON for a `<script>` data block, with all characters escaped that could end the element or start a comment.
pub(super) fn json_block(value: &serde_json::Value) -> String {
    let mut block = String::new();
    for letter in value.to_string().chars() {
        match letter {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                // Writing to a string does not fail.
                let _ = write!(block, "\\u{:04x}", u32::from(letter));
            }
            letter => block.push(letter),
        }
    }
    block
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn values_are_escaped_and_not_read_as_templates() {
        let page = fill(
            "<b>{{a}}</b>{{b}}{{c}}",
            &[("a", Piece::Text("<img src=x onerror='alert(1)'> & {{b}}")), ("b", Piece::Markup("<i></i>"))],
        );
        assert_eq!(page, "<b>&lt;img src=x onerror=&#39;alert(1)&#39;&gt; &amp; {{b}}</b><i></i>");
    }

    proptest! {
        #[test]
        fn escaped_text_cannot_leave_its_element_or_attribute(text in "\\PC{0,60}") {
            let mut page = String::new();
            escape(&mut page, &text);
            prop_assert!(!page.contains(['<', '>', '"', '\'']));
        }

        #[test]
        fn json_block_parses_back_and_contains_no_markup(text in any::<String>()) {
            let block = json_block(&json!({ "text": text }));
            let harmless = !block.contains(['<', '>', '&', '\u{2028}', '\u{2029}']);
            prop_assert!(harmless);
            let back: Value = serde_json::from_str(&block).unwrap();
            prop_assert_eq!(back.get("text").and_then(Value::as_str), Some(text.as_str()));
        }
    }
}
