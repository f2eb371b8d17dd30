use crate::Error;
use crate::modules::encode;
use crate::strokes;
use crate::style::Style;

/// Draws a payload as an SVG image: a background and one path.
///
/// The payload itself does not appear in the markup, and nothing in it refers to anything outside.
pub fn svg(payload: &str, style: &Style) -> Result<String, Error> {
    let symbol = encode(payload)?;
    let margin = usize::from(style.margin);
    let mut out = head(symbol.size() + 2 * margin, *style).into_bytes();
    strokes::draw(&mut out, &symbol, margin);
    out.extend_from_slice(b"\"/></svg>");
    // Only ASCII was written, so this cannot fail.
    Ok(String::from_utf8(out).unwrap_or_default())
}

fn head(side: usize, style: Style) -> String {
    let Style { size, theme, .. } = style;
    let (background, modules) = (theme.background(), theme.modules());
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{size}\" height=\"{size}\" \
         viewBox=\"0 0 {side} {side}\" role=\"img\" aria-label=\"QR code\" shape-rendering=\"crispEdges\">\
         <rect width=\"{side}\" height=\"{side}\" fill=\"{background}\"/>\
         <path fill=\"none\" stroke=\"{modules}\" d=\""
    )
}
